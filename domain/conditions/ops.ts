import { compare, equalityKey } from './compare.ts';

/** What an op is written with: no value, a list of them, one that has an order, a text, one that is not empty, or any one. */
export type OpValue = 'none' | 'list' | 'ordered' | 'text' | 'filled' | 'any';

/** Of a field that is there, and what it is compared with. */
type Test = (found: unknown, wanted: unknown) => boolean;

/** One way to compare a field with a value: docs/contract/conditions.md 2, 6, 7 and 9. */
interface Op {
  readonly value: OpValue;
  readonly test: Test;
  /** It holds for a field that is missing. */
  readonly holdsWithout?: true;
}

/** Of a list in attributes or a payload so many elements count; a contact has fewer tags. */
export const MAX_ELEMENTS = 1000;

const equal: Test = (found, wanted) => compare(found, wanted) === 0;
const oneOf: Test = (found, wanted) => {
  const key = equalityKey(found);
  return Array.isArray(wanted) && key !== undefined && keysOf(wanted).has(key);
};
const includes: Test = (found, wanted) => typeof found === 'string' && typeof wanted === 'string' && found.includes(wanted);
const startsWith: Test = (found, wanted) => typeof found === 'string' && typeof wanted === 'string' && found.startsWith(wanted);
const ordered =
  (holds: (order: number) => boolean): Test =>
  (found, wanted) => {
    const order = compare(found, wanted);
    return order !== undefined && holds(order);
  };

const knownKeys = new WeakMap<readonly unknown[], ReadonlySet<string>>();

/** Made once for each list of a graph, so that looking for a value takes no longer in a long one. */
function keysOf(wanted: readonly unknown[]): ReadonlySet<string> {
  const known = knownKeys.get(wanted);
  if (known) return known;
  const keys = new Set(wanted.flatMap((value) => equalityKey(value) ?? []));
  knownKeys.set(wanted, keys);
  return keys;
}

/** A list passes a test when one of its elements does, so it fails `ne` when one of them is equal. */
const some =
  (test: Test): Test =>
  (found, wanted) =>
    Array.isArray(found) ? found.slice(0, MAX_ELEMENTS).some((each) => test(each, wanted)) : test(found, wanted);

/** A text contains another inside it, a list a whole element. */
const contains: Test = (found, wanted) => (Array.isArray(found) ? some(equal)(found, wanted) : includes(found, wanted));

const not =
  (test: Test): Test =>
  (found, wanted) =>
    !test(found, wanted);

const NAMED = {
  eq: { value: 'any', test: some(equal) },
  ne: { value: 'any', test: not(some(equal)) },
  in: { value: 'list', test: some(oneOf) },
  not_in: { value: 'list', test: not(some(oneOf)), holdsWithout: true },
  contains: { value: 'filled', test: contains },
  not_contains: { value: 'filled', test: not(contains), holdsWithout: true },
  starts_with: { value: 'text', test: some(startsWith) },
  gt: { value: 'ordered', test: some(ordered((order) => order > 0)) },
  gte: { value: 'ordered', test: some(ordered((order) => order >= 0)) },
  lt: { value: 'ordered', test: some(ordered((order) => order < 0)) },
  lte: { value: 'ordered', test: some(ordered((order) => order <= 0)) },
  exists: { value: 'none', test: () => true },
  not_exists: { value: 'none', test: () => false, holdsWithout: true },
} satisfies Readonly<Record<string, Op>>;

export type FieldOp = keyof typeof NAMED;

/** Every op. A new one is an entry here; `db/queries/conditions/condition-sql.ts` says the same in SQL. */
export const OPS: Readonly<Record<FieldOp, Op>> = NAMED;
export const FIELD_OPS = Object.keys(NAMED) as readonly FieldOp[];
