import { type RawBuilder, sql } from 'kysely';

/**
 * Who makes the next attempt of a pending delivery: the burst of its endpoint (`in_lane`), or a workflow of its own. Never both, and of one that is
 * settled nobody.
 *
 * It is the burst's
 * - from when it is written, if the endpoint has a burst or more than WEBHOOK_BURST_AT first attempts wait for it: `goesToBurst`;
 * - from when it is begun again with all that failed: `retryFailed`;
 * - from when it is due again, if many others of its endpoint are (domain/webhooks/due-together.ts) and no attempt of it is in flight:
 *   `leaveToBursts`, instead of the start of its workflow.
 *
 * It is its workflow's
 * - from when it is written otherwise, and from when it is begun again by itself;
 * - from when an attempt of it was refused, whoever made that: `endAttempts` plans the start for when it is due again.
 *
 * An endpoint has a burst (`has_lane`) from the first turn of that on, `openBurst`, until nothing waits in it, `closeBurst`. Whoever leaves a delivery
 * to a burst holds the endpoint's row `AGAINST_ITS_END` until the delivery is visible, and writes the start where there is no burst; whoever ends one
 * holds the row `AGAINST_DELIVERIES`. So the burst sees what was left to it, or who leaves it sees that the burst has ended.
 */

/** A delivery `d` that is its workflow's. */
export const HAS_WORKFLOW = sql.raw(`d.status = 'pending' and not d.in_lane`);

/** A delivery `d` that is the burst's of its endpoint: all such are pending. */
export const IN_BURST = sql.raw('d.in_lane');

/** Where a delivery `d` stands, as domain/webhooks/delivery-states.ts names it. */
export const STATE = sql.raw(`case when d.in_lane then 'burst' when d.status = 'pending' then 'workflow' else d.status end`);

/** An endpoint `w` for which attempts wait in a burst. */
export const HAS_WAITING = sql.raw(`exists (select 1 from webhook_deliveries d where d.in_lane and d.endpoint_id = w.id)`);

/** An endpoint `w` that should have a burst. */
export const NEEDS_BURST = sql`(w.has_lane or ${HAS_WAITING})`;

/** How the row of an endpoint is locked against the end of its burst. */
export const AGAINST_ITS_END = sql.raw('for key share');

/** How it is locked against those who leave deliveries to its burst. */
export const AGAINST_DELIVERIES = sql.raw('for update');

/** How many first attempts may wait for an endpoint before they are its burst's: set for the session by db/orm.ts. */
const BURST_AT = sql.raw(`coalesce(nullif(current_setting('everpost.webhook_burst_at', true), ''), '200')::integer`);

/** Whether the deliveries that are just written for an endpoint `w`, so many, go to its burst. */
export function goesToBurst(count: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`
    w.has_lane or ${BURST_AT} < ${count} + (
      select count(*) from (
        select 1 from webhook_deliveries d where d.endpoint_id = w.id and ${HAS_WORKFLOW} and d.attempts = 0 limit ${BURST_AT} + 1) waiting)`;
}
