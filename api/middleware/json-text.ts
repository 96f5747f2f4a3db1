import { setImmediate } from 'node:timers/promises';
import { type Issue, MAX_ISSUES } from '../../domain/errors.ts';
import { pathText } from '../../domain/issues.ts';
import { isLostNumber } from '../../domain/json-number.ts';
import { BACKSLASH, CLOSE_ARRAY, CLOSE_OBJECT, COLON, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from './json-characters.ts';

/** Far beyond what any route means, and far below what would exhaust the stack of whoever walks through it. */
export const MAX_NESTING = 100;

/** Of all objects together, each counted once. To make an object takes longer for each name that no other has. */
export const MAX_NAMES = 30_000;

export interface JsonTextFacts {
  readonly isNestedDeeply: boolean;
  /** How many objects and arrays it has, itself included. */
  readonly containers: number;
  readonly hasTooManyNames: boolean;
  /** The path of the first member whose name its object has had before: of such members parsers keep different ones. */
  readonly repeated: string | undefined;
  /** Numbers that would not be read as they are written. */
  readonly lostNumbers: readonly Issue[];
}

const LETTER_E = 0x65;

/** A double keeps every number of so many digits whose power of ten has two. */
const SAFE_DIGITS = 15;
const SAFE_POWER_DIGITS = 2;

/** So much is read in one turn: at worst some 20,000 names, which takes 10 ms. */
const TURN_BYTES = 64 * 1024;

/**
 * What has to be known of a JSON text before it is parsed, in one pass over its bytes; others have a turn in between. `root` names the array
 * that it may be. It may stop at the first thing that is wrong. Of a text that is no JSON it says something or other: parsing it fails anyway.
 */
export async function readJsonText(bytes: Buffer, root: string): Promise<JsonTextFacts> {
  const text = new JsonText(bytes, root);
  while (!text.read()) await setImmediate();
  return text;
}

class JsonText implements JsonTextFacts {
  isNestedDeeply = false;
  containers = 0;
  hasTooManyNames = false;
  repeated: string | undefined;
  readonly lostNumbers: Issue[] = [];
  readonly #bytes: Buffer;
  readonly #root: string;
  readonly #place = newPlace();
  readonly #names = new NamesSeen();
  #at = 0;

  constructor(bytes: Buffer, root: string) {
    this.#bytes = bytes;
    this.#root = root;
  }

  /** Whether nothing is left to read. A turn ends between two tokens. */
  read(): boolean {
    const bytes = this.#bytes;
    const place = this.#place;
    const until = Math.min(bytes.length, this.#at + TURN_BYTES);
    let at = this.#at;
    // A colon comes after its name within the turn, or is looked at with the name of the turn before.
    let { textFrom, textTo, hasEscape } = place;
    for (; at < until; at++) {
      const byte = bytes[at] as number;
      if (byte === QUOTE) {
        textFrom = at;
        hasEscape = false;
        for (at++; at < bytes.length && bytes[at] !== QUOTE; at++) {
          if (bytes[at] !== BACKSLASH) continue;
          hasEscape = true;
          at++;
        }
        textTo = at + 1;
      } else if (byte === COMMA) {
        if (place.index[place.depth] !== IN_OBJECT) (place.index[place.depth] as number)++;
      } else if (byte === COLON) {
        place.nameFrom[place.depth] = textFrom;
        place.nameTo[place.depth] = textTo;
        // Elsewhere a colon is a fault, of which the parser tells.
        if (place.index[place.depth] !== IN_OBJECT) continue;
        const isNew = this.#names.add(keyOf(bytes, textFrom, textTo, hasEscape), place.depth, place.container[place.depth] as number);
        if (!isNew) this.repeated = pathOf(place, bytes, this.#root);
        this.hasTooManyNames = this.#names.count > MAX_NAMES;
        if (!isNew || this.hasTooManyNames) return true;
      } else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
        if (place.depth === MAX_NESTING) {
          this.isNestedDeeply = true;
          return true;
        }
        place.index[++place.depth] = byte === OPEN_ARRAY ? 0 : IN_OBJECT;
        place.container[place.depth] = ++this.containers;
      } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
        if (place.depth > 0) place.depth--;
      } else if (isDigit(byte)) {
        at = this.#number(at) - 1;
      }
    }
    this.#at = at;
    Object.assign(place, { textFrom, textTo, hasEscape });
    return at >= bytes.length;
  }

  /** Notes the number when it would be lost. Returns where it ends. */
  #number(from: number): number {
    const bytes = this.#bytes;
    let at = from;
    let digits = 0;
    let powerDigits = 0;
    for (; at < bytes.length && isOfNumber(bytes[at] as number); at++) {
      if (((bytes[at] as number) | 0x20) === LETTER_E) powerDigits = 1;
      else if (!isDigit(bytes[at] as number)) continue;
      else if (powerDigits > 0) powerDigits++;
      else digits++;
    }
    const mayBeLost = digits > SAFE_DIGITS || powerDigits - 1 > SAFE_POWER_DIGITS;
    if (mayBeLost && this.lostNumbers.length < MAX_ISSUES && isLostNumber(textOf(bytes, from, at))) {
      const path = pathOf(this.#place, bytes, this.#root);
      this.lostNumbers.push({ path, message: 'not a number that can be kept as it is written' });
    }
    return at;
  }
}

/** The names of the objects that are open. */
class NamesSeen {
  readonly #idOf = new Map<string, number>();
  /** For each depth, of which there is one open object at most: by a name's id, the object that had it last. */
  readonly #lastIn: Int32Array[] = [];

  /** How many different ones there were. */
  get count(): number {
    return this.#idOf.size;
  }

  /** false when the object has it already. */
  add(name: string, depth: number, object: number): boolean {
    let id = this.#idOf.get(name);
    if (id === undefined) {
      id = this.#idOf.size;
      this.#idOf.set(name, id);
    }
    let lastIn = this.#lastIn[depth];
    if (lastIn === undefined || id >= lastIn.length) {
      const longer = new Int32Array(Math.max(16, id * 2));
      if (lastIn) longer.set(lastIn);
      lastIn = longer;
      this.#lastIn[depth] = longer;
    }
    const isNew = lastIn[id] !== object;
    lastIn[id] = object;
    return isNew;
  }
}

/** The name as one text for all ways to write it: its bytes, one character for each. */
function keyOf(bytes: Buffer, from: number, to: number, hasEscape: boolean): string {
  return hasEscape ? Buffer.from(nameIn(textOf(bytes, from, to))).toString('latin1') : bytes.toString('latin1', from + 1, to - 1);
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
  /** Which of the text's objects and arrays it is, in their order from 1. */
  readonly container: Int32Array;
  /** The latest text in quotes, which a colon makes a name. */
  textFrom: number;
  textTo: number;
  hasEscape: boolean;
}

function newPlace(): Place {
  const perLevel = (): Int32Array => new Int32Array(MAX_NESTING + 1);
  const levels = { index: perLevel(), nameFrom: perLevel(), nameTo: perLevel(), container: perLevel() };
  return { depth: 0, ...levels, textFrom: 0, textTo: 0, hasEscape: false };
}

function pathOf({ depth, index, nameFrom, nameTo }: Place, bytes: Buffer, root: string): string {
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

function textOf(bytes: Buffer, from: number, to: number): string {
  return bytes.toString('utf8', from, to);
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/** Digits, `.`, signs and the letter of a power. */
function isOfNumber(byte: number): boolean {
  return isDigit(byte) || byte === 0x2e || byte === 0x2b || byte === 0x2d || (byte | 0x20) === LETTER_E;
}
