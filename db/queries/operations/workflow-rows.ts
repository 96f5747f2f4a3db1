import { type RawBuilder, sql } from 'kysely';
import type { WorkflowType } from '../../../workflows/contracts.ts';
import type { EntityManager } from '../../orm.ts';
import { row, rows } from '../../rows.ts';
import { IS_OPEN as CAMPAIGN_IS_OPEN } from '../campaigns/campaigns.ts';
import { IS_OPEN_IMPORT } from '../contacts/imports.ts';
import { IS_CHECKED } from '../domains/sending-domains.ts';
import { HAS_SCHEDULED } from '../sends/scheduled-sends.ts';
import { HAS_WORKFLOW, IN_BURST, NEEDS_BURST } from '../webhooks/burst-or-workflow.ts';
import { hasNoStart, workflowIdOf } from './outbox.ts';

/** The row that a workflow has, as an operator's commands need it. */
export interface WorkflowRow {
  readonly workflowType: WorkflowType;
  readonly id: string;
  readonly projectId: string;
  readonly status: string;
  /** Why it ended, or does not go on. */
  readonly reason: string | null;
  /** Of an enrollment that waits: until when. */
  readonly wakesAt: Date | null;
  /** Of a delivery. */
  readonly endpointId: string | null;
  /** Of a delivery: it has no workflow of its own yet. */
  readonly inBurst: boolean;
}

/** The enrollment, campaign, delivery, endpoint, retry, bulk enrollment, action over runs, sending domain, confirmation, import or project with this id; undefined when there is none. Of an endpoint it is the burst, of a project its scheduled mails. */
export async function findWorkflowRow(em: EntityManager, id: string): Promise<WorkflowRow | undefined> {
  return row(
    em,
    sql<WorkflowRow>`
      select 'enrollment' as "workflowType", id, project_id as "projectId", status, coalesce(end_reason, waiting_for) as reason,
             wakes_at as "wakesAt", null::uuid as "endpointId", false as "inBurst" from enrollments where id = ${id}
      union all
      select 'campaign', id, project_id, status, reason, null, null, false from campaigns where id = ${id}
      union all
      select 'webhookDelivery', id, project_id, status, null, null, endpoint_id, in_lane from webhook_deliveries where id = ${id}
      union all
      select 'webhookBurst', w.id, w.project_id, case when ${NEEDS_BURST} then 'waiting' else 'empty' end, null, null, w.id, false
      from webhook_endpoints w where w.id = ${id}
      union all
      select 'webhookRetry', id, project_id, status, null, null, null, false from webhook_retries where id = ${id}
      union all
      select 'bulkEnrollment', id, project_id, status, null, null, null, false from bulk_enrollments where id = ${id}
      union all
      select 'enrollmentAction', id, project_id, status, null, null, null, false from enrollment_actions where id = ${id}
      union all
      select 'domainCheck', id, project_id, standing, null, null, null, false from sending_domains where id = ${id}
      union all
      select 'confirmation', id, project_id, state, failure, null, null, false from confirmations where id = ${id}
      union all
      select 'contactImport', id, project_id, status, error, null, null, false from imports where id = ${id}
      union all
      select 'scheduledSends', p.id, p.id, case when ${HAS_SCHEDULED} then 'waiting' else 'empty' end, null, null, null, false
      from projects p where p.id = ${id}`,
  );
}

/** An open row, and since when it is where it is. */
export interface OpenRow {
  readonly id: string;
  /** Slug. */
  readonly project: string;
  readonly since: Date;
}

/** Which rows: of one project or of all, and how many at most. */
export interface RowsAsked {
  readonly projectId: string | undefined;
  readonly limit: number;
}

/** Of a table's row with its project_id. */
export function inProject(column: RawBuilder<unknown>, projectId: string | undefined): RawBuilder<unknown> {
  return projectId === undefined ? sql`true` : sql`${column} = ${projectId}`;
}

interface NewestOpen {
  readonly table: string;
  /** Of a row `o`. */
  readonly isOpen: RawBuilder<unknown>;
  readonly since: RawBuilder<unknown>;
}

/** Of a table each of whose open rows is under way. */
function newestOpen(type: WorkflowType, { table, isOpen, since }: NewestOpen) {
  return (em: EntityManager, { projectId, limit }: RowsAsked): Promise<OpenRow[]> =>
    rows(
      em,
      sql<OpenRow>`
        select o.id, p.slug as project, ${since} as since from ${sql.table(table)} o join projects p on p.id = o.project_id
        where ${isOpen} and ${inProject(sql`o.project_id`, projectId)} and ${hasNoStart(workflowIdOf(type, 'o.id'))}
        order by o.id desc limit ${limit}`,
    );
}

/** Open rows of one type whose workflow should be there: first those that are under way, then the newest. */
export const OPEN_ROWS: Record<WorkflowType, (em: EntityManager, asked: RowsAsked) => Promise<OpenRow[]>> = {
  enrollment: (em, { projectId, limit }) =>
    rows(
      em,
      sql<OpenRow>`
        with open as materialized (
          select e.id, e.project_id, e.started_at from enrollments e
          where e.status = 'active' and ${inProject(sql`e.project_id`, projectId)} and ${hasNoStart(workflowIdOf('enrollment', 'e.id'))}
          order by e.waiting_for is null or e.waiting_for = 'webhook' desc, e.id desc limit ${limit})
        select e.id, p.slug as project,
               coalesce((select s.at from enrollment_steps s where s.enrollment_id = e.id order by s.step desc limit 1), e.started_at) as since
        from open e join projects p on p.id = e.project_id`,
    ),
  campaign: (em, { projectId, limit }) =>
    rows(
      em,
      sql<OpenRow>`
        select c.id, p.slug as project, coalesce(c.started_at, c.launched_at, c.created_at) as since
        from campaigns c join projects p on p.id = c.project_id
        where ${CAMPAIGN_IS_OPEN} and ${inProject(sql`c.project_id`, projectId)} and ${hasNoStart(workflowIdOf('campaign', 'c.id'))}
        order by c.status = 'sending' desc, c.id desc limit ${limit}`,
    ),
  webhookDelivery: (em, { projectId, limit }) =>
    rows(
      em,
      sql<OpenRow>`
        select d.id, p.slug as project, least(d.next_attempt_at, now()) as since
        from webhook_deliveries d join projects p on p.id = d.project_id join webhook_endpoints w on w.id = d.endpoint_id
        where ${HAS_WORKFLOW} and ${inProject(sql`d.project_id`, projectId)} and ${hasNoStart(workflowIdOf('webhookDelivery', 'd.id'))}
        order by d.next_attempt_at <= now() desc, d.id desc limit ${limit}`,
    ),
  webhookBurst: (em, { projectId, limit }) =>
    rows(
      em,
      sql<OpenRow>`
        select w.id, p.slug as project,
               coalesce((select d.created_at from webhook_deliveries d where ${IN_BURST} and d.endpoint_id = w.id order by d.place limit 1), now()) as since
        from webhook_endpoints w join projects p on p.id = w.project_id
        where ${NEEDS_BURST} and ${inProject(sql`w.project_id`, projectId)} and ${hasNoStart(workflowIdOf('webhookBurst', 'w.id'))}
        order by w.id desc limit ${limit}`,
    ),
  webhookRetry: newestOpen('webhookRetry', { table: 'webhook_retries', isOpen: sql`o.status = 'running'`, since: sql`o.created_at` }),
  bulkEnrollment: newestOpen('bulkEnrollment', { table: 'bulk_enrollments', isOpen: sql`o.status = 'running'`, since: sql`o.created_at` }),
  enrollmentAction: newestOpen('enrollmentAction', {
    table: 'enrollment_actions',
    isOpen: sql`o.status = 'running'`,
    since: sql`o.created_at`,
  }),
  domainCheck: (em, { projectId, limit }) =>
    rows(
      em,
      sql<OpenRow>`
        select d.id, p.slug as project, coalesce(d.checked_at, d.created_at) as since
        from sending_domains d join projects p on p.id = d.project_id
        where ${IS_CHECKED} and ${inProject(sql`d.project_id`, projectId)} and ${hasNoStart(workflowIdOf('domainCheck', 'd.id'))}
        order by d.id desc limit ${limit}`,
    ),
  confirmation: newestOpen('confirmation', {
    table: 'confirmations',
    isOpen: sql`o.state = 'waiting'`,
    since: sql`coalesce(o.mailed_at, o.asked_at)`,
  }),
  contactImport: (em, { projectId, limit }) =>
    rows(
      em,
      sql<OpenRow>`
        select i.id, p.slug as project, i.created_at as since from imports i join projects p on p.id = i.project_id
        where ${IS_OPEN_IMPORT} and ${inProject(sql`i.project_id`, projectId)} and ${hasNoStart(workflowIdOf('contactImport', 'i.id'))}
        order by i.id desc limit ${limit}`,
    ),
  scheduledSends: (em, { projectId, limit }) =>
    rows(
      em,
      sql<OpenRow>`
        select p.id, p.slug as project, now() as since from projects p
        where ${HAS_SCHEDULED} and ${inProject(sql`p.id`, projectId)} and ${hasNoStart(workflowIdOf('scheduledSends', 'p.id'))}
        order by p.id desc limit ${limit}`,
    ),
};
