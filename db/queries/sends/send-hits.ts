import { sql } from 'kysely';
import { sha256 } from '../../../domain/projects/crypto.ts';
import type { Hits } from '../../../domain/sends/hits.ts';
import type { SendRow } from '../../entities/index.ts';
import { groupedBy } from '../../grouped-rows.ts';
import type { EntityManager } from '../../orm.ts';
import { row, rows } from '../../rows.ts';

/** A send whose row is locked, as its hits are recorded by it. */
export type HitSend = Pick<
  SendRow,
  'id' | 'project_id' | 'contact_id' | 'open_count' | 'click_count' | 'opened_at' | 'closed_at' | 'source_type' | 'source_id' | 'variant'
>;

/** Those of these sends whose contact was not erased, locked in one order, so that no two calls wait for each other. */
export async function lockHitSends(tx: EntityManager, ids: readonly string[]): Promise<HitSend[]> {
  return rows(
    tx,
    sql<HitSend>`
        select id, project_id, contact_id, open_count, click_count, opened_at, closed_at, source_type, source_id, variant from sends
        where id = any(${ids}::uuid[]) and to_email <> '' order by id for no key update`,
  );
}

/** One row a link, and the counters of the sends, whose rows are locked. Answers with when each link was last hit before; null for what is new. */
export async function writeHits(tx: EntityManager, hits: readonly Hits[]): Promise<(Date | null)[]> {
  const written = hits.map((hit, place) => ({ ...hit, place, linkHash: sha256(hit.url ?? '').toString('hex') }));
  const before = await rows(
    tx,
    sql<{ before: Date | null }>`
      with hit as (
        select h.*, decode(h."linkHash", 'hex') as link_hash from jsonb_to_recordset(${JSON.stringify(written)}::jsonb) as h(
          place integer, "sendId" uuid, kind text, url text, "linkHash" text, "isBot" boolean, count integer, "firstAt" timestamptz, "lastAt" timestamptz)
      ), written as (
        insert into send_hits as h (send_id, kind, url, link_hash, is_bot, count, at)
        select "sendId", kind, url, link_hash, "isBot", count, "lastAt" from hit
        on conflict (send_id, kind, is_bot, link_hash) do update set count = h.count + excluded.count, at = greatest(h.at, excluded.at)
      ), counted as (
        update sends s set
          open_count = open_count + c.opens, first_opened_at = least(first_opened_at, c.first_open),
          click_count = click_count + c.clicks, first_clicked_at = least(first_clicked_at, c.first_click),
          last_event_at = greatest(last_event_at, c.last_at)
        from (
          select "sendId", max("lastAt") as last_at,
                 coalesce(sum(count) filter (where kind = 'opened'), 0) as opens, min("firstAt") filter (where kind = 'opened') as first_open,
                 coalesce(sum(count) filter (where kind = 'clicked'), 0) as clicks, min("firstAt") filter (where kind = 'clicked') as first_click
          from hit where not "isBot" group by "sendId") c
        where s.id = c."sendId"
      )
      select h.at as before from hit
      left join send_hits h on h.send_id = hit."sendId" and h.kind = hit.kind and h.is_bot = hit."isBot" and h.link_hash = hit.link_hash
      order by hit.place`,
  );
  return before.map(({ before: at }) => at);
}

/** Records that a mail made its reader leave. Answers with the send when that is the first time, and it is there. */
export async function writeUnsubscribe(
  tx: EntityManager,
  sendId: string,
  at: Date,
): Promise<Pick<SendRow, 'source_type' | 'source_id' | 'variant'> | undefined> {
  return row(
    tx,
    sql<Pick<SendRow, 'source_type' | 'source_id' | 'variant'>>`
      with hit as (
        insert into send_hits as h (send_id, kind, link_hash, is_bot, at) values (${sendId}, 'unsubscribed', ${sha256('')}, false, ${at})
        on conflict (send_id, kind, is_bot, link_hash) do update set count = h.count + 1, at = greatest(h.at, excluded.at)
        returning count)
      select s.source_type, s.source_id, s.variant from hit, sends s where hit.count = 1 and s.id = ${sendId}`,
  );
}

/** What was done with a mail: its image, one of its links, or the link to unsubscribe. */
export interface ShownHit {
  readonly kind: Hits['kind'] | 'unsubscribed';
  readonly url: string | null;
  readonly is_bot: boolean;
  readonly count: number;
  /** The last time. */
  readonly at: Date;
}

/** More than a mail has links. */
const MOST_HITS = 500;

/** What was done with each of these mails, in the order in which it happened. */
export async function hitsOf(em: EntityManager, projectId: string, sendIds: readonly string[]): Promise<Map<string, ShownHit[]>> {
  const found = await rows(
    em,
    sql<ShownHit & { readonly send_id: string }>`
      select h.send_id, h.kind, h.url, h.is_bot, h.count, h.at from sends s
      cross join lateral (select * from send_hits where send_id = s.id order by at, id limit ${MOST_HITS}) h
      where s.id = any(${sendIds}::uuid[]) and s.project_id = ${projectId} order by h.at, h.id`,
  );
  return groupedBy(sendIds, 'send_id', found);
}
