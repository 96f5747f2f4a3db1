import { sql } from 'kysely';
import { HITS_KEPT_MS } from '../../../domain/operations/retention.ts';
import { sha256 } from '../../../domain/projects/crypto.ts';
import { CLICK_TOO_SOON_MS } from '../../../domain/sends/tracking.ts';
import type { SendRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { row, rows } from '../../rows.ts';
import { countEngagement, type Engagement, engagementOf } from '../campaigns/campaigns.ts';
import { wakeWatchers } from '../sequences/enrollment-wakes.ts';
import { emitAll, type OutgoingEvent } from '../webhooks/emit.ts';

/** Opens of a send, or clicks on one link of it, as many as came together. */
export interface Hits {
  readonly sendId: string;
  readonly kind: 'opened' | 'clicked';
  /** The link, for clicks. */
  readonly url: string | undefined;
  /** Recorded, and counted nowhere. */
  readonly isBot: boolean;
  readonly count: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
}

/** A send whose row is locked. */
type HitSend = Pick<
  SendRow,
  'id' | 'project_id' | 'contact_id' | 'open_count' | 'click_count' | 'opened_at' | 'closed_at' | 'source_type' | 'source_id' | 'variant'
>;

/** A wait on `opened` or `clicked` within some hours may be met by a repeat after so long. It looks by itself as often. */
const WAKES_AGAIN_MS = 3_600_000;

/** The same for all hits of one link. */
export function linkKey({ sendId, kind, url, isBot }: Pick<Hits, 'sendId' | 'kind' | 'url' | 'isBot'>): string {
  return JSON.stringify([sendId, kind, url, isBot]);
}

/** One entry a link. */
function joinHits(hits: readonly Hits[]): Hits[] {
  const joined = new Map<string, Hits>();
  for (const hit of hits) {
    const key = linkKey(hit);
    const before = joined.get(key);
    joined.set(key, before ? addHits(before, hit) : hit);
  }
  return [...joined.values()];
}

/** Two entries for the same link as one. */
export function addHits(one: Hits, other: Hits): Hits {
  return {
    ...one,
    count: one.count + other.count,
    firstAt: new Date(Math.min(one.firstAt.getTime(), other.firstAt.getTime())),
    lastAt: new Date(Math.max(one.lastAt.getTime(), other.lastAt.getTime())),
  };
}

/**
 * Records opens and clicks of sends whose rows are locked: one row a link, counters, and for the first open and the first click of each
 * link the event and the waits that may be met by it. Repeats raise counters.
 */
export async function recordHits(tx: EntityManager, sends: readonly HitSend[], hits: readonly Hits[]): Promise<void> {
  const of = new Map(sends.map((send) => [send.id, send]));
  const known = joinHits(hits.filter(({ sendId }) => of.has(sendId)));
  if (known.length === 0) return;
  const before = await writeHits(tx, known);
  await countEngagement(
    tx,
    sends.flatMap((send) => firstTimes(send, known)),
  );
  const wakesWaits = (hit: Hits, index: number): boolean => {
    const lastAt = before[index];
    return !hit.isBot && (lastAt ? hit.lastAt.getTime() > lastAt.getTime() + WAKES_AGAIN_MS : true);
  };
  const waking = known.filter(wakesWaits).map((hit) => ({ hit, send: of.get(hit.sendId)! }));
  for (const [projectId, ofProject] of Map.groupBy(waking, ({ send }) => send.project_id))
    await wakeWatchers(tx, projectId, [...new Set(ofProject.flatMap(({ send }) => send.contact_id ?? []))]);
  const firsts = known.flatMap((hit, index) => {
    const send = of.get(hit.sendId)!;
    return !hit.isBot && !before[index] && isFirst(send, hit) ? [{ projectId: send.project_id, event: eventOf(hit) }] : [];
  });
  for (const [projectId, ofProject] of Map.groupBy(firsts, (first) => first.projectId)) {
    await emitAll(
      tx,
      projectId,
      ofProject.map(({ event }) => event),
    );
  }
}

/** A recipient of a campaign opens, and clicks, once: it is the first time of all the mail's links that counts. */
function firstTimes(send: HitSend, hits: readonly Hits[]): Engagement[] {
  const happened = (kind: Hits['kind'], before: number): boolean =>
    before === 0 && hits.some((hit) => hit.sendId === send.id && hit.kind === kind && !hit.isBot);
  return [
    ...(happened('opened', send.open_count) ? engagementOf(send, 'opened') : []),
    ...(happened('clicked', send.click_count) ? engagementOf(send, 'clicked') : []),
  ];
}

/** Without a row of its link it is the first, unless the row is gone because the send is so old. */
function isFirst(send: HitSend, { kind, lastAt }: Hits): boolean {
  const counter = kind === 'opened' ? send.open_count : send.click_count;
  return counter === 0 || lastAt.getTime() < handedOverAt(send).getTime() + HITS_KEPT_MS;
}

function eventOf({ kind, sendId, url }: Hits): OutgoingEvent {
  return { type: `email.${kind}`, sendId, ...(url === undefined ? {} : { adds: { url } }) };
}

/** Answers with when each link was last hit before; null for what is new. */
async function writeHits(tx: EntityManager, hits: readonly Hits[]): Promise<(Date | null)[]> {
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

/**
 * What became of a hit: `unknown` is one of a send that is gone, whose contact was erased, or whose row is only just being written. `too_soon` came too soon after
 * the hand-over to be a person's: the next on the same link need not.
 */
export type CountedHit = 'counted' | 'too_soon' | 'unknown';

/** Hits on tracked addresses, in a transaction of its own. */
export async function countHits(em: EntityManager, hits: readonly Hits[]): Promise<CountedHit[]> {
  const ids = [...new Set(hits.map(({ sendId }) => sendId))];
  return em.transactional(async (tx) => {
    // In one order, so that no two wait for each other.
    const sends = await rows(
      tx,
      sql<HitSend>`
        select id, project_id, contact_id, open_count, click_count, opened_at, closed_at, source_type, source_id, variant from sends
        where id = any(${ids}::uuid[]) and to_email <> '' order by id for no key update`,
    );
    const of = new Map(sends.map((send) => [send.id, send]));
    const tooSoon = hits.map((hit) => {
      const send = of.get(hit.sendId);
      return send !== undefined && isTooSoon(send, hit);
    });
    await recordHits(
      tx,
      sends,
      hits.map((hit, index) => (tooSoon[index] ? { ...hit, isBot: true } : hit)),
    );
    return hits.map(({ sendId }, index) => (!of.has(sendId) ? 'unknown' : tooSoon[index] ? 'too_soon' : 'counted'));
  });
}

function isTooSoon(send: HitSend, { kind, lastAt }: Hits): boolean {
  return kind === 'clicked' && lastAt.getTime() < handedOverAt(send).getTime() + CLICK_TOO_SOON_MS;
}

function handedOverAt({ closed_at, opened_at }: HitSend): Date {
  return closed_at ?? opened_at;
}

/** The mail that made its reader leave. */
export async function recordUnsubscribe(tx: EntityManager, sendId: string, at: Date): Promise<void> {
  const first = await row(
    tx,
    sql<Pick<SendRow, 'source_type' | 'source_id' | 'variant'>>`
      with hit as (
        insert into send_hits as h (send_id, kind, link_hash, is_bot, at) values (${sendId}, 'unsubscribed', ${sha256('')}, false, ${at})
        on conflict (send_id, kind, is_bot, link_hash) do update set count = h.count + 1, at = greatest(h.at, excluded.at)
        returning count)
      select s.source_type, s.source_id, s.variant from hit, sends s where hit.count = 1 and s.id = ${sendId}`,
  );
  if (first) await countEngagement(tx, engagementOf(first, 'unsubscribed'));
}
