import { attributesProblem, type ContactFields, changeContact, newContact, type Origin } from './contact.ts';
import { CONTACT_TEXT_COLUMNS } from './fields.ts';
import type { ImportSettings } from './import.ts';
import type { ImportedRow, RefusedRow } from './import-row.ts';
import { MAX_TAGS } from './tags.ts';

/** What becomes of one row: in the counts, or why it is refused after all. */
export type RowOutcome = 'inserted' | 'updated' | 'unchanged' | RefusedRow;

/** What rows come to together. */
export interface ImportPlan {
  /** Of each row, in their order. */
  readonly outcomes: readonly RowOutcome[];
  /** The contacts that are new or changed, as they are after all of their rows. */
  readonly after: ReadonlyMap<string, ContactFields>;
}

interface Planning extends Pick<ImportSettings, 'onExisting'> {
  /** Contacts that there are, by address. */
  readonly existing: ReadonlyMap<string, ContactFields>;
  readonly origin: Origin;
}

/**
 * Applies rows in their order to the contacts that there are. No row takes a "no" back: who has unsubscribed or bounced stays so, and a topic that
 * is off stays off, whichever row comes first.
 */
export function planRows(rows: readonly ImportedRow[], { existing, onExisting, origin }: Planning): ImportPlan {
  const after = new Map<string, ContactFields>();
  const outcomes = rows.map((row): RowOutcome => {
    const before = after.get(row.email) ?? existing.get(row.email);
    const next = before ? changed(before, onExisting === 'skip' ? refusalsOf(row) : row, origin.now) : added(row, origin);
    const refused = agreedLater(row, origin.now) ?? limitsOf(next, row.email);
    if (refused) return refused;
    if (before && isSame(before, next)) return 'unchanged';
    after.set(row.email, next);
    return before ? 'updated' : 'inserted';
  });
  return { outcomes, after };
}

function added(row: ImportedRow, origin: Origin): ContactFields {
  return withConsentOf(row, newContact(row, origin), undefined);
}

function changed(before: ContactFields, row: ImportedRow, now: Date): ContactFields {
  const tags = row.tags.filter((tag) => !before.tags.includes(tag));
  const merged = { ...row, tags: tags.length > 0 ? [...before.tags, ...tags] : undefined };
  return withConsentOf(row, changeContact(before, merged, now), before);
}

/** What a row says against mail, which counts for contacts that are skipped, too. */
function refusalsOf({ email, status, topics }: ImportedRow): ImportedRow {
  const off = Object.entries(topics ?? {}).filter(([, isOn]) => !isOn);
  return {
    email,
    tags: [],
    status: status === 'unsubscribed' || status === 'bounced' ? status : undefined,
    topics: off.length > 0 ? Object.fromEntries(off) : undefined,
  };
}

/** The consent of a row is one of its own, of which nothing is known but what the file says; one that there is already is left as it is. */
function withConsentOf({ consent, consentAt }: ImportedRow, after: ContactFields, before: ContactFields | undefined): ContactFields {
  if (!consent) return after;
  const given = {
    ...(consent.source !== undefined && { consent_source: consent.source }),
    ...(consent.ip !== undefined && { consent_ip: consent.ip }),
    ...(consent.userAgent !== undefined && { consent_user_agent: consent.userAgent }),
    ...(consentAt && { consent_at: consentAt }),
  };
  if (before && isGiven(before, given)) return { ...after, ...consentOf(before) };
  return { ...after, consent_source: null, consent_ip: null, consent_user_agent: null, consent_at: null, ...given };
}

type ConsentRecord = Pick<ContactFields, 'consent_source' | 'consent_ip' | 'consent_user_agent' | 'consent_at'>;

function consentOf({ consent_source, consent_ip, consent_user_agent, consent_at }: ContactFields): ConsentRecord {
  return { consent_source, consent_ip, consent_user_agent, consent_at };
}

/** Whether a record says all that is given. */
function isGiven(record: ConsentRecord, { consent_at: at, ...given }: Partial<ConsentRecord>): boolean {
  const names = Object.keys(given) as (keyof typeof given)[];
  return names.every((name) => record[name] === given[name]) && (!at || record.consent_at?.getTime() === at.getTime());
}

const A_DAY_MS = 86_400_000;

/** A day of whatever zone may be that of now. */
function agreedLater({ consentAt, email }: ImportedRow, now: Date): RefusedRow | undefined {
  if (!consentAt || consentAt.getTime() <= now.getTime() + A_DAY_MS) return undefined;
  return { reason: 'invalid_value', column: 'consent.at', message: `${consentAt.toISOString()} is yet to come`, email };
}

function limitsOf({ tags, attributes }: ContactFields, email: string): RefusedRow | undefined {
  if (tags.length > MAX_TAGS) return { reason: 'too_many_tags', column: null, message: `at most ${MAX_TAGS} tags`, email };
  const problem = Object.keys(attributes).length > 0 ? attributesProblem(attributes) : undefined;
  return problem === undefined ? undefined : { reason: 'attributes_too_large', column: null, message: problem, email };
}

function isSame(a: ContactFields, b: ContactFields): boolean {
  return (
    a.status === b.status &&
    a.source === b.source &&
    CONTACT_TEXT_COLUMNS.every((column) => a[column] === b[column]) &&
    a.tags.length === b.tags.length &&
    isSameRecord(a.attributes, b.attributes) &&
    isSameRecord(a.topics, b.topics) &&
    a.consent_source === b.consent_source &&
    a.consent_ip === b.consent_ip &&
    a.consent_user_agent === b.consent_user_agent &&
    a.consent_at?.getTime() === b.consent_at?.getTime()
  );
}

/** Of values that no cell can be, what was not written is the same one. */
function isSameRecord(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): boolean {
  if (a === b) return true;
  const names = Object.keys(b);
  return names.length === Object.keys(a).length && names.every((name) => Object.hasOwn(a, name) && a[name] === b[name]);
}
