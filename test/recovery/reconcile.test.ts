import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { EntityManager } from '../../db/orm.ts';
import { findProgress, reconcilePassAge, saveProgress } from '../../db/queries/operations/reconcile-progress.ts';
import { row, rows } from '../../db/rows.ts';
import { createLogger, type Logger } from '../../platform/logger.ts';
import { burstWorkflowId, deliveryWorkflowId, enrollmentWorkflowId, type WorkflowType } from '../../workflows/contracts.ts';
import { answerTask } from '../support/by-hand.ts';
import { changeTables } from '../support/change-tables.ts';
import { closedWorkflow } from '../support/closed-workflow.ts';
import { eventually } from '../support/eventually.ts';
import { openRows } from '../support/open-rows.ts';
import type { TestProject } from '../support/project.ts';
import { resetWorkflow } from '../support/reset-workflow.ts';
import { enrollmentOf, type TestSequence } from '../support/sequences.ts';
import { workflowHistory } from '../support/temporal.ts';
import { afterDescribing, NO_BATCH, type ReconcileAlone, reconcileAlone, refusing } from './reconcile-alone.ts';

let alone: ReconcileAlone;
let em: EntityManager;
let client: Client;
let project: TestProject;
let sequence: TestSequence;

beforeAll(async () => {
  alone = await reconcileAlone();
  ({ em, client, project, sequence } = alone);
});

afterAll(() => alone?.stop());

beforeEach(() => alone.empty());

async function isOpen(workflowId: string): Promise<boolean> {
  return (await client.workflow.getHandle(workflowId).describe()).status.name === 'RUNNING';
}

async function startsOnTheirWay(): Promise<string[]> {
  const found = await rows(em, sql<{ workflow_id: string }>`select workflow_id from outbox where message ->> 'kind' = 'start' order by id`);
  return found.map(({ workflow_id }) => workflow_id);
}

/** A start that the outbox has, and that is not due before the test is over. */
async function startOnItsWay(workflowType: WorkflowType, workflowId: string): Promise<void> {
  const message = JSON.stringify({ kind: 'start', workflowType });
  await rows(
    em,
    sql`insert into outbox (workflow_id, message, priority, project_id, due_at)
        values (${workflowId}, ${message}::jsonb, 1, ${project.id}, now() + interval '1 day')`,
  );
}

/** What the dispatcher does with it. */
async function dispatch(workflowType: WorkflowType, workflowId: string): Promise<void> {
  await client.workflow.start(workflowType, { workflowId, taskQueue: 'nobody' });
  await rows(em, sql`delete from outbox where workflow_id = ${workflowId}`);
}

test('a row whose workflow does not exist gets it, once', async () => {
  const id = await alone.activeRow();
  expect(await alone.reconciling().reconcileRows()).toMatchObject({ settled: 0, started: 1, failed: 0 });
  expect(await startsOnTheirWay()).toEqual([enrollmentWorkflowId(id)]);
  expect(await enrollmentOf(em, id)).toMatchObject({ status: 'active' });
  // Still on its way: the next pass adds none.
  expect(await alone.reconciling().reconcileRows()).toMatchObject({ settled: 0, started: 0, failed: 0 });
  expect(await startsOnTheirWay()).toHaveLength(1);
});

test('a start that is dispatched while a pass asks Temporal is not taken for a lost one', async () => {
  const id = await alone.activeRow();
  const workflowId = enrollmentWorkflowId(id);
  await startOnItsWay('enrollment', workflowId);
  const dispatching = afterDescribing(client, workflowId, () => dispatch('enrollment', workflowId));
  const lines: string[] = [];
  const log: Logger = { ...createLogger('silent'), warn: (event) => void lines.push(event) };
  expect(await alone.reconciling({ client: dispatching, log }).reconcileRows()).toMatchObject({ settled: 0, started: 0, failed: 0 });
  expect(lines).toEqual([]);
  expect(await startsOnTheirWay()).toEqual([]);
});

test('a delivery that was begun again while a pass asks Temporal is not failed for its run before', async () => {
  const { webhookDelivery: id } = await openRows({ em, project, sequence });
  await rows(em, sql`delete from outbox`);
  const workflowId = deliveryWorkflowId(id);
  await closedWorkflow(client, 'webhookDelivery', workflowId, 'terminated');
  await startOnItsWay('webhookDelivery', workflowId);
  const dispatching = afterDescribing(client, workflowId, () => dispatch('webhookDelivery', workflowId));
  await alone.reconciling({ client: dispatching }).reconcileRows();
  expect(await row(em, sql`select status from webhook_deliveries where id = ${id}`)).toEqual({ status: 'pending' });
});

test.each(['webhookDelivery', 'webhookBurst'] as const)(
  'a %s that is begun again after a pass has looked for starts is not failed: its start is on its way',
  async (workflowType) => {
    const { webhookDelivery: id } = await openRows({ em, project, sequence });
    await rows(em, sql`delete from outbox`);
    if (workflowType === 'webhookBurst') await rows(em, sql`update webhook_deliveries set in_lane = true`);
    const { endpoint_id } = (await row(em, sql<{ endpoint_id: string }>`select endpoint_id from webhook_deliveries where id = ${id}`))!;
    const workflowId = workflowType === 'webhookBurst' ? burstWorkflowId(endpoint_id) : deliveryWorkflowId(id);
    await closedWorkflow(client, workflowType, workflowId, 'terminated');
    const beginning = afterDescribing(client, workflowId, () => startOnItsWay(workflowType, workflowId));
    await alone.reconciling({ client: beginning }).reconcileRows();
    expect(await row(em, sql`select status from webhook_deliveries where id = ${id}`)).toEqual({ status: 'pending' });
  },
);

test('a delivery that is pending though its workflow has completed is begun again, and does not fail', async () => {
  const { webhookDelivery: id } = await openRows({ em, project, sequence });
  await rows(em, sql`delete from outbox`);
  await closedWorkflow(client, 'webhookDelivery', deliveryWorkflowId(id), 'completed');
  await alone.reconciling().reconcileRows();
  expect(await row(em, sql`select status from webhook_deliveries where id = ${id}`)).toEqual({ status: 'pending' });
  const isBegun = async () => (await startsOnTheirWay()).includes(deliveryWorkflowId(id)) || (await isOpen(deliveryWorkflowId(id)));
  await eventually(isBegun);
});

test('a terminated run that is reset while a pass looks at it goes on', async () => {
  const id = await alone.activeRow();
  const workflowId = enrollmentWorkflowId(id);
  const taskQueue = `nobody-${uuidv7()}`;
  await client.workflow.start('enrollment', { workflowId, taskQueue, args: [{ enrollmentId: id }] });
  await answerTask(client, taskQueue, {
    commandType: proto.temporal.api.enums.v1.CommandType.COMMAND_TYPE_START_TIMER,
    startTimerCommandAttributes: { timerId: '1', startToFireTimeout: { seconds: 3_600 as never } },
  });
  await client.workflow.getHandle(workflowId).terminate();
  const resetting = afterDescribing(client, workflowId, () => resetWorkflow(client, workflowId));
  expect(await alone.reconciling({ client: resetting }).reconcileRows()).toMatchObject({ settled: 0, started: 0, failed: 0 });
  expect(await enrollmentOf(em, id)).toMatchObject({ status: 'active' });
});

test('what is made good is a start like any other, after what single calls started', async () => {
  await alone.activeRow();
  await alone.reconciling().reconcileRows();
  const sent = await row(em, sql<object>`select message, priority, project_id from outbox`);
  expect(sent).toEqual({ priority: 5, message: { kind: 'start', workflowType: 'enrollment' }, project_id: project.id });
});

test('a row that ended after the batch was read gets no workflow', async () => {
  const id = await alone.activeRow();
  const ending = Object.create(client, {
    workflow: {
      value: Object.create(client.workflow, {
        getHandle: {
          value: (workflowId: string) => ({
            describe: async () => {
              await row(em, sql`update enrollments set status = 'cancelled', end_reason = 'cancelled' where id = ${id}`);
              return client.workflow.getHandle(workflowId).describe();
            },
          }),
        },
      }),
    },
  });
  expect(await alone.reconciling({ client: ending }).reconcileRows()).toMatchObject({ settled: 0, started: 0, failed: 0 });
  expect(await startsOnTheirWay()).toEqual([]);
});

test('batches go through all open rows in turn, and then begin again', async () => {
  const ids = [await alone.openRow(), await alone.activeRow(), await alone.openRow(), await alone.activeRow(), await alone.activeRow()];
  const wanted = [1, 3, 4].map((place) => enrollmentWorkflowId(ids[place]!));
  const pass = () => alone.reconciling({ batchSize: 2 }).reconcileRows();
  for (const count of [1, 2, 3]) {
    await pass();
    expect(await startsOnTheirWay()).toEqual(wanted.slice(0, count));
  }
  await rows(em, sql`delete from outbox`);
  await pass();
  expect(await startsOnTheirWay()).toEqual(wanted.slice(0, 1));
});

test('where Temporal has lost the workflows of a whole batch, the same pass starts those of the batches after it', async () => {
  const ids = [await alone.activeRow(), await alone.activeRow(), await alone.activeRow(), await alone.activeRow(), await alone.activeRow()];
  expect(await alone.reconciling({ batchSize: 2 }).reconcileRows()).toMatchObject({ settled: 0, started: 5, failed: 0 });
  expect(await startsOnTheirWay()).toEqual(ids.map(enrollmentWorkflowId));
});

test.each([
  ['the workflow knows of a pass that the database does not', 3, { ended: 4, begun: 4 }, true],
  ['the database knows of a pass that the workflow has not begun', 6, { ended: 4, begun: 5 }, true],
  ['the workflow is a new one', 3, undefined, true],
  ['both know the same', 4, { ended: 4, begun: 4 }, false],
  ['the answer of a pass was lost', 5, { ended: 4, begun: 5 }, false],
  ['a pass has not reached the database', 4, { ended: 4, begun: 5 }, false],
  ['there was no pass yet', 0, undefined, false],
] as const)('where %s, open workflows are asked to read their rows again, or not: %#', async (_, stored, known, isAfterRestore) => {
  const id = await alone.openRow();
  if (stored > 0) await saveProgress(em, 'reconcile', { pass: stored });
  const passed = await alone.reconciling(NO_BATCH).reconcileRows(known);
  expect(passed).toMatchObject({ isAfterRestore, pass: Math.max(stored, known?.begun ?? 0) + 1 });
  const signalled = async () => JSON.stringify(await workflowHistory(client, enrollmentWorkflowId(id))).includes('EXECUTION_SIGNALED');
  const onTheWay = async () => (await rows(em, sql`select 1 from outbox where message ->> 'signal' = 'changed'`)).length > 0;
  // The API brings it to Temporal.
  if (isAfterRestore) await eventually(signalled);
  else expect([await onTheWay(), await signalled()]).toEqual([false, false]);
  // And once.
  const next = await alone.reconciling(NO_BATCH).reconcileRows({ ended: passed.pass, begun: passed.pass });
  expect(next).toMatchObject({ isAfterRestore: false });
});

test('a pass that is broken off while it asks workflows to read their rows again is none: the next one asks all of them', async () => {
  await alone.openRow();
  await saveProgress(em, 'reconcile', { pass: 3 });
  const known = { ended: 4, begun: 4 };
  await changeTables(
    em,
    `
    create function refuse() returns trigger language plpgsql as $$ begin raise exception 'broken off'; end $$;
    create trigger refuse before insert on outbox for each row execute function refuse();`,
  );
  await expect(alone.reconciling(NO_BATCH).reconcileRows(known)).rejects.toThrow('broken off');
  await changeTables(em, 'drop trigger refuse on outbox; drop function refuse;');
  // What the workflow knows by then.
  expect(await alone.reconciling(NO_BATCH).reconcileRows({ ended: 4, begun: 5 })).toMatchObject({ isAfterRestore: true, pass: 6 });
});

test('the log calls a database restored where the passes say so, and a run that was begun anew by its name', async () => {
  const lines: string[] = [];
  const log: Logger = { ...createLogger('silent'), warn: (event) => void lines.push(event) };
  const passWith = async (known?: { ended: number; begun: number }) => {
    await saveProgress(em, 'reconcile', { pass: 3 });
    await alone.reconciling({ ...NO_BATCH, log }).reconcileRows(known);
    return lines.splice(0);
  };
  expect(await passWith({ ended: 4, begun: 4 })).toEqual(['reconcile.database_restored']);
  expect(await passWith()).toEqual(['reconcile.begun_anew']);
  expect(await passWith({ ended: 3, begun: 3 })).toEqual([]);
});

test('the database knows for how long no pass was finished, and a pass that has not forgotten what expired is not', async () => {
  expect(await reconcilePassAge(em)).toBeNull();
  await alone.reconciling().reconcileRows();
  expect(await reconcilePassAge(em)).toBeNull();
  await alone.reconciling({ now: () => new Date(Date.now() - 7_200_000) }).forgetExpired();
  expect(await reconcilePassAge(em)).toBeGreaterThanOrEqual(7_200);
  await alone.reconciling().forgetExpired();
  expect(await reconcilePassAge(em)).toBeLessThan(7_200);
  expect((await findProgress(em, 'reconcile'))?.pass).toBe(1);
});

test('how long no pass was finished is an error where the database takes longer than a second to say it, and holds no session up', async () => {
  await alone.reconciling().forgetExpired();
  expect(await reconcilePassAge(em)).not.toBeNull();
  await rows(em, sql`alter table reconcile_progress rename to quick_progress`);
  await rows(em, sql`create view reconcile_progress as select p.* from quick_progress p cross join lateral pg_sleep(20)`);
  try {
    await expect(reconcilePassAge(em)).rejects.toThrow('statement timeout');
  } finally {
    await rows(em, sql`drop view reconcile_progress`);
    await rows(em, sql`alter table quick_progress rename to reconcile_progress`);
  }
  expect(await reconcilePassAge(em)).not.toBeNull();
});

test('with a pass the numbers that grew by single rows are one row each again', async () => {
  const id = uuidv7();
  await rows(
    em,
    sql`insert into send_count_changes (project_id, hour, sent, failed, unreported, queued, delivered, bounced, complained, opened, clicked)
        select ${id}, '2026-01-01T00:00Z', 1, 0, 1, 0, 0, 0, 0, 0, 0 from generate_series(1, 3)`,
  );
  await alone.reconciling().forgetExpired();
  expect(await rows(em, sql`select 1 from send_count_changes where project_id = ${id}`)).toEqual([]);
  expect(await rows(em, sql`select sent, unreported, opened from send_counts where project_id = ${id}`)).toEqual([
    { sent: 3, unreported: 3, opened: 0 },
  ]);
});

test('after a restore a workflow that has completed without its row is found in the list at once', async () => {
  const id = await alone.closedRow('completed');
  await alone.listed(`WorkflowId = "${enrollmentWorkflowId(id)}" AND ExecutionStatus = "Completed"`, 1);
  expect(await alone.reconciling(NO_BATCH).reconcileRows({ ended: 0, begun: 0 })).toMatchObject({ settled: 0 });
  expect(await alone.reconciling(NO_BATCH).reconcileRows({ ended: 9, begun: 9 })).toMatchObject({ settled: 1 });
  expect(await enrollmentOf(em, id)).toMatchObject({ status: 'cancelled', end_reason: 'terminated' });
});

test('a row that cannot be compared holds up no other; with no answer at all the batch comes again', async () => {
  const ids = [await alone.activeRow(), await alone.activeRow(), await alone.activeRow()];
  const wanted = ids.map(enrollmentWorkflowId);
  await expect(alone.reconciling({ batchSize: 2, client: refusing(client, () => true) }).reconcileRows()).rejects.toThrow('no answer');
  const partly = alone.reconciling({ batchSize: 2, client: refusing(client, (workflowId) => workflowId === wanted[0]) });
  expect(await partly.reconcileRows()).toMatchObject({ settled: 0, started: 1, failed: 1 });
  expect(await startsOnTheirWay()).toEqual([wanted[1]]);
  expect(await partly.reconcileRows()).toMatchObject({ settled: 0, started: 1, failed: 0 });
});
