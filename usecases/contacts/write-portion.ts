import type { ContactImportRow, ContactRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { type ContactWrite, insertContacts, lockContacts } from '../../db/queries/contacts/contacts.ts';
import { contactsByEmail, type ImportedSuppression, newlySuppressed, suppressAll } from '../../db/queries/contacts/import-rows.ts';
import { byEmail, type ContactFields, type Origin } from '../../domain/contacts/contact.ts';
import { type ImportPlan, planRows, type RowOutcome } from '../../domain/contacts/import-plan.ts';
import type { ImportedRow } from '../../domain/contacts/import-row.ts';
import { SUPPRESSION_RULES } from '../../domain/suppressions/suppression.ts';
import { changeContacts } from './change-contacts.ts';
import { noteNewContacts } from './note-new-contacts.ts';

/** What writing needs to know of an import. */
export type WrittenImport = Pick<ContactImportRow, 'id' | 'project_id' | 'settings' | 'dry_run'>;

interface Writing {
  readonly now: Date;
  readonly newId: () => string;
}

/**
 * Makes contacts of rows, set by set, with all that comes with a contact of POST /contacts: counts, events, runs that wait, segments. Nobody is asked to
 * confirm. Of a dry run it only says what would become of them. The answer has an outcome for each row.
 */
export async function writeRows(
  tx: EntityManager,
  rows: readonly ImportedRow[],
  into: WrittenImport,
  { now, newId }: Writing,
): Promise<readonly RowOutcome[]> {
  const { id, project_id: projectId, settings } = into;
  // In the order of the addresses, so that two imports with the same ones cannot wait for each other.
  const emails = [...new Set(rows.map(({ email }) => email))].sort();
  const origin: Origin = { source: 'import', ip: undefined, userAgent: undefined, isNoConsent: true, isSandboxed: false, now };
  const plan = (some: readonly ImportedRow[], existing: ReadonlyMap<string, ContactRow>): ImportPlan =>
    planRows(some, { existing, onExisting: settings.onExisting, origin });
  if (into.dry_run) {
    const { outcomes } = plan(rows, byEmail(await contactsByEmail(tx, projectId, emails)));
    return withSuppressed(rows, outcomes, await newlySuppressed(tx, projectId, suppressionsOf(rows, outcomes)));
  }
  const existing = byEmail(await lockContacts(tx, projectId, { emails }));
  const first = plan(rows, existing);
  const { inserted, raced } = await insertNew(tx, { into, plan: first, existing, emails, now, newId });
  const changed = new Map(existing);
  const after = new Map([...first.after].filter(([email]) => existing.has(email)));
  let { outcomes } = first;
  if (raced.length > 0) {
    // Another call has made them meanwhile: their rows are changes.
    for (const [email, contact] of byEmail(await lockContacts(tx, projectId, { emails: raced }))) changed.set(email, contact);
    const again = rows.filter(({ email }) => raced.includes(email));
    const second = plan(again, changed);
    const outcomeOf = new Map(again.map((row, index) => [row, second.outcomes[index] as RowOutcome]));
    outcomes = rows.map((row, index) => outcomeOf.get(row) ?? (outcomes[index] as RowOutcome));
    for (const [email, fields] of second.after) after.set(email, fields);
  }
  await noteNewContacts(tx, projectId, inserted, origin);
  if (after.size > 0) {
    const before = [...after.keys()].map((email) => changed.get(email) as ContactRow);
    const writes = before.map((contact) => writeOf(contact, after.get(contact.email) as ContactFields));
    await changeContacts(tx, before, writes, { by: { cause: 'import', id }, now });
  }
  const suppressions = suppressionsOf(rows, outcomes);
  const newly = await newlySuppressed(tx, projectId, suppressions);
  await suppressAll(tx, projectId, suppressions, now);
  return withSuppressed(rows, outcomes, newly);
}

interface Inserting extends Writing {
  readonly into: WrittenImport;
  readonly plan: ImportPlan;
  readonly existing: ReadonlyMap<string, ContactRow>;
  readonly emails: readonly string[];
}

/** `raced`: addresses that had no contact a moment ago. */
async function insertNew(
  tx: EntityManager,
  { into, plan, existing, emails, now, newId }: Inserting,
): Promise<{ readonly inserted: readonly ContactRow[]; readonly raced: readonly string[] }> {
  const unknown = emails.filter((email) => plan.after.has(email) && !existing.has(email));
  if (unknown.length === 0) return { inserted: [], raced: [] };
  const brand_id = into.settings.brand;
  const writes = unknown.map((email) => ({ ...(plan.after.get(email) as ContactFields), id: newId(), email, brand_id }));
  const result = await insertContacts(tx, into.project_id, writes, now);
  if (result.state === 'id_taken') throw new Error('an id that was made just now is taken');
  const made = new Set(result.contacts.map(({ email }) => email));
  return { inserted: result.contacts, raced: unknown.filter((email) => !made.has(email)) };
}

function writeOf({ id, email, brand_id }: ContactRow, fields: ContactFields): ContactWrite {
  return { ...fields, id, email, brand_id };
}

/** A row that changed nothing else of a contact than that its address gets no mail has changed it; the first of each address. `newly`: addresses. */
function withSuppressed(rows: readonly ImportedRow[], outcomes: readonly RowOutcome[], newly: readonly string[]): readonly RowOutcome[] {
  const left = new Set(newly);
  if (left.size === 0) return outcomes;
  return outcomes.map((outcome, index) => {
    const { email, suppress } = rows[index] as ImportedRow;
    const isFirst = suppress !== undefined && typeof outcome === 'string' && left.delete(email);
    return isFirst && outcome === 'unchanged' ? 'updated' : outcome;
  });
}

/** Of each address one reason, by the rule of which stays. A row that is refused suppresses nobody. */
function suppressionsOf(rows: readonly ImportedRow[], outcomes: readonly RowOutcome[]): ImportedSuppression[] {
  const reasons = new Map<string, ImportedSuppression['reason']>();
  for (const [index, { email, suppress }] of rows.entries()) {
    if (!suppress || typeof outcomes[index] !== 'string') continue;
    if (!reasons.has(email) || SUPPRESSION_RULES[suppress].replaces) reasons.set(email, suppress);
  }
  return [...reasons].map(([email, reason]) => ({ email, reason }));
}
