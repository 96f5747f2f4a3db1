import { type RawBuilder, sql } from 'kysely';
import type { ContactFields, ContactStatus } from '../../../domain/contacts/contact.ts';
import { columnsOf } from '../../columns.ts';
import { FIELD_COLUMNS } from '../../contact-columns.ts';
import { Contact, type ContactRow } from '../../entities/index.ts';
import { violatedUnique } from '../../errors.ts';
import type { EntityManager } from '../../orm.ts';
import { preparedRows, row, rows } from '../../rows.ts';
import { anyOf, tables } from '../../tables.ts';

/** The part of a contact's row that is written, as JSON for one bulk statement. */
export type ContactWrite = ContactFields & { readonly id: string; readonly email: string; readonly brand_id: string };

const WRITTEN = ['id', 'email', 'brand_id', ...FIELD_COLUMNS];
const COLUMNS = sql.join(WRITTEN.map((name) => sql.ref(name)));
const VALUES = sql.join(WRITTEN.map((name) => sql.ref(`w.${name}`)));
const CHANGES = sql.join(FIELD_COLUMNS.map((name) => sql`${sql.ref(name)} = ${sql.ref(`w.${name}`)}`));

export async function findContact(em: EntityManager, projectId: string, id: string): Promise<ContactRow | undefined> {
  return tables(em).selectFrom('contacts').selectAll().where('project_id', '=', projectId).where('id', '=', id).executeTakeFirst();
}

export async function findContactByEmail(em: EntityManager, projectId: string, email: string): Promise<ContactRow | undefined> {
  return tables(em).selectFrom('contacts').selectAll().where('project_id', '=', projectId).where('email', '=', email).executeTakeFirst();
}

/** Of those addresses that the project has contacts for, the id of the contact. */
export async function contactIdsOf(em: EntityManager, projectId: string, emails: readonly string[]): Promise<Map<string, string>> {
  const ofProject = tables(em).selectFrom('contacts').where('project_id', '=', projectId);
  const found = await ofProject.select(['id', 'email']).where('email', '=', anyOf(emails)).execute();
  return new Map(found.map(({ id, email }) => [email, id]));
}

/** Which of these ids contacts of the project have. */
export async function takenIds(em: EntityManager, projectId: string, ids: readonly string[]): Promise<string[]> {
  const ofProject = tables(em).selectFrom('contacts').where('project_id', '=', projectId);
  const taken = await ofProject.select('id').where('id', '=', anyOf(ids)).execute();
  return taken.map(({ id }) => id);
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

/** `id_taken`: by a call that had not committed before. The transaction has failed then. */
export type InsertedContacts = { readonly state: 'inserted'; readonly contacts: ContactRow[] } | { readonly state: 'id_taken' };

/** Inserts those whose address the project does not have yet, in the order given; another call may have inserted the others meanwhile. */
export async function insertContacts(
  tx: EntityManager,
  projectId: string,
  contacts: readonly ContactWrite[],
  now: Date,
): Promise<InsertedContacts> {
  try {
    const inserted = await preparedRows(
      tx,
      sql<{ id: string }>`
        insert into contacts (project_id, ${COLUMNS}, created_at, updated_at)
        select ${projectId}, ${VALUES}, ${now}, ${now} from ${records(contacts)}
        on conflict (project_id, email) do nothing returning id`,
    );
    // Every column is known: to read them all again is a fifth of what a large import costs.
    const made = new Set(inserted.map(({ id }) => id));
    const others = { project_id: projectId, created_at: now, updated_at: now };
    const rowOf = (contact: ContactWrite): ContactRow => ({ ...contact, tags: [...contact.tags], ...others });
    return { state: 'inserted', contacts: contacts.filter(({ id }) => made.has(id)).map(rowOf) };
  } catch (error) {
    if (violatedUnique(error) === 'contacts_pkey') return { state: 'id_taken' };
    throw error;
  }
}

/** Writes all fields of contacts whose rows are locked. */
export async function updateContacts(
  tx: EntityManager,
  projectId: string,
  contacts: readonly ContactWrite[],
  now: Date,
): Promise<ContactRow[]> {
  return rows(
    tx,
    sql<ContactRow>`
      update contacts c set ${CHANGES}, updated_at = ${now}
      from ${records(contacts)} where c.id = w.id and c.project_id = ${projectId} returning c.*`,
  );
}

/** Undefined when the contact is gone. */
export async function setContactStatus(
  tx: EntityManager,
  contact: Pick<ContactRow, 'id' | 'project_id'>,
  status: ContactStatus,
  now: Date,
): Promise<ContactRow | undefined> {
  const stored = tables(tx).updateTable('contacts').where('id', '=', contact.id).where('project_id', '=', contact.project_id);
  return stored.set({ status, updated_at: now }).returningAll().executeTakeFirst();
}

function records(contacts: readonly ContactWrite[]): RawBuilder<unknown> {
  // By jsonb, of which nothing is kept, it would take a third longer.
  return sql`json_populate_recordset(null::contacts, ${JSON.stringify(contacts)}::json) w`;
}
