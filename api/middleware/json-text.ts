import { type Issue, MAX_ISSUES } from '../../domain/errors.ts';
import { pathText } from '../../domain/issues.ts';
import { isLostNumber } from '../../domain/json-number.ts';

/** Far beyond what any route means, and far below what would exhaust the stack of whoever walks through it. */
export const MAX_NESTING = 100;

export interface JsonTextFacts {
  readonly isNestedDeeply: boolean;
  /** How many objects it has, itself included. */
  readonly objects: number;
  /** Numbers that would not be read as they are written. */
  readonly lostNumbers: readonly Issue[];
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const LETTER_E = 0x65;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** A double keeps every number of so many digits whose power of ten has two. */
const SAFE_DIGITS = 15;
const SAFE_POWER_DIGITS = 2;

/**
 * What has to be known of a JSON text before it is parsed, in one pass over its bytes; `root` names the array that it may be. Of a text
 * that is no JSON it says something or other: parsing it fails anyway.
 */
export function readJsonText(bytes: Uint8Array, root: string): JsonTextFacts {
  const lostNumbers: Issue[] = [];
  const place = newPlace();
  let objects = 0;
  let nameFrom = 0;
  let nameTo = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) {
      nameFrom = at;
      for (at++; at < bytes.length && bytes[at] !== QUOTE; at++) if (bytes[at] === BACKSLASH) at++;
      nameTo = at + 1;
    } else if (byte === COMMA) {
      if (place.index[place.depth] !== IN_OBJECT) (place.index[place.depth] as number)++;
    } else if (byte === COLON) {
      place.nameFrom[place.depth] = nameFrom;
      place.nameTo[place.depth] = nameTo;
    } else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      if (place.depth === MAX_NESTING) return { isNestedDeeply: true, objects, lostNumbers };
      if (byte === OPEN_OBJECT) objects++;
      place.index[++place.depth] = byte === OPEN_ARRAY ? 0 : IN_OBJECT;
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
      if (place.depth > 0) place.depth--;
    } else if (isDigit(byte)) {
      const from = at;
      let digits = 0;
      let powerDigits = 0;
      for (; at < bytes.length && isOfNumber(bytes[at] as number); at++) {
        if (((bytes[at] as number) | 0x20) === LETTER_E) powerDigits = 1;
        else if (!isDigit(bytes[at] as number)) continue;
        else if (powerDigits > 0) powerDigits++;
        else digits++;
      }
      const mayBeLost = digits > SAFE_DIGITS || powerDigits - 1 > SAFE_POWER_DIGITS;
      if (mayBeLost && lostNumbers.length < MAX_ISSUES && isLostNumber(textOf(bytes, from, at))) {
        lostNumbers.push({ path: pathOf(place, bytes, root), message: 'not a number that can be kept as it is written' });
      }
      at--;
    }
  }
  return { isNestedDeeply: false, objects, lostNumbers };
}

const IN_OBJECT = -1;

/** The arrays and objects around a place in the text, from the outermost (1) to the one at `depth`. */
interface Place {
  depth: number;
  /** Of the element of an array; IN_OBJECT in an object. */
  readonly index: Int32Array;
  /** Where the name of an object's member stands, quotes included. */
  readonly nameFrom: Int32Array;
  readonly nameTo: Int32Array;
}

function newPlace(): Place {
  const perLevel = (): Int32Array => new Int32Array(MAX_NESTING + 1);
  return { depth: 0, index: perLevel(), nameFrom: perLevel(), nameTo: perLevel() };
}

function pathOf({ depth, index, nameFrom, nameTo }: Place, bytes: Uint8Array, root: string): string {
  const path = Array.from({ length: depth }, (_, outer) => {
    const level = outer + 1;
    return index[level] === IN_OBJECT
      ? nameIn(textOf(bytes, nameFrom[level] as number, nameTo[level] as number))
      : (index[level] as number);
  });
  return pathText(path, index[1] === IN_OBJECT ? '' : root);
}

function nameIn(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return '';
  }
}

function textOf(bytes: Uint8Array, from: number, to: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString();
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/** Digits, `.`, signs and the letter of a power. */
function isOfNumber(byte: number): boolean {
  return isDigit(byte) || byte === 0x2e || byte === 0x2b || byte === 0x2d || (byte | 0x20) === LETTER_E;
}
