import { sql } from 'kysely';
import { isoText } from '../../db/iso-text.ts';
import type { EntityManager } from '../../db/orm.ts';
import { row, rows } from '../../db/rows.ts';
import type { OfEachType } from '../support/open-rows.ts';

const AN_HOUR_AGO = sql`now() - interval '1 hour'`;

/** What these rows wait for was due an hour ago. */
export async function areLate(
  em: EntityManager,
  { enrollment, campaign, webhookDelivery, scheduledSends }: OfEachType<string>,
): Promise<void> {
  await row(
    em,
    sql`update scheduled_sends set due_at = ${AN_HOUR_AGO}, available_at = ${AN_HOUR_AGO} where project_id = ${scheduledSends}`,
  );
  await row(em, sql`update enrollments set waiting_for = 'delay', wakes_at = ${AN_HOUR_AGO} where id = ${enrollment}`);
  await row(em, sql`update campaigns set status = 'sending', started_at = ${AN_HOUR_AGO} where id = ${campaign}`);
  await row(em, sql`update webhook_deliveries set attempts = 2, next_attempt_at = ${AN_HOUR_AGO} where id = ${webhookDelivery}`);
}

/** Held: by a paused sequence, by hand, by a disabled endpoint. */
export async function areHeld(em: EntityManager, { enrollment, campaign, webhookDelivery }: OfEachType<string>): Promise<void> {
  await row(em, sql`update enrollments set waiting_for = 'held:paused', started_at = ${AN_HOUR_AGO} where id = ${enrollment}`);
  await row(em, sql`update campaigns set status = 'sending', paused = true, started_at = ${AN_HOUR_AGO} where id = ${campaign}`);
  await row(em, sql`update webhook_deliveries set next_attempt_at = ${AN_HOUR_AGO} where id = ${webhookDelivery}`);
  await row(
    em,
    sql`update webhook_endpoints w set enabled = false from webhook_deliveries d where d.id = ${webhookDelivery} and w.id = d.endpoint_id`,
  );
}

/** The provider has been away for two hours: an outage is waited out by design, and named when it lasts. */
export async function areInAnOutage(em: EntityManager, { enrollment, campaign }: OfEachType<string>): Promise<void> {
  await row(
    em,
    sql`update enrollments set waiting_for = 'held:provider_unavailable', held_at = now(), wakes_at = now() + interval '5 minutes'
        where id = ${enrollment}`,
  );
  await row(
    em,
    sql`insert into enrollment_steps (enrollment_id, step, node_id, visit, kind, outage_ms) values (${enrollment}, 1, 'send_1', 1, 'send_email', 7200000)`,
  );
  await row(
    em,
    sql`update campaigns set status = 'sending', started_at = now(), first_outage_at = now() - interval '2 hours', retry_at = now()
        where id = ${campaign}`,
  );
}

/** The next attempt of a delivery was due so long ago; answers with its endpoint. */
export async function isOverdue(em: EntityManager, id: string, { attempts, by }: { attempts: number; by: string }): Promise<string> {
  const changed = sql<{ endpoint_id: string }>`
    update webhook_deliveries set attempts = ${attempts}, next_attempt_at = now() - ${by}::interval where id = ${id} returning endpoint_id`;
  return (await row(em, changed))!.endpoint_id;
}

/** So many more deliveries to the endpoint of this one are an hour overdue, the first of them not attempted yet; answers with their ids. */
export async function moreAreOverdue(em: EntityManager, id: string, count: number): Promise<string[]> {
  const inserted = await rows(
    em,
    sql<{ id: string }>`
      insert into webhook_deliveries (project_id, endpoint_id, event_id, attempts, next_attempt_at)
      select project_id, endpoint_id, event_id, least(n, 2) - 1, ${AN_HOUR_AGO}
      from webhook_deliveries, generate_series(1, ${count}::integer) n where id = ${id} returning id`,
  );
  return inserted.map((each) => each.id);
}

/** So many more first attempts wait in the burst of an endpoint, and all have waited for an hour. */
export async function moreWaitInBurst(em: EntityManager, endpointId: string, count: number): Promise<void> {
  await row(
    em,
    sql`insert into webhook_deliveries (project_id, endpoint_id, event_id, in_lane)
        select project_id, endpoint_id, event_id, true from webhook_deliveries, generate_series(1, ${count}::integer) where endpoint_id = ${endpointId}`,
  );
  await row(
    em,
    sql`update webhook_deliveries set created_at = ${AN_HOUR_AGO}, next_attempt_at = ${AN_HOUR_AGO} where endpoint_id = ${endpointId}`,
  );
}

/** One more delivery to the endpoint, whose last attempt was a while ago. */
export async function answeredLately(
  em: EntityManager,
  endpointId: string,
  answer: { status: number | null; error: string | null },
  ago = '1 minute',
): Promise<void> {
  await row(
    em,
    sql`insert into webhook_deliveries (project_id, endpoint_id, event_id, attempts, next_attempt_at, attempt_log)
        select d.project_id, d.endpoint_id, d.event_id, 1, now() + interval '1 hour', jsonb_build_array(
          jsonb_build_object('series', 1, 'number', 1, 'at', ${isoText(sql`(now() - ${ago}::interval)`)}, 'milliseconds', 1) || ${JSON.stringify(answer)}::jsonb)
        from webhook_deliveries d where d.endpoint_id = ${endpointId} limit 1`,
  );
}

/** The outbox has this for a workflow, due in an hour, after so many tries. */
export async function isOnItsWay(em: EntityManager, projectId: string, workflowId: string, message: object, tries = 0): Promise<void> {
  await row(
    em,
    sql`insert into outbox (workflow_id, message, project_id, attempts, due_at)
        values (${workflowId}, ${JSON.stringify(message)}::jsonb, ${projectId}, ${tries}, now() + interval '1 hour')`,
  );
}
