import { type RawBuilder, sql } from 'kysely';
import type { ContactStatus } from '../../domain/contact.ts';
import { type KeysetPage, type Place, pageOf } from '../cursor-page.ts';
import type { ContactRow } from '../entities/index.ts';
import type { EntityManager } from '../orm.ts';
import { row, rows } from '../rows.ts';
import { contains, mayContain, type SearchedPage, searchPage } from '../search.ts';
import { sumUpDeltas } from './sum-up.ts';

export interface ContactFilter {
  readonly status?: ContactStatus | undefined;
  readonly tag?: string | undefined;
  /** The whole address, normalized. */
  readonly email?: string | undefined;
  /** Part of the email or of a name, without regard to case; `%` and `_` are themselves. */
  readonly q?: string | undefined;
}

/** One page, newest first, beside the exact number of all that match. */
export async function listContacts(
  em: EntityManager,
  projectId: string,
  filter: ContactFilter,
  place: Place,
): Promise<KeysetPage<ContactRow> & { readonly totalCount: number }> {
  const { total, ...page } = await contactPage(em, projectId, filter, place);
  const totalCount = total ?? (await row(em, sql<{ count: number }>`${totalOf(projectId, filter)}`))?.count ?? 0;
  return { ...page, totalCount };
}

async function contactPage(em: EntityManager, projectId: string, filter: ContactFilter, place: Place): Promise<SearchedPage<ContactRow>> {
  const list = listOf(projectId, filter);
  const wanted = wantedOf(filter);
  const near = filter.q ? NEAR_TEXT : NEAR_TAG;
  if (wanted) return searchPage(em, { table: 'contacts', list, wanted, indexed: indexedOf(filter), near }, place);
  const page = await pageOf(place, (bounds) => rows(em, sql<ContactRow>`select * from contacts where ${list} and ${bounds}`));
  return { ...page, total: undefined };
}

/** Of all contacts, of those of a status and of those with a tag the number is kept; others are counted. */
function totalOf(projectId: string, filter: ContactFilter): RawBuilder<unknown> {
  const { status, tag, email, q } = filter;
  if (email !== undefined || q) {
    const wanted = wantedOf(filter) ?? sql`true`;
    return sql`select count(*) as count from contacts where ${listOf(projectId, filter)} and ${indexedOf(filter)} and ${wanted}`;
  }
  const ofStatus = status ? sql`status = ${status}` : sql`true`;
  const kept =
    tag === undefined
      ? sql`contact_counts where project_id = ${projectId}`
      : sql`contact_tag_counts where project_id = ${projectId} and tag = ${tag}`;
  return sql`select coalesce(sum(delta), 0)::bigint as count from ${kept} and ${ofStatus}`;
}

function listOf(projectId: string, { status, email }: ContactFilter): RawBuilder<unknown> {
  const conditions = [sql`project_id = ${projectId}`];
  if (status) conditions.push(sql`status = ${status}`);
  if (email !== undefined) conditions.push(sql`email = ${email}`);
  return sql.join(conditions, sql` and `);
}

function wantedOf({ tag, q }: ContactFilter): RawBuilder<unknown> | undefined {
  const conditions: RawBuilder<unknown>[] = [];
  if (tag !== undefined) conditions.push(sql`tags @> array[${tag}]`);
  if (q) conditions.push(contains(['email', 'first_name', 'last_name', 'display_name'], q));
  return conditions.length === 0 ? undefined : sql.join(conditions, sql` and `);
}

function indexedOf({ q }: ContactFilter): RawBuilder<unknown> {
  return q ? mayContain(CONTACT_TEXT, q) : sql`true`;
}

/** A page of what one contact in two hundred has is among so many; texts take longer to look at. */
const NEAR_TAG = 10_000;
const NEAR_TEXT = 2_500;

/** As the index has it. */
const CONTACT_TEXT = sql`searchable(
  email || E'\n' || coalesce(first_name, '') || E'\n' || coalesce(last_name, '') || E'\n' || coalesce(display_name, ''))`;

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
