import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { DefaultLogger, Runtime, Worker, type WorkflowBundleOption } from '@temporalio/worker';
import { beforeAll, expect, test } from 'vitest';
import { workflowBundle } from '../../platform/temporal/workflow-bundle.ts';
import { recordHistories } from '../support/record-histories.ts';
import type { History, HistoryEvent } from '../support/temporal.ts';

const HISTORIES = fileURLToPath(new URL('../histories', import.meta.url));

let bundle: WorkflowBundleOption;
let recorded: [name: string, history: History][];

beforeAll(async () => {
  const telemetryOptions = { logging: { filter: 'OFF', forward: {} } };
  Runtime.install({ logger: new DefaultLogger('ERROR', () => {}), telemetryOptions, shutdownSignals: [] });
  // After a change that is not compatible, and that no installation runs yet: RECORD_HISTORIES=1 npm test -- test/workflows/replay
  if (process.env.RECORD_HISTORIES === '1') {
    for (const [name, history] of await recordHistories()) {
      await writeFile(join(HISTORIES, `${name}.json`), `${JSON.stringify(history, withoutPlaces, 1)}\n`);
    }
  }
  bundle = await workflowBundle();
  const files = (await readdir(HISTORIES, { recursive: true })).filter((file) => file.endsWith('.json')).toSorted();
  recorded = await Promise.all(files.map(async (file) => [file, JSON.parse(await readFile(join(HISTORIES, file), 'utf8'))]));
}, 300_000);

/** Which process on which machine did it, and where its files lie, matters to no replay. */
function withoutPlaces(key: string, value: unknown): unknown {
  if (key === 'stackTrace') return '';
  return typeof value === 'string' ? value.replace(/^\d+@[\w.-]+$/, 'process@host') : value;
}

async function replay(history: History): Promise<void> {
  await Worker.runReplayHistory({ workflowBundle: bundle }, historyFromJSON(history), 'enrollment/00000000-0000-7000-8000-000000000000');
}

test('workflows that began under earlier code go on under the present one', async () => {
  expect(recorded.map(([name]) => name)).toEqual([
    'bulk-enrollment-held.json',
    'campaign-paused-and-resumed.json',
    // Their local activities have the names of the code, as no run has any more that begins today.
    'earlier/campaign-paused-and-resumed.json',
    // Under types in words, and before runs were begun with their first mail.
    'earlier/enrollment-asked-for-its-first-mail.json',
    // Its tries were the retries of one activity, too.
    'earlier/enrollment-call-given-up.json',
    'earlier/enrollment-cancelled-in-a-wait.json',
    'earlier/enrollment-held-and-resumed.json',
    'earlier/enrollment-mail-failed.json',
    'earlier/enrollment-three-mails.json',
    'earlier/enrollment-waited-for-another.json',
    'earlier/enrollment-waiting.json',
    'earlier/webhook-delivery-retried.json',
    'earlier/webhook-lane.json',
    'enrollment-action.json',
    'enrollment-begun-with-a-mail.json',
    'enrollment-call-changed.json',
    'enrollment-cancelled-in-a-wait.json',
    'enrollment-ended-as-failed.json',
    'enrollment-held-and-resumed.json',
    'enrollment-mail-failed.json',
    'enrollment-waited-for-another.json',
    'enrollment-waiting.json',
    'reconcile.json',
    'scheduled-sends-held-and-put-off.json',
    'webhook-delivery-retried.json',
    'webhook-lane.json',
    'webhook-retry-held.json',
  ]);
  const broken: string[] = [];
  for (const [name, history] of recorded) {
    await replay(history).catch((error: Error) => broken.push(`${name}: ${error.message}`));
  }
  expect(broken).toEqual([]);
});

test('a wait for another enrollment that nobody ended asks again when its timer fires', async () => {
  const [, { events }] = recorded.find(([name]) => name === 'enrollment-waited-for-another.json')!;
  const signal = events.findIndex(({ eventType }) => eventType === 'EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED');
  const timer = events[signal - 1]!;
  const { timerId } = timer.timerStartedEventAttributes as { timerId: string };
  const { eventId, eventTime } = events[signal] as HistoryEvent;
  const timerFiredEventAttributes = { timerId, startedEventId: timer.eventId };
  const fired = { eventId, eventTime, eventType: 'EVENT_TYPE_TIMER_FIRED', timerFiredEventAttributes };
  const asked = events.with(signal, fired).filter(({ eventType }) => eventType !== 'EVENT_TYPE_TIMER_CANCELED');
  await replay({ events: asked.map((event, index) => ({ ...event, eventId: String(index + 1) })) });
});

test('a history that the present code would not have made is found', async () => {
  const [, history] = recorded.find(([name]) => name === 'enrollment-begun-with-a-mail.json')!;
  const other = JSON.parse(
    JSON.stringify(history)
      .replaceAll('EVENT_TYPE_TIMER_STARTED', 'EVENT_TYPE_MARKER_RECORDED')
      .replaceAll('timerStartedEventAttributes', 'markerRecordedEventAttributes'),
  );
  await expect(replay(other)).rejects.toThrow();
});
