import { type RawBuilder, sql } from 'kysely';
import {
  burstStuck,
  campaignStuck,
  deliveriesStuck,
  enrollmentStuck,
  LONG_OUTAGE_MS,
  MOST_ATTEMPTS_EXPECTED,
  NO_PROGRESS_MS,
  type OpenCampaign,
  OVERDUE_MS,
  type OverdueBurst,
  type OverdueDeliveries,
  type OverdueEnrollment,
  type Stuck,
  scheduledStuck,
} from '../../../domain/operations/stuck.ts';
import {
  burstWorkflowId,
  campaignWorkflowId,
  deliveryWorkflowId,
  enrollmentWorkflowId,
  scheduledWorkflowId,
} from '../../../workflows/contracts.ts';
import type { EntityManager } from '../../orm.ts';
import { rows } from '../../rows.ts';
import { IS_OPEN as CAMPAIGN_IS_OPEN } from '../campaigns/campaigns.ts';
import { AWAITS_WINNER, HELD } from '../campaigns/held-batches.ts';
import { PROJECT_HELD_BY } from '../sends/send-gates.ts';
import { HAS_WORKFLOW, IN_BURST } from '../webhooks/burst-or-workflow.ts';
import { hasNoStart, workflowIdOf } from './outbox.ts';
import { inProject, type RowsAsked } from './workflow-rows.ts';

/** A row that is open for longer than its plan says. */
export interface OverdueRow extends Stuck {
  readonly workflowId: string;
  /** Slug. */
  readonly project: string;
}

type Of<T> = T & { readonly id: string; readonly project: string };

/** Enrollments that should have gone on, and those for which the provider has been away for long; the oldest first. */
export async function overdueEnrollments(em: EntityManager, { projectId, limit }: RowsAsked, now: Date): Promise<OverdueRow[]> {
  const found = await rows(
    em,
    sql<Of<OverdueEnrollment>>`
      select e.id, p.slug as project, e.waiting_for, e.wakes_at, e.current_node_id, coalesce(s.at, e.started_at) as since,
             coalesce(s.outage_ms, 0) as outage_ms
      from enrollments e join projects p on p.id = e.project_id
      left join lateral (
        select s.at, (s.outage_ms + extract(epoch from ${now}::timestamptz - e.held_at) * 1000)::double precision as outage_ms
        from enrollment_steps s
        where s.enrollment_id = e.id and (e.waiting_for is null or e.waiting_for = 'held:provider_unavailable') order by s.step desc limit 1
      ) s on true
      where e.status = 'active' and ${inProject(sql`e.project_id`, projectId)} and (
        e.wakes_at < ${before(now, OVERDUE_MS)}
        or (e.waiting_for = 'held:provider_unavailable' and s.outage_ms > ${LONG_OUTAGE_MS})
        or (e.waiting_for is null and coalesce(s.at, e.started_at) < ${before(now, NO_PROGRESS_MS)}
            and ${hasNoStart(workflowIdOf('enrollment', 'e.id'))}))
      order by e.id limit ${limit}`,
  );
  return found.map(({ id, project, ...enrollment }) => ({
    workflowId: enrollmentWorkflowId(id),
    project,
    ...enrollmentStuck(enrollment, now),
  }));
}

/** Of the open campaigns whose time has come, of which there are few, those that do not go as planned. */
export async function overdueCampaigns(em: EntityManager, { projectId, limit }: RowsAsked, now: Date): Promise<OverdueRow[]> {
  const found = await rows(
    em,
    sql<Of<OpenCampaign>>`
      select c.id, p.slug as project, c.status, c.paused, ${PROJECT_HELD_BY} as held_by, coalesce(c.launched_at, c.created_at) as created_at, c.scheduled_at, c.started_at, c.ends_at,
             c.first_outage_at, c.retry_at,
             (select max(s.created_at) from sends s where s.source_id = c.id::text) as last_sent_at,
             (select min(g.available_at) from campaign_pages g
              where g.campaign_id = c.id and g.available_at > '-infinity' and g.available_at < ${HELD}) as next_page_at,
             case when ${AWAITS_WINNER} then coalesce(c.decides_at, ${HELD}) end as decides_at
      from campaigns c join projects p on p.id = c.project_id
      where ${CAMPAIGN_IS_OPEN} and (c.status <> 'scheduled' or least(c.scheduled_at, c.ends_at) < ${before(now, OVERDUE_MS)})
        and not (c.status = 'scheduled' and c.awaits_approval and p.campaign_approval and coalesce(c.ends_at, 'infinity') > ${now}::timestamptz)
        and ${inProject(sql`c.project_id`, projectId)}
      order by c.id limit ${limit}`,
  );
  return found.flatMap(({ id, project, ...campaign }) => {
    const stuck = campaignStuck(campaign, now);
    return stuck ? [{ workflowId: campaignWorkflowId(id), project, ...stuck }] : [];
  });
}

/** Projects that may send and have a scheduled mail that should have gone long ago. */
export async function overdueScheduled(em: EntityManager, { projectId, limit }: RowsAsked, now: Date): Promise<OverdueRow[]> {
  const found = await rows(
    em,
    sql<Of<{ due_at: Date }>>`
      select p.id, p.slug as project, q.due_at
      from projects p cross join lateral (
        select due_at from scheduled_sends q where q.project_id = p.id and q.available_at < ${before(now, OVERDUE_MS)} order by q.available_at limit 1) q
      where ${PROJECT_HELD_BY} is null and ${inProject(sql`p.id`, projectId)}
      order by p.id limit ${limit}`,
  );
  return found.map(({ id, project, due_at }) => ({ workflowId: scheduledWorkflowId(id), project, ...scheduledStuck(due_at) }));
}

/** Of each enabled endpoint with deliveries whose attempt was due long ago, the one that was due first, and how many there are. */
export async function overdueDeliveries(em: EntityManager, { projectId, limit }: RowsAsked, now: Date): Promise<OverdueRow[]> {
  const found = await rows(
    em,
    sql<Of<OverdueDeliveries>>`
      with overdue as materialized (
        select distinct on (d.endpoint_id) d.id, p.slug as project, d.attempts, d.next_attempt_at, d.endpoint_id, w.url,
               count(*) over of_endpoint as count, count(*) filter (where d.attempts = 0) over of_endpoint as untried
        from webhook_deliveries d join projects p on p.id = d.project_id join webhook_endpoints w on w.id = d.endpoint_id
        where ${HAS_WORKFLOW} and w.enabled and d.next_attempt_at < ${before(now, OVERDUE_MS)}
          and ${inProject(sql`d.project_id`, projectId)}
        window of_endpoint as (partition by d.endpoint_id)
        order by d.endpoint_id, d.next_attempt_at, d.id limit ${limit}
      )
      select o.*, ${lastAnswer(sql`o.endpoint_id`, now)} as answered from overdue o order by o.id`,
  );
  return found.map(({ id, project, ...deliveries }) => ({
    ...{ workflowId: deliveryWorkflowId(id), project },
    ...deliveriesStuck(deliveries),
  }));
}

/** Bursts of enabled endpoints in which a first attempt has waited for too long: each once, whatever waits in it. */
export async function overdueBursts(em: EntityManager, { projectId, limit }: RowsAsked, now: Date): Promise<OverdueRow[]> {
  const found = await rows(
    em,
    sql<Omit<Of<OverdueBurst>, 'id'>>`
      with overdue as materialized (
        select w.id as endpoint_id, w.url, p.slug as project, f.since
        from webhook_endpoints w join projects p on p.id = w.project_id cross join lateral (
          select case when d.attempts = 0 then d.created_at else d.next_attempt_at end as since
          from webhook_deliveries d where ${IN_BURST} and d.endpoint_id = w.id order by d.place limit 1) f
        where w.enabled and f.since < ${before(now, OVERDUE_MS)} and ${inProject(sql`w.project_id`, projectId)}
        order by w.id limit ${limit}
      )
      select o.*, ${lastAnswer(sql`o.endpoint_id`, now)} as answered,
             (select count(*) from webhook_deliveries d where ${IN_BURST} and d.endpoint_id = o.endpoint_id) as waiting
      from overdue o order by o.endpoint_id`,
  );
  return found.map(({ project, ...burst }) => ({ workflowId: burstWorkflowId(burst.endpoint_id), project, ...burstStuck(burst) }));
}

/** Of an endpoint, the deliveries that are looked at for its last answer: of those tried again, and of the newest before its burst. */
const ANSWERS_LOOKED_AT = sql.lit(500);
/** An error that begins with one word names what came of the call; others are of our own making. */
const REFUSED_BY = sql.lit('^([a-z]+): ');

/** What an endpoint answered last, and not longer ago than what is overdue: what it did before an outage of the workers says nothing. */
function lastAnswer(endpointId: RawBuilder<unknown>, now: Date): RawBuilder<unknown> {
  return sql`(
    select coalesce(l.entry ->> 'status', substring(l.entry ->> 'error' from ${REFUSED_BY})) from (
      (select d.attempt_log -> -1 as entry from webhook_deliveries d
       where d.endpoint_id = ${endpointId} and ${HAS_WORKFLOW} and d.attempts > 0 limit ${ANSWERS_LOOKED_AT})
      union all
      (select d.attempt_log -> -1 from webhook_deliveries d
       where d.endpoint_id = ${endpointId} and (d.created_at, d.place) < (
         coalesce((select d.created_at ${firstInBurst(endpointId)}), 'infinity'), coalesce((select d.place ${firstInBurst(endpointId)}), 0))
       order by d.created_at desc, d.place desc limit ${ANSWERS_LOOKED_AT})) l
    where (l.entry ->> 'at')::timestamptz >= ${before(now, OVERDUE_MS)}
      and (l.entry ->> 'status' is not null or l.entry ->> 'error' ~ ${REFUSED_BY})
    order by l.entry ->> 'at' desc limit 1)`;
}

function firstInBurst(endpointId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`from webhook_deliveries d where ${IN_BURST} and d.endpoint_id = ${endpointId} order by d.place limit 1`;
}

/** Messages that Temporal has not taken, however often it was asked; the oldest first. */
export async function refusedMessages(em: EntityManager, { projectId, limit }: RowsAsked): Promise<OverdueRow[]> {
  const found = await rows(
    em,
    sql<{ workflow_id: string; project: string; since: Date; attempts: number; kind: string }>`
      select o.workflow_id, p.slug as project, o.created_at as since, o.attempts, o.message ->> 'kind' as kind
      from outbox o join projects p on p.id = o.project_id
      where o.attempts > ${MOST_ATTEMPTS_EXPECTED} and ${inProject(sql`o.project_id`, projectId)} order by o.id limit ${limit}`,
  );
  return found.map(({ workflow_id: workflowId, project, since, attempts, kind }) => ({
    ...{ workflowId, project, since },
    problem: `Temporal has not taken its ${kind} in ${attempts} tries; the logs say why at outbox.message_refused or, while it takes none at all, at outbox.temporal_unavailable`,
  }));
}

function before(now: Date, milliseconds: number): RawBuilder<unknown> {
  return sql`${new Date(now.getTime() - milliseconds)}::timestamptz`;
}
