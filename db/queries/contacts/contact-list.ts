import { type RawBuilder, sql } from 'kysely';
import type { ContactStatus } from '../../../domain/contacts/contact.ts';
import { type KeysetPage, type Place, pageOf, type Reach } from '../../cursor-page.ts';
import type { ContactRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { row, rows } from '../../rows.ts';
import { searchPage } from '../../search.ts';
import { contains, hasTrigrams, mayContain, rareParts } from '../../text-search.ts';
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
  const { indexed, isIndexed } = await mayMatch(em, projectId, filter.q);
  const isFirst = place.from === undefined;
  const matching = sql`${list} and ${indexed} and ${wanted}`;
  const matches = sql`select id, project_id, created_at + interval '0' as created_at from contacts where ${matching}`;
  let totalCount: number | null | undefined;
  const byIndex = async (reach: Reach): Promise<ContactRow[]> => {
    if (counts === 'kept' && !isFirst) totalCount = keptOf(await countOf(em, upTo(MOST_COUNTED + 1, matches)));
    if (counts === 'kept' && isIndexed) {
      const newest = await findNewest(em, { list: sql`${list} and ${indexed}`, filter }, reach);
      if (newest.isAll || newest.total >= (isFirst ? Math.max(reach.limit, MOST_COUNTED + 1) : reach.limit)) {
        if (isFirst) totalCount = keptOf(newest.total);
        return newest.contacts;
      }
    }
    if (totalCount !== undefined) return rows(em, inNoOrder(matching, reach));
    const found = await rows(em, counted(counts === 'kept' ? firstOf(matches, reach) : matches, reach));
    const total = found[0]?.total ?? 0;
    totalCount = counts === 'kept' ? keptOf(total) : total;
    return contactsOf(found);
  };
  const page = await searchPage<ContactRow>(em, { table: 'contacts', list, wanted, near: NEAR_TEXT, byIndex }, place);
  if (totalCount === undefined) totalCount = counts === 'kept' ? null : await countOf(em, matches);
  return { ...page, totalCount };
}

/** By a limit that the planner does not know: by one that it knows it might go through the table until it has met so many. */
function upTo(most: number, matches: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`${matches} limit (select ${most}::integer)`;
}

function keptOf(total: number): number | null {
  return total > MOST_COUNTED ? null : total;
}

/** So many of what the index of texts names are looked at first: nearly all of them match. */
const NEWEST = 2_500;

interface Newest {
  /** As many as the reach asks for, where there are. */
  readonly contacts: ContactRow[];
  /** How many of those that were looked at match. */
  readonly total: number;
  /** Whether there are no others within reach. */
  readonly isAll: boolean;
}

/** The nearest of those that an index names, of which only so many are looked at for the text: that is most of what one costs where very many match. */
async function findNewest(
  em: EntityManager,
  {
    list,
    filter: { tag, q },
  }: { readonly list: RawBuilder<unknown>; readonly filter: Pick<ContactFilter, 'tag'> & { readonly q: string } },
  { beyond, nearestFirst, limit }: Reach,
): Promise<Newest> {
  const found = await rows(
    em,
    sql<Partial<ContactRow> & { readonly total: number; readonly isMore: boolean }>`
      with newest as materialized (
        select * from (
          select id, project_id, created_at + interval '0' as created_at from contacts where ${list} and ${wantedOf({ tag }) ?? sql`true`}) unordered
        where ${beyond} ${nearestFirst} limit ${NEWEST}),
      found as materialized (
        select * from newest where (select ${contains(TEXTS, q)} from contacts where id = newest.id and project_id = newest.project_id)),
      page as materialized (select id, project_id from found ${nearestFirst} limit ${limit})
      select counted.total, counted."isMore", c.*
      from (select (select count(*) from found) as total, (select count(*) from newest) = ${NEWEST} as "isMore") counted
      left join (page join contacts c using (id, project_id)) on true ${nearestFirst}`,
  );
  const { total, isMore } = found[0] ?? { total: 0, isMore: false };
  return { contacts: contactsOf(found), total, isAll: !isMore };
}

/** The contacts of rows of which one may be there for its numbers only. */
function contactsOf(found: readonly Partial<ContactRow>[]): ContactRow[] {
  return found.flatMap(({ total: _, isMore: __, ...contact }: Partial<ContactRow> & { total?: number; isMore?: boolean }) =>
    contact.id ? [contact as ContactRow] : [],
  );
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

/** What an index of texts tells of a search. */
export interface MayMatch {
  /** A condition: those that match are among these. */
  readonly indexed: RawBuilder<unknown>;
  /** false: the text is too short for an index, and all contacts are. */
  readonly isIndexed: boolean;
}

/** What the index of texts tells of a search among the contacts of a project. */
export async function mayMatch(em: EntityManager, projectId: string, q: string): Promise<MayMatch> {
  const parts = await rareParts(em, { table: 'contacts', list: sql`project_id = ${projectId}`, columns: TEXTS }, q);
  const indexed = sql`(${sql.join(
    TEXTS.map((column, nth) => mayContain(column, parts[nth] ?? [])),
    sql` or `,
  )})`;
  return { indexed, isIndexed: parts.every(hasTrigrams) };
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
