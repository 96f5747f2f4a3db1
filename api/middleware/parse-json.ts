import { setImmediate } from 'node:timers/promises';
import { BACKSLASH, CLOSE_ARRAY, CLOSE_OBJECT, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from './json-characters.ts';

/** So much is parsed in one turn: at worst (arrays of nothing) that takes 10 ms. */
const PIECE_LENGTH = 128 * 1024;

/**
 * What JSON.parse makes of the text, none of whose objects has a name twice; of a long one in pieces of about `pieceLength` characters, and others
 * have a turn in between. Throws SyntaxError when it is not JSON.
 */
export async function parseJson(text: string, pieceLength = PIECE_LENGTH): Promise<unknown> {
  if (text.length <= pieceLength) return JSON.parse(text);
  const pieces = new Pieces(text, pieceLength);
  while (!pieces.parseNext()) await setImmediate();
  return pieces.value;
}

/**
 * An array or object that is longer than a piece: runs of its members are parsed each by itself, and so are those of a long one in it. The
 * outermost stands for the text.
 */
interface Long {
  readonly opens: number;
  readonly value: unknown[] | Record<string, unknown>;
  /** Its name in the object around it. */
  readonly name: string | undefined;
  /** Nothing of it was read yet, not even a comma. */
  isEmpty: boolean;
  /** A long one in it has just ended: a comma or its own end has to follow. */
  isAfterLong: boolean;
}

/** An array or object that may yet become a long one. */
interface Opened {
  readonly at: number;
  /** Where the text in quotes stands that came before: its name, when it is in an object. */
  readonly nameFrom: number;
  readonly nameTo: number;
}

class Pieces {
  readonly #text: string;
  readonly #pieceLength: number;
  readonly #long: [Long, ...Long[]] = [newLong(OPEN_ARRAY, undefined)];
  /** Those that are open within the innermost long one, from the outside. */
  #opened: Opened[] = [];
  #at = 0;
  /** What comes from here on in the innermost long one is not parsed yet. */
  #from = 0;
  #nameFrom = 0;
  #nameTo = 0;

  constructor(text: string, pieceLength: number) {
    this.#text = text;
    this.#pieceLength = pieceLength;
  }

  get value(): unknown {
    return Reflect.get(this.#long[0].value, 0);
  }

  /** Whether nothing is left. It reads on for no more than a piece, also where there is nothing to parse yet. */
  parseNext(): boolean {
    const until = Math.min(this.#text.length, this.#at + this.#pieceLength);
    for (; this.#at < until; this.#at++) {
      const character = this.#text.charCodeAt(this.#at);
      if (character === QUOTE) this.#passText();
      else if (character === COMMA) {
        if (this.#enterLong() || this.#comma()) return false;
      } else if (character === OPEN_ARRAY || character === OPEN_OBJECT) {
        this.#opened.push({ at: this.#at, nameFrom: this.#nameFrom, nameTo: this.#nameTo });
      } else if (character === CLOSE_ARRAY || character === CLOSE_OBJECT) {
        if (this.#opened.pop()) continue;
        this.#close(character);
        return false;
      }
    }
    if (this.#at < this.#text.length) return false;
    if (this.#long.length > 1) throw new SyntaxError('it ends too early');
    this.#parseRun(this.#text.length);
    const [{ value }] = this.#long;
    if (value.length !== 1) throw new SyntaxError('it is not one value');
    return true;
  }

  get #innermost(): Long {
    return this.#long.at(-1) as Long;
  }

  /** To the quote at its end. */
  #passText(): void {
    const from = this.#at;
    for (;;) {
      this.#at = this.#text.indexOf('"', this.#at + 1);
      if (this.#at === -1) throw new SyntaxError('a text does not end');
      let backslashes = 0;
      while (this.#text.charCodeAt(this.#at - 1 - backslashes) === BACKSLASH) backslashes++;
      if (backslashes % 2 === 0) break;
    }
    this.#nameFrom = from;
    this.#nameTo = this.#at + 1;
  }

  /** After a member of the innermost long one. Returns whether a piece was parsed. */
  #comma(): boolean {
    const isPiece = this.#innermost.isAfterLong || this.#at - this.#from >= this.#pieceLength;
    if (this.#opened.length > 0 || !isPiece) return false;
    this.#innermost.isEmpty = false;
    this.#parseRun(this.#at);
    this.#from = ++this.#at;
    return true;
  }

  /** Makes what is open in the innermost long one a long one itself, when it is. Returns whether a piece was parsed. */
  #enterLong(): boolean {
    const [entered, ...others] = this.#opened;
    if (!entered || this.#at - this.#from < this.#pieceLength) return false;
    const { at, nameFrom, nameTo } = entered;
    const { opens } = this.#innermost;
    // Its place is taken, so members keep their order.
    this.#parseRun(at, 'null');
    const name = opens === OPEN_OBJECT ? String(JSON.parse(this.#text.slice(nameFrom, nameTo))) : undefined;
    this.#long.push(newLong(this.#text.charCodeAt(at), name));
    this.#opened = others;
    this.#from = at + 1;
    return true;
  }

  #close(character: number): void {
    const ended = this.#innermost;
    if (this.#long.length === 1 || character !== (ended.opens === OPEN_ARRAY ? CLOSE_ARRAY : CLOSE_OBJECT)) {
      throw new SyntaxError('what closes was not opened');
    }
    this.#parseRun(this.#at);
    this.#long.pop();
    const around = this.#innermost;
    set(around.value, ended.name ?? (around.value as unknown[]).length - 1, ended.value);
    around.isAfterLong = true;
    this.#from = ++this.#at;
  }

  /** Adds the members from where the last run ended; `last` stands for a value after them. */
  #parseRun(to: number, last = ''): void {
    const long = this.#innermost;
    const run = this.#text.slice(this.#from, to) + last;
    const members = JSON.parse(long.opens === OPEN_ARRAY ? `[${run}]` : `{${run}}`) as unknown[] | Record<string, unknown>;
    const isNothing = add(members, long.value) === 0;
    // After a long one comes nothing before the next comma or the end; around a comma, something.
    if (isNothing ? !(long.isEmpty || long.isAfterLong) : long.isAfterLong) throw new SyntaxError('a comma too many or too few');
    long.isEmpty = false;
    long.isAfterLong = false;
  }
}

function newLong(opens: number, name: string | undefined): Long {
  return { opens, value: opens === OPEN_ARRAY ? [] : {}, name, isEmpty: true, isAfterLong: false };
}

/** Returns how many there were. */
function add(members: unknown[] | Record<string, unknown>, to: unknown[] | Record<string, unknown>): number {
  if (Array.isArray(to)) {
    for (const member of members as unknown[]) to.push(member);
    return (members as unknown[]).length;
  }
  const names = Object.keys(members);
  for (const name of names) set(to, name, (members as Record<string, unknown>)[name]);
  return names.length;
}

/** As JSON.parse does it: `__proto__` is a name like others. */
function set(target: object, name: string | number, value: unknown): void {
  Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
}
