import type { EntityManager } from '../../db/orm.ts';
import { countEngagement, type Engagement, engagementOf } from '../../db/queries/campaigns/campaigns.ts';
import { type HitSend, lockHitSends, writeHits } from '../../db/queries/sends/send-hits.ts';
import { emitAll, type OutgoingEvent } from '../../db/queries/webhooks/emit.ts';
import { HITS_KEPT_MS } from '../../domain/operations/retention.ts';
import { type Hits, joinHits } from '../../domain/sends/hits.ts';
import { CLICK_TOO_SOON_MS } from '../../domain/sends/tracking.ts';
import { tellOfChange } from '../contacts/tell-of-change.ts';

/** A wait on `opened` or `clicked` within some hours may be met by a repeat after so long. It looks by itself as often. */
const SIGNALS_AGAIN_MS = 3_600_000;

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
  const signalsRuns = (hit: Hits, index: number): boolean => {
    const lastAt = before[index];
    return !hit.isBot && (lastAt ? hit.lastAt.getTime() > lastAt.getTime() + SIGNALS_AGAIN_MS : true);
  };
  const signalling = known.filter(signalsRuns).map((hit) => ({ hit, send: of.get(hit.sendId)! }));
  for (const [projectId, ofProject] of Map.groupBy(signalling, ({ send }) => send.project_id))
    await tellOfChange(tx, projectId, [...new Set(ofProject.flatMap(({ send }) => send.contact_id ?? []))]);
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
  return counter === 0 || lastAt.getTime() < submittedAt(send).getTime() + HITS_KEPT_MS;
}

function eventOf({ kind, sendId, url }: Hits): OutgoingEvent {
  return { type: `email.${kind}`, sendId, ...(url === undefined ? {} : { adds: { url } }) };
}

/**
 * What became of a hit: `unknown` is one of a send that is gone, whose contact was erased, or whose row is only just being written. `too_soon` came too soon after
 * the submission to be a person's: the next on the same link need not.
 */
export type CountedHit = 'counted' | 'too_soon' | 'unknown';

/** Hits on tracked addresses, in a transaction of its own. */
export async function countHits(em: EntityManager, hits: readonly Hits[]): Promise<CountedHit[]> {
  const ids = [...new Set(hits.map(({ sendId }) => sendId))];
  return em.transactional(async (tx) => {
    const sends = await lockHitSends(tx, ids);
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
  return kind === 'clicked' && lastAt.getTime() < submittedAt(send).getTime() + CLICK_TOO_SOON_MS;
}

function submittedAt({ closed_at, opened_at }: HitSend): Date {
  return closed_at ?? opened_at;
}
