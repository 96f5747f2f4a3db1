import { normalizeEmail } from '../contacts/email-address.ts';
import type { ContactTexts } from '../contacts/fields.ts';
import type { Condition, FieldTest } from './condition.ts';
import { emailKey, emailLookup, eventKey, eventLookup, segmentKey } from './needs.ts';
import { OPS } from './ops.ts';

/** The contact as conditions see it; null is a field that is missing. */
export interface ContactFacts extends ContactTexts {
  readonly status: string;
  readonly email: string;
  readonly source: string;
  /** The brand's slug. */
  readonly brand: string;
  readonly tags: readonly string[];
  /** Whether mails of a topic go to the contact, by its key: of those topics that conditions ask for. */
  readonly topics: Readonly<Record<string, boolean>>;
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
  const { test, holdsWithout = false } = OPS[op];
  return found === undefined || found === null ? holdsWithout : test(found, wanted);
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
