import { expect, test } from 'vitest';
import { createInFlight, type Leave } from '../../sending/in-flight.ts';
import { createSendPace, NO_PACE } from '../../sending/send-pace.ts';

const BATCH = 50;
const { signal } = new AbortController();

test('as much is in flight as goes in 120 ms, and half of it for a second after a step of a run has begun', async () => {
  let time = 0;
  const inFlight = createInFlight({ connections: 20, pace: NO_PACE, now: () => time });
  const held: Leave[] = [];
  let waiting = 0;
  const enter = async (): Promise<void> => {
    waiting++;
    held.push(await inFlight.enter('project', BATCH, signal));
    waiting--;
  };
  /** A batch ends, and what has room takes its place; there is always more. */
  const turn = async (): Promise<number> => {
    while (waiting < 20) void enter();
    held.shift()?.(0);
    await new Promise(setImmediate);
    return held.length * BATCH;
  };
  const settled = async (): Promise<number> => {
    let mails = await turn();
    for (let turns = 0; turns < 20; turns++) mails = await turn();
    return mails;
  };
  const goOn = async (): Promise<void> => {
    for (let batch = 0; batch < 600; batch++, time += 10) await turn();
  };
  await goOn();
  expect(await settled()).toBe(600);
  inFlight.yieldToRuns();
  expect(await settled()).toBe(300);
  await goOn();
  expect(await settled()).toBe(600);
});

test('mails that the provider was not asked to take do not count against the rate, and whoever gives up leaves the line at once', async () => {
  let time = 0;
  const inFlight = createInFlight({ connections: 20, pace: createSendPace(5, () => time), now: () => time });
  const leave = await inFlight.enter('project', BATCH, signal);
  leave(BATCH);
  const next = await inFlight.enter('project', BATCH, signal);
  const giving = new AbortController();
  const givenUp = inFlight.enter('project', BATCH, giving.signal);
  giving.abort(new Error('stopped'));
  await expect(givenUp).rejects.toThrow('stopped');
  const last = inFlight.enter('project', 1, signal);
  next(BATCH - 5);
  // Five mails take a second.
  time += 1_000;
  void inFlight.enter('project', 1, signal);
  await last;
});

test('what has left leaves once, however often it says so', async () => {
  const inFlight = createInFlight({ connections: 20, pace: NO_PACE, now: () => 0 });
  const leave = await inFlight.enter('project', BATCH, signal);
  const other = inFlight.enter('project', BATCH, signal);
  leave(BATCH);
  await other;
  leave(BATCH);
  let hasEntered = false;
  void inFlight.enter('project', BATCH, signal).then(() => {
    hasEntered = true;
  });
  await new Promise(setImmediate);
  expect(hasEntered).toBe(false);
});

test('what is in flight for long takes no room from another project, and none of its own goes beside it', async () => {
  let time = 0;
  const inFlight = createInFlight({ connections: 20, pace: NO_PACE, now: () => time });
  const admitted: string[] = [];
  const enter = (project: string): void => void inFlight.enter(project, BATCH, signal).then(() => admitted.push(project));
  for (const project of ['stuck', 'stuck', 'other']) enter(project);
  await new Promise(setImmediate);
  expect(admitted).toEqual(['stuck']);
  time += 2_000;
  enter('stuck');
  await new Promise(setImmediate);
  expect(admitted).toEqual(['stuck', 'other']);
});
