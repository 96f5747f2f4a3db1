import { sql } from 'kysely';
import type { SendType } from '../../domain/send.ts';
import { type KeysetPage, type Place, pageOf } from '../cursor-page.ts';
import type { SendRow } from '../entities/index.ts';
import type { EntityManager } from '../orm.ts';
import { rows } from '../rows.ts';
import { contains, mayContain, searchPage } from '../search.ts';

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
    const [wanted, indexed] = [contains(['to_email'], q), mayContain(sql`searchable(to_email)`, q)];
    return searchPage(em, { table: 'sends', list, wanted, indexed, near: NEAR }, place);
  }
  return pageOf(place, (bounds) => rows(em, sql<SendRow>`select * from sends where ${list} and ${bounds}`));
}
