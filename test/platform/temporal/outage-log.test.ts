import { expect, test } from 'vitest';
import { createLogger, type LogFields, type Logger } from '../../../platform/logger.ts';
import { createOutageLog, type Dispatched } from '../../../platform/temporal/outage-log.ts';

const TAKEN = { taken: 3 };
const REFUSED = { taken: 0, error: new Error('Failed to start Workflow', { cause: new Error('14 UNAVAILABLE: no connection') }) };
const ONE_SLOW = { taken: 19, error: new Error('Failed to start Workflow') };
const EMPTY = { taken: 0 };

type Batches = readonly (readonly [seconds: readonly number[], batch: Omit<Dispatched, 'beganAt'>])[];

/** The lines about batches that end at these seconds, each of which took one. */
async function linesOf(...batches: Batches): Promise<string[]> {
  const lines: string[] = [];
  const write = (event: string, fields: LogFields = {}): void => void lines.push([event, ...Object.values(fields)].join(' '));
  const log: Logger = { ...createLogger('silent'), warn: write, info: write };
  let now = 0;
  const { note } = createOutageLog(
    log,
    async () => 4_321,
    () => now,
  );
  for (const [seconds, batch] of batches) {
    for (const second of seconds) {
      now = second * 1000;
      await note({ ...batch, beganAt: now - 1_000 });
    }
  }
  return lines;
}

const every = (step: number, from: number, to: number): number[] =>
  Array.from({ length: Math.ceil((to - from) / step) }, (_, n) => from + n * step);

test('an outage that lasts is one line, with all that wait, and one when its end has lasted; flapping in between is none', async () => {
  const lines = await linesOf([every(3, 1, 31), REFUSED], [[32, 35], TAKEN], [[36], ONE_SLOW], [[37], TAKEN], [every(1, 38, 60), EMPTY]);
  expect(lines).toEqual([
    'outbox.temporal_unavailable 4321 Failed to start Workflow: 14 UNAVAILABLE: no connection',
    'outbox.temporal_back 36 4321',
  ]);
});

const NO_OUTAGE: readonly (readonly [string, Batches])[] = [
  ['a slow call beside others that are taken, however often', [[every(2, 1, 60), ONE_SLOW]]],
  [
    'calls that fail for a few seconds',
    [
      [[1, 4, 8], REFUSED],
      [[11], TAKEN],
      [[12, 15], REFUSED],
      [[18], TAKEN],
    ],
  ],
  ['single failures a minute apart', [[every(60, 1, 600), REFUSED]]],
];

test.each(NO_OUTAGE)('%s: no outage', async (_, batches) => {
  expect(await linesOf(...batches)).toEqual([]);
});
