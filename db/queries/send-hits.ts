import { sql } from 'kysely';
import { CLICK_TOO_SOON_MS, type Tracked } from '../../domain/tracking.ts';
import type { SendRow } from '../entities/index.ts';
import type { EntityManager } from '../orm.ts';
import { row } from '../rows.ts';
import { emit } from './emit.ts';
import { wakeWatchers } from './enrollments.ts';

export interface Hit {
  readonly kind: 'opened' | 'clicked';
  /** The link, for a click. */
  readonly url: string | undefined;
  readonly at: Date;
  /** Recorded, and counted nowhere. */
  readonly isBot: boolean;
}

/** Records an open or a click of a send whose row is locked: counters, and the event of the first open or of a link's first click. */
export async function recordHit(
  tx: EntityManager,
  send: Pick<SendRow, 'id' | 'project_id' | 'contact_id' | 'open_count'>,
  hit: Hit,
): Promise<void> {
  const { kind, at, isBot } = hit;
  const url = hit.url ?? null;
  const isFirst = !isBot && (kind === 'opened' ? send.open_count === 0 : !(await wasClicked(tx, send.id, url)));
  await row(tx, sql`insert into send_hits (send_id, kind, url, is_bot, at) values (${send.id}, ${kind}, ${url}, ${isBot}, ${at})`);
  if (isBot) return;
  const counters =
    kind === 'opened'
      ? sql`open_count = open_count + 1, first_opened_at = least(first_opened_at, ${at})`
      : sql`click_count = click_count + 1, first_clicked_at = least(first_clicked_at, ${at})`;
  await row(tx, sql`update sends set ${counters}, last_event_at = greatest(last_event_at, ${at}) where id = ${send.id}`);
  if (send.contact_id) await wakeWatchers(tx, send.project_id, [send.contact_id]);
  if (isFirst) await emit(tx, send.project_id, { type: `email.${kind}`, sendId: send.id, ...(url === null ? {} : { adds: { url } }) });
}

/** A hit on a tracked address, in a transaction of its own. One of a send that is gone counts nowhere. */
export async function countHit(
  em: EntityManager,
  tracked: Tracked,
  { at, isBot }: { readonly at: Date; readonly isBot: boolean },
): Promise<void> {
  const { kind, sendId } = tracked;
  await em.transactional(async (tx) => {
    const send = await row(tx, sql<SendRow>`select * from sends where id = ${sendId} for update`);
    if (!send) return;
    const handedOverAt = send.closed_at ?? send.opened_at;
    const isTooSoon = kind === 'clicked' && at.getTime() < handedOverAt.getTime() + CLICK_TOO_SOON_MS;
    await recordHit(tx, send, { kind, url: kind === 'clicked' ? tracked.url : undefined, at, isBot: isBot || isTooSoon });
  });
}

/** The mail that made its reader leave. */
export async function recordUnsubscribe(tx: EntityManager, sendId: string, at: Date): Promise<void> {
  await row(tx, sql`insert into send_hits (send_id, kind, is_bot, at) values (${sendId}, 'unsubscribed', false, ${at})`);
}

async function wasClicked(tx: EntityManager, sendId: string, url: string | null): Promise<boolean> {
  const before = await row(
    tx,
    sql`select 1 from send_hits where send_id = ${sendId} and kind = 'clicked' and url is not distinct from ${url} and not is_bot limit 1`,
  );
  return before !== undefined;
}
