import { ApplicationFailure } from '@temporalio/common';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RETRY_NOW_SIGNAL, SEND_FAILED } from '../../workflows/contracts.ts';
import { eventually } from '../support/eventually.ts';
import { changes, type Scripted, type ScriptedWorker, startScriptedWorker } from '../support/scripted-worker.ts';
import { readable, workflowHistory } from '../support/temporal.ts';

let worker: ScriptedWorker;

beforeAll(async () => {
  worker = await startScriptedWorker();
});

afterAll(() => worker?.stop());

const SEND = { do: 'send', step: 2, nodeId: 'mail', template: 'welcome' };
const WAIT = { do: 'wait', step: 2, nodeId: 'w', waitingFor: 'condition', until: null, timeoutOutcome: 'timeout' };
const CALL = { do: 'call', step: 2, nodeId: 'hook', method: 'POST', host: 'x.example', path: '/', firstRetrySeconds: 3_600 };
const END = { do: 'end', reason: 'goal', status: 'completed' };

/** What it answers is decided; before the workflow gets that, something changes. */
const overtakenBy =
  (answer: unknown): Scripted =>
  async ({ workflowId }) => {
    await changes(worker.client, workflowId);
    return answer;
  };

/** The command that comes first, and the end as soon as the workflow asks again. */
const firstThenEnd =
  (first: Scripted): Scripted =>
  (run) =>
    run.call === 1 ? first(run) : END;

const viaQueue = () => null;
const heldFor = (until: number | null) => ({ done: false, heldBy: 'paused', until });

test.each([
  ['until a change', null],
  ['until an instant', Date.now() + 3_600_000],
])('a run that is held %s has its step tried again when the change came before it was told that it is held', async (_, until) => {
  const run = await worker.run('enrollment', {
    nextStep: firstThenEnd(() => SEND),
    sendWithTask: viaQueue,
    sendSequenceEmail: overtakenBy(heldFor(until)),
  });
  expect(await run.result()).toBe('completed: goal');
});

test.each([
  ['without an instant', null],
  ['until an instant', Date.now() + 3_600_000],
])('a run that waits %s sees what changed while it was told to wait', async (_, until) => {
  const run = await worker.run('enrollment', { nextStep: firstThenEnd(overtakenBy({ ...WAIT, until })) });
  expect(await run.result()).toBe('completed: goal');
});

test('a run sees what changed after its mail had been sent and the wait behind it been decided', async () => {
  const run = await worker.run('enrollment', {
    nextStep: firstThenEnd(() => SEND),
    sendWithTask: viaQueue,
    sendSequenceEmail: overtakenBy({ done: true, outcome: 'sent', detail: 'send 1', next: WAIT }),
  });
  expect(await run.result()).toBe('completed: goal');
});

test('a run sees what changed after its mail had failed and the wait behind it been decided', async () => {
  const run = await worker.run('enrollment', {
    nextStep: firstThenEnd(() => SEND),
    sendWithTask: viaQueue,
    sendSequenceEmail: async ({ workflowId }) => {
      await changes(worker.client, workflowId);
      throw ApplicationFailure.nonRetryable('refused', SEND_FAILED, WAIT);
    },
  });
  expect(await run.result()).toBe('completed: goal; mail failed: refused');
});

test.each([
  ['between the tries of a call', 'TIMER_STARTED'],
  ['while a call is in flight', 'ACTIVITY_TASK_SCHEDULED'],
])('a run sees what changed while it asked what an earlier change means, %s', async (_, standsAt) => {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const answers: Scripted[] = [() => CALL, overtakenBy(CALL), () => END];
  const run = await worker.run('enrollment', {
    // A task that takes too long is done over, and asks again.
    nextStep: (made) => (answers[made.call - 1] ?? (() => END))(made),
    async callWebhook() {
      if (standsAt === 'ACTIVITY_TASK_SCHEDULED') await ended;
      throw ApplicationFailure.nonRetryable('answered 500', 'webhook_refused');
    },
  });
  await eventually(async () => readable(await workflowHistory(worker.client, run.workflowId)).includes(standsAt));
  await changes(worker.client, run.workflowId);
  expect(await run.result().finally(end)).toBe('completed: goal');
});

test('a call that is refused is tried again at once when retryNow came while it was in flight', async () => {
  const run = await worker.run('enrollment', {
    nextStep: ({ input }) => ((input as { report?: unknown }).report ? END : CALL),
    async callWebhook({ workflowId, call }) {
      if (call === 2) return { step: 2, outcome: 'called' };
      await changes(worker.client, workflowId, RETRY_NOW_SIGNAL);
      throw ApplicationFailure.nonRetryable('answered 500', 'webhook_refused');
    },
  });
  expect(await run.result()).toBe('completed: goal');
});

test('a campaign that waits sees what changed while it was told to wait', async () => {
  const pause = { do: 'wait', state: 'paused', pauseMs: null, summary: 'paused', details: 'Paused' };
  const end = { do: 'end', status: 'cancelled', details: 'Cancelled' };
  const run = await worker.run('campaign', {
    nextCampaignStep: (run) => (run.call === 1 ? overtakenBy(pause)(run) : end),
  });
  expect(await run.result()).toBe('Cancelled');
});

test('a campaign that was sent again while it was told that it ends asks once more', async () => {
  const end = (details: string) => ({ do: 'end', status: 'sent', details });
  const run = await worker.run('campaign', {
    nextCampaignStep: (run) => (run.call === 1 ? overtakenBy(end('Ended'))(run) : end('Ended once more')),
  });
  expect(await run.result()).toBe('Ended once more');
});
