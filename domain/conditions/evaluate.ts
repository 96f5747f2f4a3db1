import { normalizeEmail } from '../contacts/email-address.ts';
import type { ContactTexts } from '../contacts/fields.ts';
import { compare, equalityKey } from './compare.ts';
import type { Condition, FieldOp, FieldTest } from './condition.ts';
import { emailKey, emailLookup, eventKey, eventLookup, segmentKey } from './needs.ts';

/** The contact as conditions see it; null is a field that is missing. */
export interface ContactFacts extends ContactTexts {
  readonly status: string;
  readonly email: string;
  readonly source: string;
  /** The brand's slug. */
  readonly brand: string;
  readonly tags: readonly string[];
  readonly created_at: Date;
}

/** All that a condition may ask. What needs the database is looked up before, as `factsNeeded` lists it. */
export interface ConditionFacts {
  readonly contact: ContactFacts;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** The payload of the enrollment's latest event; undefined when there was none. */
  readonly event: unknown;
  /** Whether the contact is in the segment with this `segmentKey`. */
  readonly segments: Pick<ReadonlySet<string>, 'has'>;
  /** `eventKey` of the lookups whose answer is yes. */
  readonly events: ReadonlySet<string>;
  /** `emailKey` of the lookups whose answer is yes. */
  readonly emails: ReadonlySet<string>;
}

type Test = (found: unknown, wanted: unknown) => boolean;

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

/** Of a list in attributes or a payload so many elements count; a contact has at most 100 tags. */
export const MAX_ELEMENTS = 1000;

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

/** What each op says about a field that is there. */
const TESTS: Readonly<Record<FieldOp, Test>> = {
  eq: some(equal),
  ne: not(some(equal)),
  in: some(oneOf),
  not_in: not(some(oneOf)),
  contains,
  not_contains: not(contains),
  starts_with: some(startsWith),
  gt: some(ordered((order) => order > 0)),
  gte: some(ordered((order) => order >= 0)),
  lt: some(ordered((order) => order < 0)),
  lte: some(ordered((order) => order <= 0)),
  exists: () => true,
  not_exists: () => false,
};

/** The ops that hold for a field that is missing. */
export const HOLD_WITHOUT: readonly FieldOp[] = ['not_exists', 'not_in', 'not_contains'];

/** Whether the condition holds. Pure and total: it never throws, whatever attributes and payloads contain. docs/contract/conditions.md 1 to 7. */
export function evaluateCondition(condition: Condition, facts: ConditionFacts): boolean {
  if ('all' in condition) return condition.all.every((each) => evaluateCondition(each, facts));
  if ('any' in condition) return condition.any.some((each) => evaluateCondition(each, facts));
  if ('not' in condition) return !evaluateCondition(condition.not, facts);
  if ('segment' in condition) return facts.segments.has(segmentKey(condition.segment));
  if ('event' in condition) return facts.events.has(eventKey(eventLookup(condition.event)));
  if ('email' in condition) return facts.emails.has(emailKey(emailLookup(condition.email)));
  return holds(condition, facts);
}

function holds({ field, op, value }: FieldTest, facts: ConditionFacts): boolean {
  const found = read(field, facts);
  const wanted = field === 'contact.email' ? asStored(value) : value;
  return found === undefined || found === null ? HOLD_WITHOUT.includes(op) : TESTS[op](found, wanted);
}

const knownAddresses = new WeakMap<readonly unknown[], readonly unknown[]>();

/** An address in a condition means its mailbox, however it is spelled; parts of addresses are left as they are. */
export function asStored(wanted: FieldTest['value']): unknown {
  const stored = (value: unknown): unknown => (typeof value === 'string' ? (normalizeEmail(value) ?? value) : value);
  if (!Array.isArray(wanted)) return stored(wanted);
  const known = knownAddresses.get(wanted) ?? wanted.map(stored);
  knownAddresses.set(wanted, known);
  return known;
}

/** The value of a field; undefined when it is missing. */
function read(field: string, { contact, attributes, event }: ConditionFacts): unknown {
  const [root, ...path] = field.split('.');
  const source = { contact, attributes, event }[root as 'contact' | 'attributes' | 'event'];
  const found = path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined),
    source,
  );
  return found instanceof Date ? found.toISOString() : found;
}
