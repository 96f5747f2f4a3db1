import { setImmediate } from 'node:timers/promises';
import { type Issue, invalidRequest, MAX_ISSUES, Refusal } from '../../domain/errors.ts';
import { pathText } from '../../domain/issues.ts';

/** What was found in the text of a JSON value. */
export interface ReadJson {
  readonly text: string;
  /** Numbers that would not be read as they are written; no more than MAX_ISSUES are looked for. */
  readonly lostNumbers: readonly Issue[];
}

/**
 * The value, in whose texts PostgreSQL can hold every character. Of a large one others have a turn in between. Throws invalid_request; `root` names
 * the value itself.
 */
export async function kept(value: object, { text, lostNumbers }: ReadJson, root: string): Promise<unknown> {
  if (lostNumbers.length > 0) throw invalidRequest(lostNumbers);
  return TROUBLESOME.test(text) ? await inTurns(new Repair(root).of(value)) : value;
}

/** The same, where each element of the member `name` is refused alone: its Refusal stands in its place, with paths that begin there. */
export async function keptEach(value: object, { text, lostNumbers }: ReadJson, name: string): Promise<unknown> {
  const isTroublesome = TROUBLESOME.test(text);
  if (!isTroublesome && lostNumbers.length === 0) return value;
  const elements = Reflect.get(value, name) as unknown;
  // Of more lost numbers than are told it is not known where they are.
  if (!Array.isArray(elements) || lostNumbers.length >= MAX_ISSUES) return await kept(value, { text, lostNumbers }, '');
  const lostIn = Map.groupBy(lostNumbers, ({ path }) => Number(new RegExp(`^${name}\\[(\\d+)\\]`).exec(path)?.[1] ?? -1));
  const rest = (await kept({ ...value, [name]: [] }, { text, lostNumbers: lostIn.get(-1) ?? [] }, '')) as object;
  const read: unknown[] = [];
  for (const [index, element] of elements.entries()) {
    try {
      const lost = lostIn.get(index)?.map((issue) => ({ ...issue, path: issue.path.slice(`${name}[${index}]`.length).replace(/^\./, '') }));
      if (lost) throw invalidRequest(lost);
      read.push(isTroublesome ? await inTurns(new Repair('').of(element)) : element);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      read.push(error);
    }
  }
  return { ...rest, [name]: read };
}

/** An escape for NUL, or for half of a surrogate pair. */
const TROUBLESOME = /\\u(?:0000|d[89a-f])/i;

/** So many values are looked at in one turn, which takes a few milliseconds. */
const TURN_VALUES = 5000;

async function inTurns<T>(steps: Generator<void, T>): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await setImmediate();
  }
}

/** PostgreSQL refuses NUL in texts and lone surrogates in JSON: the first is a 422, the second become U+FFFD. */
class Repair {
  readonly #root: string;
  readonly #path: (string | number)[] = [];
  #values = 0;

  constructor(root: string) {
    this.#root = root;
  }

  /** Yields where others may have a turn. Throws invalid_request. */
  *of(value: unknown): Generator<void, unknown> {
    if (++this.#values % TURN_VALUES === 0) yield;
    if (typeof value === 'string') return this.#text(value);
    if (value === null || typeof value !== 'object') return value;
    const isArray = Array.isArray(value);
    const repaired: [string, unknown][] = [];
    for (const [name, member] of Object.entries(value)) {
      const known = isArray ? name : this.#text(name);
      this.#path.push(isArray ? Number(name) : name);
      repaired.push([known, yield* this.of(member)]);
      this.#path.pop();
    }
    return isArray ? repaired.map(([, member]) => member) : Object.fromEntries(repaired);
  }

  #text(text: string): string {
    if (text.includes('\0')) throw invalidRequest([{ path: pathText(this.#path, this.#root), message: 'NUL characters are not possible' }]);
    return text.toWellFormed();
  }
}
