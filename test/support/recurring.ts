import type { Client, ScheduleDescription } from '@temporalio/client';
import { sql } from 'kysely';
import type { EntityManager } from '../../db/orm.ts';
import { row } from '../../db/rows.ts';
import { describeSchedule } from '../../platform/temporal/recurring-schedules.ts';
import { recurringScheduleId } from '../../workflows/contracts.ts';
import { eventually, type Patience } from './eventually.ts';
import type { TestProject } from './project.ts';
import { must } from './sequences.ts';

/** The record as the API shows it. */
// biome-ignore lint/suspicious/noExplicitAny: tests reach into it
type Recurring = any;

type Caller = Pick<TestProject, 'api'>;

/** Never at the hour at which tests run: eleven hours from now at the latest. */
export const DAILY = { every: 'day', at: timeIn(11), timezone: 'UTC' } as const;

/** A time of day so many hours from now, in UTC. */
function timeIn(hours: number): string {
  return new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16);
}

/** Creates one; of `newsletter`, and daily, unless told. */
export async function newRecurring(project: Caller, body: object): Promise<Recurring> {
  return must(await project.api.post('/recurring-campaigns', { template: 'newsletter', recurrence: DAILY, ...body }), 201)
    .recurringCampaign;
}

export async function recurringOf(project: Caller, id: string): Promise<Recurring> {
  return must(await project.api.get(`/recurring-campaigns/${id}`), 200).recurringCampaign;
}

export async function runsOf(project: Caller, id: string): Promise<Recurring[]> {
  return must(await project.api.get(`/recurring-campaigns/${id}/runs`), 200).runs;
}

export async function campaignsOf(project: Caller, id: string): Promise<Recurring[]> {
  return must(await project.api.get(`/campaigns?recurringId=${id}`), 200).campaigns;
}

/**
 * As if so many days had passed for one that is daily, in which nothing has run. What ran before is long ago then, in its order. Its schedule knows of all
 * changes before: else it would run as soon as that is told, as after an outage.
 */
export async function passDays(em: EntityManager, id: string, days: number): Promise<void> {
  const message = sql`select 1 from outbox where workflow_id = ${recurringScheduleId(id)}`;
  await eventually(async () => !(await row(em, message)));
  await row(
    em,
    sql`update recurring_runs set due_at = due_at - interval '1 year' + random() * interval '1 second' where recurring_id = ${id}`,
  );
  await row(
    em,
    sql`update recurring_campaigns set created_at = created_at - make_interval(days => ${days}), next_due_at = next_due_at - make_interval(days => ${days}),
          paused_from = paused_from - make_interval(days => ${days})
        where id = ${id}`,
  );
}

/** What its schedule in Temporal is, once it is as wanted. */
export async function scheduleBecomes(
  client: Client,
  id: string,
  wanted: (schedule: ScheduleDescription) => boolean = () => true,
  patience: Patience = {},
): Promise<ScheduleDescription> {
  return eventually(async () => {
    const schedule = await describeSchedule(client, id);
    return schedule && wanted(schedule) && schedule;
  }, patience);
}

/** As an operator does who triggers the schedule by hand; settled once its run has ended. Answers with what that said. */
export async function triggerRun(client: Client, id: string): Promise<string> {
  const { info } = await scheduleBecomes(client, id);
  const taken = ({ info: now }: ScheduleDescription) => now.numActionsTaken > info.numActionsTaken;
  // Of two in one second, which have one id, Temporal starts the first.
  const after = await eventually(
    async () => {
      await client.schedule.getHandle(recurringScheduleId(id)).trigger('ALLOW_ALL');
      return scheduleBecomes(client, id, taken, { timeoutMs: 1_500, everyMs: 50 }).catch(() => false as const);
    },
    { everyMs: 10 },
  );
  const { workflowId, firstExecutionRunId } = after.info.recentActions.at(-1)!.action.workflow;
  return client.workflow.getHandle(workflowId, firstExecutionRunId).result();
}
