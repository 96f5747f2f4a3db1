import { type RawBuilder, sql } from 'kysely';
import type { SendType } from '../../domain/send.ts';
import { type KeysetPage, type Place, pageOf, type Reach } from '../cursor-page.ts';
import type { SendRow } from '../entities/index.ts';
import type { EntityManager } from '../orm.ts';
import { rows } from '../rows.ts';
import { searchPage } from '../search.ts';
import { contains, mayContain, rareParts } from '../text-search.ts';

export interface SendFilter {
  readonly template?: string | undefined;
  readonly type?: SendType | undefined;
  readonly status?: 'sent' | 'failed' | undefined;
  readonly contactId?: string | undefined;
  readonly sourceType?: string | undefined;
  readonly sourceId?: string | undefined;
  /** Part of the recipient's address. */
  readonly q?: string | undefined;
}

/** A page of what one send in two hundred has is among so many. */
const NEAR = 10_000;

/** The send log, newest first: one row an attempt that has its outcome. */
export async function listSends(em: EntityManager, projectId: string, filter: SendFilter, place: Place): Promise<KeysetPage<SendRow>> {
  const { template, type, status, contactId, sourceType, sourceId, q } = filter;
  const conditions = [sql`project_id = ${projectId}`, sql`status is not null`];
  if (template !== undefined) conditions.push(sql`template = ${template}`);
  if (type) conditions.push(sql`type = ${type}`);
  if (status) conditions.push(sql`status = ${status}`);
  if (contactId) conditions.push(sql`contact_id = ${contactId}`);
  if (sourceType !== undefined) conditions.push(sql`source_type = ${sourceType}`);
  if (sourceId !== undefined) conditions.push(sql`source_id = ${sourceId}`);
  const list = sql.join(conditions, sql` and `);
  if (q) {
    const byIndex = (reach: Reach) => sendsTo(em, projectId, q, list, reach);
    return searchPage(em, { table: 'sends', list, wanted: contains(['to_email'], q), near: NEAR, byIndex }, place);
  }
  return pageOf(place, (bounds) => rows(em, sql<SendRow>`select * from sends where ${list} and ${bounds}`));
}

/**
 * The mails to a contact are found by its address, which never changes: a send costs no entry in an index of texts unless it is to
 * somebody who is no contact.
 */
async function sendsTo(em: EntityManager, projectId: string, q: string, list: RawBuilder<unknown>, reach: Reach): Promise<SendRow[]> {
  const { beyond, nearestFirst, limit } = reach;
  const sampled = { table: 'sends', list: sql`project_id = ${projectId} and status is not null`, columns: ['to_email'] } as const;
  const parts = await rareParts(em, sampled, q);
  return rows(
    em,
    sql<SendRow>`
      with people as materialized (
        select id from contacts where project_id = ${projectId} and ${mayContain(sql`searchable(email)`, parts)} and ${contains(['email'], q)}
      ), found as materialized (
        select mails.* from people cross join lateral (
          select id, created_at from sends where contact_id = people.id and ${list} and ${beyond} ${nearestFirst} limit ${limit}) mails
        union all
        select id, created_at from sends
        where contact_id is null and ${list} and ${beyond} and ${mayContain(sql`searchable(to_email)`, parts)} and ${contains(['to_email'], q)}
      ), page as materialized (select id from found ${nearestFirst} limit ${limit})
      select s.* from page join sends s using (id) ${nearestFirst}`,
  );
}
