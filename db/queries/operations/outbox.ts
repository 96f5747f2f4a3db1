import { type RawBuilder, sql } from 'kysely';
import {
  actionWorkflowId,
  bulkWorkflowId,
  burstWorkflowId,
  CHANGED_SIGNAL,
  campaignWorkflowId,
  confirmationWorkflowId,
  deliveryWorkflowId,
  domainCheckWorkflowId,
  enrollmentWorkflowId,
  importWorkflowId,
  recurringScheduleId,
  retryWorkflowId,
  scheduledWorkflowId,
  type TemporalMessage,
  type WorkflowType,
} from '../../../workflows/contracts.ts';
import type { EntityManager } from '../../orm.ts';
import { noteMessages } from '../../outbox-signal.ts';
import { preparedRow, row, rows } from '../../rows.ts';

export interface Outgoing {
  readonly workflowId: string;
  readonly message: TemporalMessage;
}

/** Single changes go before bulk ones. */
export const SINGLE = 1;
const BULK = 5;
/** A change with more messages than this is a bulk one, whatever it is: those of others do not wait behind it. */
export const MOST_OF_SINGLE = 20;

/** The priority of so many messages of one change. */
function priorityOf(count: RawBuilder<unknown>): RawBuilder<number> {
  return sql`case when ${count} > ${sql.lit(MOST_OF_SINGLE)} then ${sql.lit(BULK)} else ${sql.lit(SINGLE)} end`;
}

const ID_OF: Readonly<Record<WorkflowType, (id: string) => string>> = {
  enrollment: enrollmentWorkflowId,
  campaign: campaignWorkflowId,
  webhookDelivery: deliveryWorkflowId,
  webhookBurst: burstWorkflowId,
  webhookRetry: retryWorkflowId,
  scheduledSends: scheduledWorkflowId,
  bulkEnrollment: bulkWorkflowId,
  enrollmentAction: actionWorkflowId,
  domainCheck: domainCheckWorkflowId,
  confirmation: confirmationWorkflowId,
  contactImport: importWorkflowId,
};

/** The workflow id of the row whose id this column is, as SQL. */
export function workflowIdOf(type: WorkflowType, column: string): RawBuilder<string> {
  return sql`${sql.lit(ID_OF[type](''))} || ${sql.ref(column)}`;
}

/** `isBulk`: the change is a bulk one, however few its messages are. */
interface Urgency {
  readonly isBulk?: boolean;
}

/** In the transaction of the change that makes the messages due. */
export async function enqueue(
  tx: EntityManager,
  projectId: string,
  messages: readonly Outgoing[],
  { isBulk = false }: Urgency = {},
): Promise<void> {
  if (messages.length === 0) return;
  const priority = isBulk || messages.length > MOST_OF_SINGLE ? BULK : SINGLE;
  await preparedRow(
    tx,
    sql`insert into outbox (workflow_id, message, priority, project_id)
        select m."workflowId", m.message, ${priority}, ${projectId}
        from jsonb_to_recordset(${JSON.stringify(messages)}::jsonb) as m("workflowId" text, message jsonb)`,
  );
  noteMessages(tx);
}

/** The same of one message for each row, whatever projects they are of. Returns how many. */
export async function enqueueEach(
  tx: EntityManager,
  rows: readonly { readonly id: string; readonly project_id: string }[],
  messageOf: (id: string) => Outgoing,
  urgency?: Urgency,
): Promise<number> {
  for (const { id, project_id } of rows) await enqueue(tx, project_id, [messageOf(id)], urgency);
  return rows.length;
}

/** The start of an enrollment's workflow: the row of the enrollment says everything else. */
export function enrollmentStart(enrollmentId: string): Outgoing {
  return { workflowId: enrollmentWorkflowId(enrollmentId), message: { kind: 'start', workflowType: 'enrollment' } };
}

/** Tells the workflow of an enrollment by a signal. */
export function enrollmentSignal(enrollmentId: string, signal: string): Outgoing {
  return { workflowId: enrollmentWorkflowId(enrollmentId), message: { kind: 'signal', signal } };
}

/** The start of the workflow of an action over many runs. */
export function enrollmentActionStart(actionId: string): Outgoing {
  return { workflowId: actionWorkflowId(actionId), message: { kind: 'start', workflowType: 'enrollmentAction' } };
}

/** The start of a campaign's workflow: the row of the campaign says everything else. */
export function campaignStart(campaignId: string): Outgoing {
  return { workflowId: campaignWorkflowId(campaignId), message: { kind: 'start', workflowType: 'campaign' } };
}

/** The start of a delivery's workflow; one that is just ending goes on. */
export function deliveryStart(deliveryId: string): Outgoing {
  return { workflowId: deliveryWorkflowId(deliveryId), message: { kind: 'start', workflowType: 'webhookDelivery' } };
}

/** The start of an endpoint's burst; one that is just ending goes on. */
export function burstStart(endpointId: string): Outgoing {
  return { workflowId: burstWorkflowId(endpointId), message: { kind: 'start', workflowType: 'webhookBurst' } };
}

/** The start of the workflow of a retry of all failed deliveries. */
export function retryStart(retryId: string): Outgoing {
  return { workflowId: retryWorkflowId(retryId), message: { kind: 'start', workflowType: 'webhookRetry' } };
}

/** The start of the workflow of a project's scheduled mails; one that runs looks again. */
export function scheduledStart(projectId: string): Outgoing {
  return { workflowId: scheduledWorkflowId(projectId), message: { kind: 'start', workflowType: 'scheduledSends' } };
}

/** The start of the workflow of a bulk enrollment. */
export function bulkStart(bulkId: string): Outgoing {
  return { workflowId: bulkWorkflowId(bulkId), message: { kind: 'start', workflowType: 'bulkEnrollment' } };
}

/** The start of the workflow that looks after the records of a sending domain. */
export function domainCheckStart(domainId: string): Outgoing {
  return { workflowId: domainCheckWorkflowId(domainId), message: { kind: 'start', workflowType: 'domainCheck' } };
}

/** Makes the workflow of a sending domain look again. */
export function domainCheckSignal(domainId: string): Outgoing {
  return { workflowId: domainCheckWorkflowId(domainId), message: { kind: 'signal', signal: CHANGED_SIGNAL } };
}

/** The start of the workflow of an import. */
export function importStart(importId: string): Outgoing {
  return { workflowId: importWorkflowId(importId), message: { kind: 'start', workflowType: 'contactImport' } };
}

/** Makes the workflow of an import look again whether it is to go on. */
export function importSignal(importId: string): Outgoing {
  return { workflowId: importWorkflowId(importId), message: { kind: 'signal', signal: CHANGED_SIGNAL } };
}

/** The start of the workflow of a confirmation. */
export function confirmationStart(confirmationId: string): Outgoing {
  return { workflowId: confirmationWorkflowId(confirmationId), message: { kind: 'start', workflowType: 'confirmation' } };
}

/** Makes the workflow of a confirmation look again. */
export function confirmationSignal(confirmationId: string): Outgoing {
  return { workflowId: confirmationWorkflowId(confirmationId), message: { kind: 'signal', signal: CHANGED_SIGNAL } };
}

/** Makes the schedule of a recurring campaign agree with its row. */
export function recurringSchedule(recurringId: string): Outgoing {
  return { workflowId: recurringScheduleId(recurringId), message: { kind: 'schedule' } };
}

/** Makes a bulk enrollment look again at its sequence and at itself. */
export async function signalBulk(tx: EntityManager, projectId: string, bulkId: string): Promise<void> {
  await enqueue(tx, projectId, [{ workflowId: bulkWorkflowId(bulkId), message: { kind: 'signal', signal: CHANGED_SIGNAL } }]);
}

/** Makes the workflows of these campaigns of the project read their state again. */
export async function signalCampaigns(tx: EntityManager, projectId: string, ids: readonly string[]): Promise<void> {
  const message = { kind: 'signal', signal: CHANGED_SIGNAL } as const;
  await enqueue(
    tx,
    projectId,
    ids.map((id) => ({ workflowId: campaignWorkflowId(id), message })),
  );
}

/** Of whatever project, so these take one share of the outbox together. */
const NO_PROJECT = '00000000-0000-0000-0000-000000000000';

/** Makes these workflows of any project and type read their rows again. */
export async function signalWorkflows(tx: EntityManager, workflowIds: readonly string[]): Promise<void> {
  const message = { kind: 'signal', signal: CHANGED_SIGNAL } as const;
  const signals = workflowIds.map((workflowId) => ({ workflowId, message }));
  await enqueue(tx, NO_PROJECT, signals, { isBulk: true });
}

/** Makes the workflows of the enrollments `e` that match evaluate their step again. */
export async function signalRuns(tx: EntityManager, which: RawBuilder<unknown>): Promise<void> {
  const signalled = await preparedRow(
    tx,
    sql<{ count: number }>`
      with waiting as materialized (
        select e.id, e.project_id from enrollments e where ${which}
      ), written as (
        ${signalling('waiting', sql`(select count(*) from waiting)`)} returning 1
      )
      select count(*) as count from written`,
  );
  if (signalled && signalled.count > 0) noteMessages(tx);
}

/** The same as part of a larger statement: signals for the enrollments of a CTE with `id` and `project_id`, of a change of so many. */
export function signalling(enrollments: string, count: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    insert into outbox (workflow_id, message, priority, project_id)
    select ${workflowIdOf('enrollment', 'w.id')}, ${CHANGED}, ${priorityOf(count)}, w.project_id from ${sql.table(enrollments)} w order by w.id`;
}

/** The statement that starts the workflows of the deliveries that this one gives as id and project_id, of a change of so many. */
export function startingDeliveries(deliveries: RawBuilder<unknown>, count: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    insert into outbox (workflow_id, message, priority, project_id)
    select ${workflowIdOf('webhookDelivery', 'd.id')}, ${START_DELIVERY}, ${priorityOf(count)}, d.project_id from (${deliveries}) d`;
}

/**
 * The statement that starts the workflows of the deliveries that this one gives as id, project_id and due_at, then and no earlier: a bulk
 * change, so that a dead endpoint's many do not stand before what happens meanwhile. They are spread over a tenth of the time until then, 15
 * seconds at most: what was refused together would else be due together, and take the workers from everybody.
 */
export function startingWhenDue(deliveries: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    insert into outbox (workflow_id, message, priority, project_id, due_at)
    select ${workflowIdOf('webhookDelivery', 'd.id')}, ${START_DELIVERY}, ${sql.lit(BULK)}, d.project_id, d.due_at + random() * ${SPREAD}
    from (${deliveries}) d`;
}

const SPREAD = sql.raw(`greatest(interval '0', least(interval '15 seconds', (d.due_at - now()) / 10))`);

/** The statement that starts the bursts of the endpoints that this one gives as id and project_id. */
export function startingBursts(endpoints: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    insert into outbox (workflow_id, message, priority, project_id)
    select ${workflowIdOf('webhookBurst', 'w.id')}, ${START_BURST}, ${sql.lit(BULK)}, w.project_id from (${endpoints}) w`;
}

/**
 * The statement that makes the workflows of the deliveries of a CTE with `id` and `project_id` read again what they depend on: a bulk change.
 * Those that are started later read it then.
 */
export function signallingDeliveries(deliveries: string): RawBuilder<unknown> {
  return sql`
    insert into outbox (workflow_id, message, priority, project_id)
    select ${workflowIdOf('webhookDelivery', 'd.id')}, ${CHANGED}, ${sql.lit(BULK)}, d.project_id from ${sql.table(deliveries)} d
    where not exists (select 1 from outbox o where o.workflow_id = ${workflowIdOf('webhookDelivery', 'd.id')}
                        and o.message ->> 'kind' = 'start' and o.due_at > now() + interval '30 seconds')`;
}

/** The statement that brings the planned starts of the workflows of the deliveries of a CTE with `id` to Temporal now. */
export function startingNow(deliveries: string): RawBuilder<unknown> {
  // What was leased is on its way already.
  return sql`
    update outbox o set due_at = now() from ${sql.table(deliveries)} d
    where o.workflow_id = ${workflowIdOf('webhookDelivery', 'd.id')} and o.message ->> 'kind' = 'start' and o.attempts = 0 and o.due_at > now()`;
}

/** Makes the burst of an endpoint read again what it depends on. */
export async function signalBurst(tx: EntityManager, projectId: string, endpointId: string): Promise<void> {
  const message = { kind: 'signal', signal: CHANGED_SIGNAL } as const;
  await enqueue(tx, projectId, [{ workflowId: burstWorkflowId(endpointId), message }], { isBulk: true });
}

/** Makes a retry of all failed deliveries read again what it depends on. */
export async function signalRetry(tx: EntityManager, projectId: string, retryId: string): Promise<void> {
  await enqueue(tx, projectId, [{ workflowId: retryWorkflowId(retryId), message: { kind: 'signal', signal: CHANGED_SIGNAL } }]);
}

/** These as messages of the outbox. */
const START_DELIVERY = messageText({ kind: 'start', workflowType: 'webhookDelivery' });
export const START_BURST = messageText({ kind: 'start', workflowType: 'webhookBurst' });
const CHANGED = messageText({ kind: 'signal', signal: CHANGED_SIGNAL });

function messageText(message: TemporalMessage): RawBuilder<unknown> {
  return sql.raw(`'${JSON.stringify(message)}'::jsonb`);
}

/** The condition that no start of this workflow is on its way to Temporal. */
export function hasNoStart(workflowId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`not exists (select 1 from outbox o where o.workflow_id = ${workflowId} and o.message ->> 'kind' = 'start')`;
}

/** Whether a start of this workflow has not reached Temporal yet. */
export async function hasPendingStart(em: EntityManager, workflowId: string): Promise<boolean> {
  const found = await row(em, sql`select 1 from outbox where workflow_id = ${workflowId} and message ->> 'kind' = 'start' limit 1`);
  return found !== undefined;
}

/** Of which of these workflows a start has not reached Temporal yet. */
export async function pendingStarts(em: EntityManager, workflowIds: readonly string[]): Promise<Set<string>> {
  const found = await rows(
    em,
    sql<{ workflow_id: string }>`
      select distinct workflow_id from outbox where workflow_id = any(${workflowIds}::text[]) and message ->> 'kind' = 'start'`,
  );
  return new Set(found.map(({ workflow_id }) => workflow_id));
}

/** Brings a start that waits for its time to Temporal now. */
export async function startNow(tx: EntityManager, workflowId: string): Promise<void> {
  await row(
    tx,
    sql`update outbox set due_at = now() where workflow_id = ${workflowId} and message ->> 'kind' = 'start' and due_at > now()`,
  );
}

/** Nothing more is to reach this workflow of what is on its way. */
export async function dropMessages(tx: EntityManager, workflowId: string): Promise<void> {
  await row(tx, sql`delete from outbox where workflow_id = ${workflowId}`);
}
