import { isDeepStrictEqual } from 'node:util';
import { type RawBuilder, sql } from 'kysely';
import type { ConsentCause } from '../../../domain/contacts/consent.ts';
import {
  attributesProblem,
  type ContactFields,
  type ContactInput,
  changeContact,
  newContact,
  type Origin,
} from '../../../domain/contacts/contact.ts';
import { type Issue, invalidRequest, noBrand, noSuchBrand } from '../../../domain/errors.ts';
import { columnsOf } from '../../columns.ts';
import { FIELD_COLUMNS, SEEN_COLUMNS } from '../../contact-columns.ts';
import { Contact, type ContactRow } from '../../entities/index.ts';
import { violatedUnique } from '../../errors.ts';
import type { EntityManager } from '../../orm.ts';
import { hotRows, row, rows } from '../../rows.ts';
import { anyOf, tables } from '../../tables.ts';
import { brandSlugs } from '../projects/brands.ts';
import { wakeWatchers } from '../sequences/enrollment-wakes.ts';
import { emitAll, statusEvents } from '../webhooks/emit.ts';
import { keepConsentChanges } from './consent-changes.ts';

export interface ContactUpsert {
  readonly projectId: string;
  readonly defaultBrand: string | null;
  readonly inputs: readonly ContactInput[];
  /** Whether the caller sent an array: the paths of problems are then like `contacts[3].email`. */
  readonly isList: boolean;
  readonly origin: Origin;
  readonly newId: () => string;
}

/** The part of a contact's row that an upsert writes, as JSON for one bulk statement. */
type Write = ContactFields & { readonly id: string; readonly email: string; readonly brand_id: string };

const WRITTEN = ['id', 'email', 'brand_id', ...FIELD_COLUMNS];
const COLUMNS = sql.join(WRITTEN.map((name) => sql.ref(name)));
const VALUES = sql.join(WRITTEN.map((name) => sql.ref(`w.${name}`)));
const CHANGES = sql.join(FIELD_COLUMNS.map((name) => sql`${sql.ref(name)} = ${sql.ref(`w.${name}`)}`));

/**
 * Creates or updates contacts by email, all or nothing; the same email twice is applied in order. The answer has one row an input,
 * each the final contact. The rows stay locked until the transaction of `tx` ends, which serialises whatever else the caller does
 * with these contacts.
 */
export async function upsertContacts(tx: EntityManager, upsert: ContactUpsert): Promise<ContactRow[]> {
  const { projectId, inputs } = upsert;
  if (!upsert.defaultBrand) throw noBrand();
  await refuseUnknownBrands(tx, upsert);
  // In the order of the addresses, so that two calls with the same ones cannot wait for each other.
  const emails = [...new Set(inputs.map(({ email }) => email))].sort();
  const existing = await lockByEmail(tx, projectId, emails);
  const unknown = emails.filter((email) => !existing.has(email));
  const inserted = await insertContacts(tx, upsert, unknown);
  // Another call has inserted the row meanwhile; what is left of the input is a change to it.
  const raced = unknown.filter((email) => !inserted.has(email));
  if (raced.length > 0) for (const [email, contact] of await lockByEmail(tx, projectId, raced)) existing.set(email, contact);
  // Inserted as unsubscribed is no move into it (decisions.md 11.3).
  const subscribed = [...inserted.values()].filter(({ status }) => status === 'subscribed');
  await emitAll(tx, projectId, subscribed.flatMap(statusEvents));
  const changed = await changeContacts(tx, upsert, existing);
  return inputs.map(({ email }) => (inserted.get(email) ?? changed.get(email)) as ContactRow);
}

export async function findContact(em: EntityManager, projectId: string, id: string): Promise<ContactRow | undefined> {
  return tables(em).selectFrom('contacts').selectAll().where('project_id', '=', projectId).where('id', '=', id).executeTakeFirst();
}

/** Which of the addresses the project has contacts for. */
export async function knownEmails(em: EntityManager, projectId: string, emails: readonly string[]): Promise<Set<string>> {
  const ofProject = tables(em).selectFrom('contacts').where('project_id', '=', projectId);
  const found = await ofProject.select('email').where('email', '=', anyOf(emails)).execute();
  return new Set(found.map(({ email }) => email));
}

/** The contact with its row locked until the transaction ends. */
export async function lockContact(
  tx: EntityManager,
  projectId: string,
  who: { readonly contactId: string } | { readonly email: string },
): Promise<ContactRow | undefined> {
  const found = 'contactId' in who ? sql`id = ${who.contactId}` : sql`email = ${who.email}`;
  return row(tx, sql<ContactRow>`select * from contacts where project_id = ${projectId} and ${found} for update`);
}

/** Each contact once, locked in the order of the addresses, as every other call locks them. Unknown ones are left out. */
export async function lockContacts(
  tx: EntityManager,
  projectId: string,
  who: { readonly ids: readonly string[] } | { readonly emails: readonly string[] },
): Promise<ContactRow[]> {
  const asked = 'ids' in who ? sql`unnest(${who.ids}::uuid[])` : sql`unnest(${who.emails}::text[])`;
  const column = sql.ref('ids' in who ? 'id' : 'email');
  // Each looked up by its index: of a project that has just begun to grow a plan would read every contact, once for each that is asked. Planned
  // each time: a plan that was kept from when there were few would go on reading them all.
  return rows(
    tx,
    sql<ContactRow>`
      select c.* from (
        select distinct f.email, f.id from ${asked} a(value)
        cross join lateral (select id, email from contacts where project_id = ${projectId} and ${column} = a.value limit 1) f order by f.email
      ) found cross join lateral (select ${columnsOf(Contact, 'c')} from contacts c where c.project_id = ${projectId} and c.id = found.id for update) c`,
  );
}

async function refuseUnknownBrands(tx: EntityManager, upsert: ContactUpsert): Promise<void> {
  const { projectId, inputs } = upsert;
  const wanted = [...new Set(inputs.flatMap(({ brand }) => brand ?? []))];
  if (wanted.length === 0) return;
  const slugs = new Set(await brandSlugs(tx, projectId));
  refuse(inputs.flatMap(({ brand }, index) => (brand && !slugs.has(brand) ? [noSuchBrand(pathAt(upsert, index, 'brand'))] : [])));
}

async function lockByEmail(tx: EntityManager, projectId: string, emails: readonly string[]): Promise<Map<string, ContactRow>> {
  const found = await lockContacts(tx, projectId, { emails });
  return new Map(found.map((contact) => [contact.email, contact]));
}

async function insertContacts(tx: EntityManager, upsert: ContactUpsert, emails: readonly string[]): Promise<Map<string, ContactRow>> {
  if (emails.length === 0) return new Map();
  const { projectId, inputs, origin, newId } = upsert;
  const wanted = new Map<string, Write>();
  const missing = new Set(emails);
  inputs.forEach((input, index) => {
    const { email } = input;
    if (!missing.has(email)) return;
    const before = wanted.get(email);
    const after: Write = before
      ? { ...before, ...changeContact(before, input, origin.now) }
      : { ...newContact(input, origin), id: input.id ?? newId(), email, brand_id: input.brand ?? (upsert.defaultBrand as string) };
    refuseAttributes(upsert, index, after);
    wanted.set(email, after);
  });
  const writes = emails.map((email) => wanted.get(email) as Write);
  await refuseTakenIds(tx, upsert, writes);
  try {
    const inserted = await hotRows(
      tx,
      sql<ContactRow>`
        insert into contacts as c (project_id, ${COLUMNS}, created_at, updated_at)
        select ${projectId}, ${VALUES}, ${origin.now}, ${origin.now} from ${records(writes)}
        on conflict (project_id, email) do nothing returning ${columnsOf(Contact, 'c')}`,
    );
    return new Map(inserted.map((contact) => [contact.email, contact]));
  } catch (error) {
    // Taken since the look before, by a call that had not committed then.
    if (violatedUnique(error) === 'contacts_pkey') throw invalidRequest([issueAt(upsert, 0, 'id', 'an id is already taken')]);
    throw error;
  }
}

/** Looked for before the insert, which the first taken one would end together with the transaction. */
async function refuseTakenIds(tx: EntityManager, upsert: ContactUpsert, writes: readonly Write[]): Promise<void> {
  if (!upsert.inputs.some(({ id }) => id)) return;
  const ids = writes.map(({ id }) => id);
  const ofProject = tables(tx).selectFrom('contacts').where('project_id', '=', upsert.projectId);
  const taken = await ofProject.select('id').where('id', '=', anyOf(ids)).execute();
  const repeated = ids.filter((id, index) => ids.indexOf(id) !== index);
  const unusable = new Set([...taken.map(({ id }) => id), ...repeated]);
  refuse(
    upsert.inputs.flatMap(({ id }, index) => (id && unusable.has(id) ? [issueAt(upsert, index, 'id', 'this id is already taken')] : [])),
  );
}

async function changeContacts(
  tx: EntityManager,
  upsert: ContactUpsert,
  existing: ReadonlyMap<string, ContactRow>,
): Promise<Map<string, ContactRow>> {
  if (existing.size === 0) return new Map();
  const { inputs, origin } = upsert;
  const wanted = new Map<string, Write>();
  inputs.forEach((input, index) => {
    const stored = existing.get(input.email);
    if (!stored) return;
    const before = (wanted.get(input.email) ?? stored) as Write;
    const after = { ...pickIdentity(stored), ...changeContact(before, input, origin.now) };
    if (input.attributes) refuseAttributes(upsert, index, after);
    wanted.set(input.email, after);
  });
  const by = { cause: 'api_call', id: origin.keyId ?? null } as const;
  const changed = await writeContacts(tx, [...existing.values()], [...wanted.values()], { by, now: origin.now });
  return new Map(changed.map((contact) => [contact.email, contact]));
}

/** Writes one contact whose row is locked, as a run of a sequence has changed it. */
export async function writeContact(tx: EntityManager, before: ContactRow, after: ContactRow, how: Writing): Promise<void> {
  await writeContacts(tx, [before], [after], how);
}

/** By what contacts are written, and when. */
interface Writing {
  readonly by: ConsentCause;
  readonly now: Date;
}

/**
 * The one way that existing contacts change: it keeps what changed of status and consent, emits the events of a changed status and wakes the
 * enrollments that watch them.
 */
async function writeContacts(
  tx: EntityManager,
  before: readonly ContactRow[],
  after: readonly Write[],
  { by, now }: Writing,
): Promise<ContactRow[]> {
  const [{ project_id: projectId } = { project_id: '' }] = before;
  const changed = await rows(
    tx,
    sql<ContactRow>`
      update contacts c set ${CHANGES}, updated_at = ${now}
      from ${records(after)} where c.id = w.id and c.project_id = ${projectId} returning c.*`,
  );
  const stored = new Map(before.map((contact) => [contact.id, contact]));
  const pairs = changed.map((contact) => [stored.get(contact.id) as ContactRow, contact] as const);
  await keepConsentChanges(tx, pairs, by, now);
  const moved = changed.filter(({ id, status }) => stored.get(id)?.status !== status);
  await emitAll(tx, projectId, moved.flatMap(statusEvents));
  const different = changed.filter((contact) => !looksTheSame(contact, stored.get(contact.id)));
  await wakeWatchers(
    tx,
    projectId,
    different.map(({ id }) => id),
  );
  return changed;
}

/** Whether no condition could tell the two apart. */
function looksTheSame(a: ContactRow, b: ContactRow | undefined): boolean {
  return b !== undefined && SEEN_COLUMNS.every((name) => isDeepStrictEqual(a[name], b[name]));
}

function pickIdentity({ id, email, brand_id }: ContactRow): Pick<Write, 'id' | 'email' | 'brand_id'> {
  return { id, email, brand_id };
}

function records(writes: readonly Write[]): RawBuilder<unknown> {
  return sql`jsonb_populate_recordset(null::contacts, ${JSON.stringify(writes)}::jsonb) w`;
}

function refuseAttributes(upsert: ContactUpsert, index: number, write: Write): void {
  const problem = attributesProblem(write.attributes);
  if (problem) refuse([issueAt(upsert, index, 'attributes', problem)]);
}

function issueAt({ isList }: ContactUpsert, index: number, field: string, message: string): Issue {
  return { path: pathAt({ isList }, index, field), message };
}

function pathAt({ isList }: Pick<ContactUpsert, 'isList'>, index: number, field: string): string {
  return isList ? `contacts[${index}].${field}` : field;
}

function refuse(issues: readonly Issue[]): void {
  if (issues.length > 0) throw invalidRequest(issues);
}
