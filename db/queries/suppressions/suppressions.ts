import { type RawBuilder, sql } from 'kysely';
import { SUPPRESSION_RULES, type SuppressionReason } from '../../../domain/suppressions/suppression.ts';
import { type KeysetPage, type Place, pageOf, type Reach } from '../../cursor-page.ts';
import type { SuppressionRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { row, rows } from '../../rows.ts';
import { searchPage } from '../../search.ts';
import { contains, mayContain, rareParts } from '../../text-search.ts';

export interface SuppressionFilter {
  /** The whole address, normalized. */
  readonly email?: string | undefined;
  /** Part of the address, without regard to case; `%` and `_` are themselves. */
  readonly q?: string | undefined;
  readonly reason?: SuppressionReason | undefined;
}

/** All that match, newest first. */
export async function listSuppressions(em: EntityManager, projectId: string, filter: SuppressionFilter): Promise<SuppressionRow[]> {
  const { q } = filter;
  const found = q ? contains(['email'], q) : sql`true`;
  return rows(
    em,
    sql<SuppressionRow>`select * from suppressions where ${listOf(projectId, filter)} and ${found} order by created_at desc, email`,
  );
}

/** A suppression with what places it in a page among those of one instant. */
type PlacedSuppression = SuppressionRow & { readonly id: string };

/** A page of what one address in two hundred is among so many. */
const NEAR = 10_000;
const PLACED = sql`select s.*, md5(s.email) as id from suppressions s`;

/** One page, newest first. */
export async function pageSuppressions(
  em: EntityManager,
  projectId: string,
  filter: SuppressionFilter,
  place: Place,
): Promise<KeysetPage<SuppressionRow>> {
  const { q } = filter;
  const list = listOf(projectId, filter);
  if (!q) {
    return pageOf(place, (bounds) => rows(em, sql<PlacedSuppression>`select * from (${PLACED}) placed where ${list} and ${bounds}`));
  }
  const wanted = contains(['email'], q);
  const byIndex = async ({ beyond, nearestFirst, limit }: Reach): Promise<PlacedSuppression[]> => {
    const [parts = []] = await rareParts(em, { table: PLACED, list: sql`project_id = ${projectId}`, columns: ['email'] }, q);
    return rows(
      em,
      sql<PlacedSuppression>`
        with found as materialized (
          select * from (${PLACED}) placed where ${list} and ${mayContain('email', parts)} and ${wanted} and ${beyond})
        select * from found ${nearestFirst} limit ${limit}`,
    );
  };
  return searchPage<PlacedSuppression>(em, { table: PLACED, list, wanted, near: NEAR, byIndex }, place);
}

function listOf(projectId: string, { email, reason }: SuppressionFilter): RawBuilder<unknown> {
  const conditions = [sql`project_id = ${projectId}`];
  if (email !== undefined) conditions.push(sql`email = ${email}`);
  if (reason) conditions.push(sql`reason = ${reason}`);
  return sql.join(conditions, sql` and `);
}

/** The recipient of a send, and since when and why its address gets no mail. */
export interface SuppressionOfSend {
  readonly to_email: string;
  /** null: nothing does. */
  readonly reason: SuppressionReason | null;
  readonly created_at: Date | null;
}

/** What keeps the recipient of a send from getting mail just now, also where the contact was erased; undefined: no such send. */
export function suppressionOfSend(em: EntityManager, sendId: string): Promise<SuppressionOfSend | undefined> {
  return row(
    em,
    sql`
      select s.to_email, u.reason, u.created_at from sends s left join lateral (
        select reason, created_at from suppressions where project_id = s.project_id and email = s.to_email
        union all
        select reason, created_at from erased_suppressions
        where project_id = s.project_id and address_hash = address_hash(s.project_id, s.to_email)
      ) u on true where s.id = ${sendId} limit 1`,
  );
}

/** A contact with why its address gets no mail; null: it may get mail. */
export type WithSuppression<Of> = Of & { readonly suppressed: SuppressionReason | null };

/** Each contact with why its address gets no mail, also where the contact of that address before it was erased. */
export async function withSuppressions<Of extends { readonly email: string }>(
  em: EntityManager,
  projectId: string,
  contacts: readonly Of[],
): Promise<WithSuppression<Of>[]> {
  if (contacts.length === 0) return [];
  const found = await rows(
    em,
    sql<Pick<SuppressionRow, 'email' | 'reason'>>`
      select email, reason from suppressions where project_id = ${projectId} and email = any(${emailsOf(contacts)})
      union all
      select a.email, e.reason from unnest(${emailsOf(contacts)}::text[]) a(email)
      join erased_suppressions e on e.project_id = ${projectId} and e.address_hash = address_hash(${projectId}, a.email)
      where exists (select 1 from erased_suppressions where project_id = ${projectId})`,
  );
  const reasons = new Map(found.map(({ email, reason }) => [email, reason]));
  return contacts.map((contact) => ({ ...contact, suppressed: reasons.get(contact.email) ?? null }));
}

function emailsOf(contacts: readonly { readonly email: string }[]): string[] {
  return contacts.map(({ email }) => email);
}

/** An address that is to get no mail. */
export interface NewSuppression {
  readonly projectId: string;
  readonly email: string;
  readonly reason: SuppressionReason;
  readonly now: Date;
}

/** Puts the address on the list and answers with the reason that is stored, by the domain's rule of which one stays. */
export async function insertSuppression(tx: EntityManager, { projectId, email, reason, now }: NewSuppression): Promise<SuppressionReason> {
  const replaces = sql.lit(SUPPRESSION_RULES[reason].replaces);
  const stored = await row(
    tx,
    sql<Pick<SuppressionRow, 'reason'>>`
      with erased as (
        delete from erased_suppressions where project_id = ${projectId} and address_hash = address_hash(${projectId}, ${email}) returning reason
      )
      insert into suppressions as s (project_id, email, reason, created_at)
      select ${projectId}, ${email}, case when ${replaces} then ${reason} else coalesce((select reason from erased), ${reason}) end, ${now}
      on conflict (project_id, email) do update set reason = case when ${replaces} then excluded.reason else s.reason end
      returning reason`,
  );
  return stored?.reason ?? reason;
}

/** Whether it was on the list, or had been when its contact was erased. */
export async function unsuppress(em: EntityManager, projectId: string, email: string): Promise<boolean> {
  const removed = await row(
    em,
    sql`
      with plain as (
        delete from suppressions where project_id = ${projectId} and email = ${email} returning 1
      ), erased as (
        delete from erased_suppressions where project_id = ${projectId} and address_hash = address_hash(${projectId}, ${email}) returning 1
      )
      select 1 from plain union all select 1 from erased limit 1`,
  );
  return removed !== undefined;
}
