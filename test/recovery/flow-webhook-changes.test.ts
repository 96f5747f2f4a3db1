import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../db/orm.ts';
import { startTemporal } from '../../local/temporal.ts';
import { CHANGED_SIGNAL, HOST_BUSY, RETRY_NOW_SIGNAL } from '../../workflows/contracts.ts';
import { chain, is } from '../domain/sequences/graphs.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { type Everpost, startEverpost } from '../support/everpost.ts';
import { newEventType, newFlow } from '../support/flow.ts';
import { type HttpReceiver, startHttpReceiver } from '../support/http-receiver.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { type Scripted, type ScriptedWorker, startScriptedWorker } from '../support/scripted-worker.ts';
import { DAY_MINUTES, enrollmentBecomes, enrollmentEnds, newContact, traceOf } from '../support/sequences.ts';
import { readable, temporalClient, workflowHistory } from '../support/temporal.ts';

let everpost: Everpost;
let em: EntityManager;
let project: TestProject;
let receiver: HttpReceiver;

beforeAll(async () => {
  // A pause that no test would wait for, and one call to a host at once.
  everpost = await startEverpost({ env: { WEBHOOK_RETRY_BASE_SECONDS: '3600', WEBHOOK_ENDPOINT_CONCURRENCY: '1' } });
  em = await database(everpost.databaseUrl);
  project = await newProject({ everpost });
  receiver = await startHttpReceiver();
}, 120_000);

afterAll(async () => {
  await receiver?.close();
  await everpost?.stop();
});

interface Calling {
  readonly id: string;
  readonly path: string;
  /** Makes the goal of the run true. */
  reachGoal(): Promise<string>;
}

async function calling(path = `/${newEventType('goal')}`): Promise<Calling> {
  const hook = { id: 'hook', kind: 'webhook', config: { url: `${receiver.url}${path}` } };
  const flow = await newFlow(project, { ...chain(hook), goal: { condition: is('x') } });
  const email = project.address();
  await newContact(project, email);
  return { id: await flow.enroll(email), path, reachGoal: () => newContact(project, email, { attributes: { is: 'x' } }) };
}

test('a goal met between the tries of a call ends the run, and no more calls are made', async () => {
  const path = `/${newEventType('refused')}`;
  receiver.answer(path, 500);
  const { id, reachGoal } = await calling(path);
  await enrollmentBecomes(em, id, ({ waiting_for }) => waiting_for === 'webhook');
  await reachGoal();
  expect(await enrollmentEnds(em, id)).toMatchObject({ status: 'completed', end_reason: 'goal' });
  expect(receiver.calls(path)).toHaveLength(1);
});

test('a goal met while a call is in flight ends the run, and how the call went is told in the trace', async () => {
  const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>();
  const path = `/${newEventType('held')}`;
  receiver.holdUp(path, mayAnswer);
  receiver.answer(path, 500);
  const { id, reachGoal } = await calling(path);
  await eventually(() => receiver.calls(path).length === 1);
  await reachGoal();
  expect(await enrollmentEnds(em, id)).toMatchObject({ status: 'completed', end_reason: 'goal' });
  expect(await traceOf(em, id)).toEqual(['trigger enrolled', 'hook null']);
  answer();
  await eventually(async () => (await traceOf(em, id))[1] === 'hook failed');
  expect(receiver.calls(path)).toHaveLength(1);
});

test('a call that waits for a place is not made when its run has ended meanwhile', async () => {
  const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>();
  const path = `/${newEventType('hung')}`;
  receiver.holdUp(path, mayAnswer);
  const first = await calling(path);
  await eventually(() => receiver.calls(path).length === 1);
  const second = await calling(path);
  await enrollmentBecomes(em, second.id, ({ current_node_id }) => current_node_id === 'hook');
  await second.reachGoal();
  expect(await enrollmentEnds(em, second.id)).toMatchObject({ end_reason: 'goal' });
  answer();
  expect(await enrollmentEnds(em, first.id)).toMatchObject({ end_reason: 'exit' });
  expect(receiver.calls(path).map(({ headers }) => headers['webhook-id'])).toEqual([`${first.id}.hook.1`]);
});

const CALL = { do: 'call', step: 2, nodeId: 'hook', method: 'POST', host: 'x.example', path: '/', firstRetrySeconds: 30 };
const END = { do: 'end', reason: 'exit', status: 'completed' };
const BUSY = (triesMade: number) =>
  ApplicationFailure.create({ type: HOST_BUSY, nonRetryable: true, message: 'the host has as many', details: [triesMade] });
const reportOf = ({ input }: Parameters<Scripted>[0]) => (input as { report?: unknown }).report;

async function withScriptedWorker(temporalAddress: string | undefined, work: (worker: ScriptedWorker) => Promise<void>): Promise<void> {
  const worker = await startScriptedWorker(temporalAddress === undefined ? {} : { temporalAddress });
  try {
    await work(worker);
  } finally {
    await worker.stop();
  }
}

test('a call that finds no place continues as new when its history is long, and remembers its tries', async () => {
  const { scratchDir, temporalBinary: binary } = testEnvironment();
  const dataDir = await mkdtemp(join(scratchDir, 'temporal-'));
  const settings = { 'limit.historyCount.suggestContinueAsNew': '8' };
  const temporal = await startTemporal({ binary, dataDir, ui: undefined, progress: () => undefined, inMemory: true, settings });
  try {
    await withScriptedWorker(temporal.address, async (worker) => {
      const inputs: unknown[] = [];
      const run = await worker.run('enrollment', {
        nextStep: (made) => (reportOf(made) ? END : CALL),
        callWebhook: ({ call, input }) => {
          inputs.push(input);
          if (call === 1) throw BUSY(2);
          return { step: 2, outcome: 'called' };
        },
      });
      const handle = worker.client.workflow.getHandle(run.workflowId);
      const first = (await handle.describe()).runId;
      await eventually(async () => {
        await handle.signal(RETRY_NOW_SIGNAL).catch(() => undefined);
        return (await handle.describe()).runId !== first;
      });
      expect(await run.result()).toBe('completed: exit');
      expect(inputs).toMatchObject([{ triesBefore: 0 }, { triesBefore: 2 }]);
    });
  } finally {
    await temporal.process.stop();
  }
});

test('a change that does not end the run leaves the pause of a call as it is', async () => {
  await withScriptedWorker(undefined, async (worker) => {
    const asked: unknown[] = [];
    const tries: unknown[] = [];
    const run = await worker.run('enrollment', {
      nextStep(made) {
        asked.push(made.input);
        return reportOf(made) ? END : CALL;
      },
      callWebhook({ call }) {
        tries.push(call);
        if (call === 1) throw ApplicationFailure.create({ type: 'webhook_refused', message: 'answered 500' });
        return { step: 2, outcome: 'called' };
      },
    });
    const handle = worker.client.workflow.getHandle(run.workflowId);
    const pauses = async () => readable(await workflowHistory(worker.client, run.workflowId)).split('TIMER_STARTED').length - 1;
    await eventually(async () => (await pauses()) === 1);
    await handle.signal(CHANGED_SIGNAL);
    // The rest of the pause.
    await eventually(async () => (await pauses()) === 2);
    // It has asked once more, and on a slow machine the same again.
    expect(asked.length).toBeGreaterThan(1);
    expect(tries).toHaveLength(1);
    await handle.signal(RETRY_NOW_SIGNAL);
    expect(await run.result()).toBe('completed: exit');
    expect(tries).toHaveLength(2);
  });
});

test('a call that has found no place for three days is given up', async () => {
  await withScriptedWorker(undefined, async (worker) => {
    const reports: unknown[] = [];
    const run = await worker.run(
      'enrollment',
      {
        nextStep(made) {
          const report = reportOf(made);
          if (report) reports.push(report);
          return report ? END : CALL;
        },
        callWebhook() {
          throw BUSY(0);
        },
      },
      { calling: { step: 2, made: 0, busy: 9, busySince: Date.now() - 3 * 86_400_000 } },
    );
    await run.result();
    expect(reports).toEqual([{ step: 2, outcome: 'failed', detail: 'given up after 3 days without a place: the host has as many' }]);
  });
});

test('operators see which try of a call was answered how and when the next is made, and retryNow makes it at once', async () => {
  const path = `/${newEventType('h')}`;
  receiver.answer(path, 500, 429);
  const after = { id: 'd', kind: 'wait_delay', config: { minutes: DAY_MINUTES } };
  const flow = await newFlow(project, chain({ id: 'hook', kind: 'webhook', config: { url: `${receiver.url}${path}?key=secret` } }, after));
  const email = project.address();
  await newContact(project, email);
  const client = await temporalClient(everpost.namespace);
  const run = client.workflow.getHandle(`enrollment/${await flow.enroll(email)}`);
  // None before it has begun.
  const details = () =>
    run.query<{ currentDetails?: string }>('__temporal_workflow_metadata').then(
      (is) => is.currentDetails ?? '',
      () => '',
    );
  const state = async () => (await run.describe()).typedSearchAttributes.get({ name: 'EverpostState', type: 'KEYWORD' });
  const where = `Calling POST ${new URL(receiver.url).host}${path} \\(hook\\), `;
  const isSaid = (plan: string) => eventually(async () => new RegExp(`^${where}${plan}\\d.*Z$`).test(await details()));
  await isSaid('try 1 of 5: answered 500; next ');
  expect(await state()).toBe('retrying');
  await run.signal('retryNow');
  await isSaid('try 2 of 5: answered 429; next ');
  await run.signal('retryNow');
  await eventually(async () => (await state()) === 'waiting');
  expect(receiver.calls(path).map(({ path: asked }) => asked)).toEqual(Array(3).fill(`${path}?key=secret`));
  expect(readable(await workflowHistory(client, run.workflowId))).not.toContain('secret');
});
