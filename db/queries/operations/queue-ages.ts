import { sql } from 'kysely';
import type { EntityManager } from '../../orm.ts';
import { row } from '../../rows.ts';
import { PROJECT_HELD_BY } from '../sends/send-gates.ts';
import { HAS_WORKFLOW, IN_BURST } from '../webhooks/burst-or-workflow.ts';
import { LINES } from './outbox-leases.ts';
import { limitStatements } from './statement-limits.ts';

/** For how long the oldest thing that could be done now has waited, in seconds; 0 where nothing waits. */
export interface QueueAges {
  readonly outboxRow: number;
  readonly campaignBatch: number;
  readonly webhookDelivery: number;
  /** Since its `sendAt`, put off or not. */
  readonly scheduledSend: number;
}

/** Of the outbox, the oldest rows that are looked at for one that was tried before. */
const OUTBOX_ROWS = 5_000;
/** Of an endpoint's deliveries with the same number of attempts, and of its burst. */
const DELIVERIES = 50;

/**
 * By indexes, with the reads bounded for each project, campaign and endpoint that has something waiting. Throws when it takes longer than a
 * second.
 */
export async function readQueueAges(em: EntityManager): Promise<QueueAges> {
  return em.transactional(async (tx) => {
    await limitStatements(tx);
    return {
      outboxRow: await outboxAge(tx),
      campaignBatch: await campaignBatchAge(tx),
      webhookDelivery: await deliveryAge(tx),
      scheduledSend: await scheduledAge(tx),
    };
  });
}

/**
 * Of what is due, and of what was tried more than once, which is due again only after a pause: that since it was due first. What is to go out
 * at a later time is not late, and what is tried for the first time just now is in flight.
 */
async function outboxAge(tx: EntityManager): Promise<number> {
  const found = await row(
    tx,
    sql<Age>`
      with recursive ${LINES}, due as (
        select d.due_at as since from lines l cross join lateral (
          select o.due_at from outbox o where o.priority = l.priority and o.project_id = l.project_id and o.due_at <= now()
          order by o.due_at limit 1) d
      ), tried as (
        select o.created_at as since from (select attempts, created_at from outbox order by id limit ${sql.lit(OUTBOX_ROWS)}) o
        where o.attempts > 1
      )
      select ${SECONDS} as seconds from (select since from due union all select since from tried) waiting`,
  );
  return secondsOf(found);
}

/** Batches are made before their campaign starts: they wait from the start on. */
async function campaignBatchAge(tx: EntityManager): Promise<number> {
  const found = await row(
    tx,
    sql<Age>`
      with waiting as (
        select greatest(g.available_at, c.started_at) as since from campaigns c cross join lateral (
          select available_at from campaign_pages where campaign_id = c.id and available_at <= now() order by available_at limit 1) g
        where c.status = 'sending' and not c.paused and c.started_at is not null
          and (c.retry_at is null or c.retry_at <= now())
      )
      select ${SECONDS} as seconds from waiting`,
  );
  return secondsOf(found);
}

/** To endpoints that are enabled. Of many to one endpoint some are looked at, the first of its burst among them. */
async function deliveryAge(tx: EntityManager): Promise<number> {
  const limit = sql.lit(DELIVERIES);
  const found = await row(
    tx,
    sql<Age>`
      with recursive places as (
        (select d.endpoint_id, d.attempts from webhook_deliveries d where ${HAS_WORKFLOW}
         order by d.endpoint_id, d.attempts limit 1)
        union all
        select next.* from places p cross join lateral (
          select d.endpoint_id, d.attempts from webhook_deliveries d
          where ${HAS_WORKFLOW} and (d.endpoint_id, d.attempts) > (p.endpoint_id, p.attempts)
          order by d.endpoint_id, d.attempts limit 1) next
      ), by_workflow as (
        select d.next_attempt_at as since from places p join webhook_endpoints w on w.id = p.endpoint_id and w.enabled cross join lateral (
          select d.next_attempt_at from webhook_deliveries d
          where d.endpoint_id = p.endpoint_id and d.attempts = p.attempts and ${HAS_WORKFLOW} limit ${limit}) d
      ), by_burst as (
        select d.next_attempt_at as since from webhook_endpoints w cross join lateral (
          select d.next_attempt_at from webhook_deliveries d where d.endpoint_id = w.id and ${IN_BURST} order by d.place limit 1) d
        where w.has_lane and w.enabled
      ), waiting as (
        select since from (select since from by_workflow union all select since from by_burst) d where since <= now()
      )
      select ${SECONDS} as seconds from waiting`,
  );
  return secondsOf(found);
}

/** Of projects that may send: the others hold theirs. */
async function scheduledAge(tx: EntityManager): Promise<number> {
  const found = await row(
    tx,
    sql<Age>`
      with recursive scheduling as (
        (select q.project_id from scheduled_sends q order by q.project_id limit 1)
        union all
        select next.project_id from scheduling s cross join lateral (
          select q.project_id from scheduled_sends q where q.project_id > s.project_id order by q.project_id limit 1) next
      ), waiting as (
        select d.due_at as since from scheduling s join projects p on p.id = s.project_id and ${PROJECT_HELD_BY} is null cross join lateral (
          select q.due_at from scheduled_sends q where q.project_id = p.id and q.due_at <= now() order by q.due_at limit 1) d
      )
      select ${SECONDS} as seconds from waiting`,
  );
  return secondsOf(found);
}

interface Age {
  readonly seconds: number | null;
}

/** Null where nothing waits. */
const SECONDS = sql.raw('extract(epoch from now() - min(since))::double precision');

function secondsOf(found: Age | undefined): number {
  return Math.max(0, found?.seconds ?? 0);
}
