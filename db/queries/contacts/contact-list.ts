import { type RawBuilder, sql } from 'kysely';
import type { ContactStatus } from '../../../domain/contacts/contact.ts';
import { type KeysetPage, type Place, pageOf, type Reach } from '../../cursor-page.ts';
import type { ContactRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { row, rows } from '../../rows.ts';
import { searchPage } from '../../search.ts';
import { contains, mayContain, rareParts } from '../../text-search.ts';
import { counter } from '../operations/counters.ts';
import { sumUpDeltas } from '../operations/sum-up.ts';

export interface ContactFilter {
  readonly status?: ContactStatus | undefined;
  readonly tag?: string | undefined;
  /** The whole address, normalized. */
  readonly email?: string | undefined;
  /** Part of the email or of a name, without regard to case; `%` and `_` are themselves. */
  readonly q?: string | undefined;
}

/** kept: matches are not counted where that takes time. */
export type ContactCounts = 'all' | 'kept';

/** With `kept` no more of what an index finds are counted. */
const MOST_COUNTED = 1_000;

type CountedPage = KeysetPage<ContactRow> & { readonly totalCount: number | null };

/** One page, newest first, beside the exact number of all that match; null: it was not counted. */
export async function listContacts(
  em: EntityManager,
  projectId: string,
  filter: ContactFilter,
  place: Place,
  counts: ContactCounts = 'all',
): Promise<CountedPage> {
  const { q } = filter;
  if (q) return listFound(em, projectId, { ...filter, q }, place, counts);
  const list = listOf(projectId, filter);
  const wanted = wantedOf(filter);
  const page = wanted
    ? await searchPage<ContactRow>(
        em,
        { table: 'contacts', list, wanted, near: NEAR_TAG, byIndex: (reach) => rows(em, inNoOrder(sql`${list} and ${wanted}`, reach)) },
        place,
      )
    : await pageOf(place, (bounds) => rows(em, sql<ContactRow>`select * from contacts where ${list} and ${bounds}`));
  const total = await row(em, sql<{ count: number }>`${totalOf(projectId, filter)}`);
  return { ...page, totalCount: total?.count ?? 0 };
}

/** A search for a text counts its matches, beside the page where it has to find all of them for it. */
async function listFound(
  em: EntityManager,
  projectId: string,
  filter: ContactFilter & { readonly q: string },
  place: Place,
  counts: ContactCounts,
): Promise<CountedPage> {
  const list = listOf(projectId, filter);
  const wanted = wantedOf(filter) ?? sql`true`;
  const indexed = await mayMatch(em, projectId, filter.q);
  const isWhole = counts === 'all' || place.from !== undefined;
  const matches = sql`
    select id, project_id, created_at + interval '0' as created_at from contacts where ${list} and ${indexed} and ${wanted}`;
  let totalCount: number | null | undefined;
  const byIndex = async (reach: Reach): Promise<ContactRow[]> => {
    const found = await rows(em, counted(isWhole ? matches : firstOf(matches, reach), reach));
    const total = found[0]?.total;
    totalCount = counts === 'kept' && total !== undefined && total > MOST_COUNTED ? null : total;
    return found.flatMap(({ total: _, ...contact }) => (contact.id === null ? [] : [contact as ContactRow]));
  };
  const page = await searchPage<ContactRow>(em, { table: 'contacts', list, wanted, near: NEAR_TEXT, byIndex }, place);
  if (totalCount === undefined) totalCount = counts === 'kept' ? null : await countOf(em, matches);
  return { ...page, totalCount };
}

async function countOf(em: EntityManager, matches: RawBuilder<unknown>): Promise<number> {
  return (await row(em, sql<{ count: number }>`select count(*) as count from (${matches}) matches`))?.count ?? 0;
}

/** By an order that no index has, so that the index of what is wanted is the one that is read. Contacts are called `near`, as in `searchPage`. */
export function inNoOrder(wanted: RawBuilder<unknown>, { beyond, nearestFirst, limit }: Reach): RawBuilder<ContactRow> {
  return sql`
    with found as materialized (
      select id, project_id from (
        select id, project_id, created_at + interval '0' as created_at from contacts near where ${wanted} and ${beyond}) unordered
      ${nearestFirst} limit ${limit})
    select c.* from found join contacts c using (id, project_id) ${nearestFirst}`;
}

/** Of a first page: enough of them for it, and to tell whether they are too many to count. Those that are not are neither handed on nor counted. */
function firstOf(matches: RawBuilder<unknown>, { nearestFirst, limit }: Reach): RawBuilder<unknown> {
  return sql`select * from (${matches}) unordered ${nearestFirst} limit ${Math.max(limit, MOST_COUNTED + 1)}`;
}

/** Has one row at least, for the number. */
function counted(
  matches: RawBuilder<unknown>,
  { beyond, nearestFirst, limit }: Reach,
): RawBuilder<Partial<ContactRow> & { readonly total: number }> {
  return sql`
    with found as materialized (${matches}),
    page as materialized (select id, project_id from found where ${beyond} ${nearestFirst} limit ${limit})
    select counted.total, c.* from (select count(*) as total from found) counted
    left join (page join contacts c using (id, project_id)) on true ${nearestFirst}`;
}

/** Of all contacts, of those of a status and of those with a tag the number is kept; others are counted. */
function totalOf(projectId: string, filter: ContactFilter): RawBuilder<unknown> {
  const { status, tag, email } = filter;
  if (email !== undefined) {
    return sql`select count(*) as count from contacts where ${listOf(projectId, filter)} and ${wantedOf(filter) ?? sql`true`}`;
  }
  return sql`select ${counter(projectId, { tag, statuses: status && [status] })} as count`;
}

function listOf(projectId: string, { status, email }: ContactFilter): RawBuilder<unknown> {
  const conditions = [sql`project_id = ${projectId}`];
  if (status) conditions.push(sql`status = ${status}`);
  if (email !== undefined) conditions.push(sql`email = ${email}`);
  return sql.join(conditions, sql` and `);
}

/** What an index of texts tells of a search among the contacts of a project: those that match are among these. */
export async function mayMatch(em: EntityManager, projectId: string, q: string): Promise<RawBuilder<unknown>> {
  const parts = await rareParts(em, { table: 'contacts', list: sql`project_id = ${projectId}`, columns: TEXTS }, q);
  return sql`(${mayContain(INDEXED_EMAIL, parts)} or ${mayContain(INDEXED_NAMES, parts)})`;
}

/** The condition for a tag and a text; undefined when neither is asked for. */
export function wantedOf({ tag, q }: Pick<ContactFilter, 'tag' | 'q'>): RawBuilder<unknown> | undefined {
  const conditions: RawBuilder<unknown>[] = [];
  if (tag !== undefined) conditions.push(sql`tags @> array[${tag}]`);
  if (q) conditions.push(contains(TEXTS, q));
  return conditions.length === 0 ? undefined : sql.join(conditions, sql` and `);
}

/** A page of what one contact in two hundred has is among so many; texts take longer to look at. */
const NEAR_TAG = 10_000;
const NEAR_TEXT = 2_500;

const TEXTS = ['email', 'first_name', 'last_name', 'display_name'];
/** As the index has them. */
const INDEXED_EMAIL = sql`email`;
const INDEXED_NAMES = sql`coalesce(first_name, '') || E'\n' || coalesce(last_name, '') || E'\n' || coalesce(display_name, '')`;

/** Sums the kept numbers up, so that reading them stays quick. */
export async function sumUpContactCounts(em: EntityManager): Promise<void> {
  await sumUpDeltas(em, 'contact_counts', ['project_id', 'status']);
  await row(
    em,
    sql`
      with added as (
        delete from contact_tag_counts where id in (select id from contact_tag_counts where not is_sum order by id limit ${TAG_COUNTS_AT_ONCE})
        returning project_id, tag, status, delta),
      changed as (select project_id, tag, status, sum(delta) as delta from added group by project_id, tag, status),
      sums as (
        delete from contact_tag_counts t using changed c
        where t.is_sum and (t.project_id, t.tag, t.status) = (c.project_id, c.tag, c.status)
        returning t.project_id, t.tag, t.status, t.delta)
      insert into contact_tag_counts (project_id, tag, status, delta, is_sum)
      select project_id, tag, status, sum(delta), true from (select * from changed union all select * from sums) summed
      group by project_id, tag, status having sum(delta) <> 0`,
  );
}

/** Tags may be as many as contacts, so only what was added since the last time is looked at. */
const TAG_COUNTS_AT_ONCE = 50_000;
