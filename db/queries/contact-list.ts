import { type RawBuilder, sql } from 'kysely';
import type { ContactStatus } from '../../domain/contact.ts';
import { type KeysetPage, type Place, pageOf } from '../cursor-page.ts';
import type { ContactRow } from '../entities/index.ts';
import type { EntityManager } from '../orm.ts';
import { row, rows } from '../rows.ts';

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
  const where = matching(projectId, filter);
  const [page, total] = await Promise.all([
    pageOf(place, (bounds) => rows(em, sql<ContactRow>`select * from contacts where ${where} and ${bounds}`)),
    row(em, sql<{ count: number }>`${totalOf(projectId, filter)}`),
  ]);
  return { ...page, totalCount: total?.count ?? 0 };
}

/** Of all contacts, and of those of a status, the number is kept; others are counted. */
function totalOf(projectId: string, filter: ContactFilter): RawBuilder<unknown> {
  const { status, tag, email, q } = filter;
  if (tag !== undefined || email !== undefined || q)
    return sql`select count(*) as count from contacts where ${matching(projectId, filter)}`;
  const ofStatus = status ? sql`status = ${status}` : sql`true`;
  return sql`select coalesce(sum(delta), 0)::bigint as count from contact_counts where project_id = ${projectId} and ${ofStatus}`;
}

/** Sums the kept numbers up, so that reading them stays quick. */
export async function sumUpContactCounts(em: EntityManager): Promise<void> {
  await row(
    em,
    sql`
      with summed as (
        delete from contact_counts where (project_id, status) in (
          select project_id, status from contact_counts group by project_id, status having count(*) > 1)
        returning project_id, status, delta)
      insert into contact_counts (project_id, status, delta)
      select project_id, status, sum(delta) from summed group by project_id, status having sum(delta) <> 0`,
  );
}

function matching(projectId: string, { status, tag, email, q }: ContactFilter): RawBuilder<unknown> {
  const conditions = [sql`project_id = ${projectId}`];
  if (status) conditions.push(sql`status = ${status}`);
  if (tag !== undefined) conditions.push(sql`tags @> array[${tag}]`);
  if (email !== undefined) conditions.push(sql`email = ${email}`);
  if (q) {
    const part = `%${literally(q)}%`;
    conditions.push(sql`(email ilike ${part} or first_name ilike ${part} or last_name ilike ${part} or display_name ilike ${part})`);
  }
  return sql.join(conditions, sql` and `);
}

/** The text as a LIKE pattern that matches just itself. */
export function literally(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}
