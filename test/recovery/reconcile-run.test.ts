import { type Client, ScheduleOverlapPolicy, type WorkflowHandle } from '@temporalio/client';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../db/orm.ts';
import { pauseAfterPass } from '../../domain/operations/reconcile-pace.ts';
import { ensureReconcileSchedule, RECONCILE_SCHEDULE } from '../../platform/temporal/schedules.ts';
import { enrollmentWorkflowId } from '../../workflows/contracts.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { mailNow, mailTo } from '../support/mail.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { reconcileNow, reconcileRun } from '../support/reconcile-run.ts';
import { resetWorkflow } from '../support/reset-workflow.ts';
import {
  DAY_MINUTES,
  enableTemplates,
  enrollmentBecomes,
  enrollmentEnds,
  enrollmentOf,
  newContact,
  newSequence,
  traceOf,
} from '../support/sequences.ts';
import { type HistoryEvent, temporalClient, workflowHistory } from '../support/temporal.ts';
import { createNamespace } from '../support/temporal-namespace.ts';

let em: EntityManager;
let project: TestProject;
let client: Client;

beforeAll(async () => {
  em = await database();
  project = await newProject();
  await enableTemplates(project, 'welcome', 'receipt');
  client = await temporalClient();
});

/** An enrollment whose first mail went out and whose second comes in a day. */
async function waiting(): Promise<{ id: string; email: string; handle: WorkflowHandle }> {
  const email = project.address();
  await newContact(project, email);
  const sequence = await newSequence(project, { steps: [{ template: 'welcome' }, { template: 'receipt', delayMinutes: DAY_MINUTES }] });
  const id = await sequence.enroll(email);
  await enrollmentBecomes(em, id, ({ waiting_for }) => waiting_for === 'delay');
  await mailTo(email);
  const handle = client.workflow.getHandle(enrollmentWorkflowId(id));
  // The mail goes within the first workflow task, which a reset needs.
  await eventually(async () =>
    (await handle.fetchHistory()).events?.some(({ timerStartedEventAttributes }) => timerStartedEventAttributes),
  );
  return { id, email, handle };
}

test('an enrollment whose workflow an operator terminates becomes cancelled, reason terminated, at the next pass', async () => {
  const { id, handle } = await waiting();
  await handle.terminate('an operator ended it');
  await eventually(
    async () => {
      await reconcileNow(client);
      return (await enrollmentOf(em, id)).status !== 'active';
    },
    { timeoutMs: 60_000 },
  );
  expect(await enrollmentOf(em, id)).toMatchObject({ status: 'cancelled', end_reason: 'terminated' });
});

test('a terminated run that was reset goes on: it is not settled as terminated', async () => {
  const { id, email, handle } = await waiting();
  // So that no other pass comes between the two.
  await reconcileNow(client);
  await handle.terminate('a mistake');
  await resetWorkflow(client, `enrollment/${id}`);
  await eventually(async () => (await client.workflow.count(`WorkflowId = "enrollment/${id}"`)).count === 2);
  await reconcileNow(client);
  expect(await enrollmentOf(em, id)).toMatchObject({ status: 'active', waiting_for: 'delay' });
  expect((await handle.describe()).status.name).toBe('RUNNING');
  expect(await mailNow(email)).toHaveLength(1);
  await project.api.delete(`/enrollments/${id}`);
});

test('a run whose workflow is gone gets a new one, which goes on where it stood and sends nothing twice', async () => {
  const { id, email, handle } = await waiting();
  const before = await enrollmentOf(em, id);
  await client.workflowService.deleteWorkflowExecution({
    namespace: 'default',
    workflowExecution: { workflowId: enrollmentWorkflowId(id) },
  });
  await eventually(() =>
    handle.describe().then(
      () => false,
      () => true,
    ),
  );
  await eventually(
    async () => {
      await reconcileNow(client);
      return handle.describe().then(({ status }) => status.name === 'RUNNING');
    },
    { timeoutMs: 60_000 },
  );
  await eventually(async () =>
    (await handle.fetchHistory()).events?.some(({ timerStartedEventAttributes }) => timerStartedEventAttributes),
  );
  expect(await enrollmentOf(em, id)).toEqual(before);
  expect(await mailNow(email)).toHaveLength(1);
  await project.api.delete(`/enrollments/${id}`);
  expect(await enrollmentEnds(em, id)).toMatchObject({ end_reason: 'cancelled' });
  expect((await traceOf(em, id)).slice(0, 2)).toEqual(['trigger enrolled', 'send_1 sent']);
});

test('one run makes many passes, and when an operator ends it the schedule starts the next', async () => {
  const run = await reconcileRun(client);
  await reconcileNow(client);
  await reconcileNow(client);
  expect((await reconcileRun(client)).workflowId).toBe(run.workflowId);
  await run.terminate('an operator ended it');
  await eventually(async () => (await reconcileRun(client)).workflowId !== run.workflowId);
});

test('the pause after a pass counts from its begin: what the pass took is no part of the wait', async () => {
  await reconcileNow(client);
  const { events } = await workflowHistory(client, (await reconcileRun(client)).workflowId);
  const timer = events.findLastIndex(({ eventType }) => eventType === 'EVENT_TYPE_TIMER_STARTED');
  const isPass = (event: HistoryEvent) =>
    event.eventType === 'EVENT_TYPE_ACTIVITY_TASK_SCHEDULED' && JSON.stringify(event).includes('"reconcileRows"');
  const pass = events.slice(0, timer).findLastIndex(isPass);
  /** The clock of the workflow when it asked for this. */
  const clockAt = (place: number): number => {
    const task = events.slice(0, place).findLast(({ eventType }) => eventType === 'EVENT_TYPE_WORKFLOW_TASK_STARTED');
    return Date.parse(task?.eventTime as string);
  };
  const { startToFireTimeout } = events[timer]!.timerStartedEventAttributes as { startToFireTimeout: string };
  expect(clockAt(timer)).toBeGreaterThan(clockAt(pass));
  expect(Math.abs(Number.parseFloat(startToFireTimeout) * 1000 - pauseAfterPass(clockAt(pass), clockAt(timer)))).toBeLessThanOrEqual(1);
});

test('a schedule of an earlier version is brought up to date, and stays paused when an operator has paused it', async () => {
  const namespace = `test-${uuidv7()}`;
  await createNamespace(testEnvironment().temporalAddress, namespace);
  const own = await temporalClient(namespace);
  await own.schedule.create({
    scheduleId: RECONCILE_SCHEDULE,
    spec: { intervals: [{ every: '1m' }] },
    action: { type: 'startWorkflow', workflowType: 'reconcile', taskQueue: 'workflows', workflowExecutionTimeout: '5m' },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1m' },
    state: { paused: true, note: 'the operator says why' },
  });
  await ensureReconcileSchedule(own);
  const { action, state } = await own.schedule.getHandle(RECONCILE_SCHEDULE).describe();
  expect(state).toMatchObject({ paused: true, note: 'the operator says why' });
  // A limit on the whole chain would end a run that only made room for the next.
  expect(action).not.toHaveProperty('workflowExecutionTimeout', 300_000);
  expect(action).toMatchObject({ workflowRunTimeout: 12 * 3_600_000 });
});
