import { afterAll, expect, test } from 'vitest';
import { createThreadPool, type ThreadPoolOptions } from '../../../sending/compose/thread-pool.ts';
import { eventually } from '../../support/eventually.ts';

const poolOf = (threads: number, itemMs = 60_000, further: Partial<ThreadPoolOptions> = {}) =>
  createThreadPool<{ name: string; gate: SharedArrayBuffer }, string>({
    file: new URL('./waiting-thread.ts', import.meta.url),
    data: undefined,
    minThreads: threads,
    maxThreads: threads,
    itemMs,
    heapMb: 128,
    log: { error: () => {} },
    ...further,
  });
const ITEM_MS = 500;
const [two, one] = [poolOf(2), poolOf(1)];
afterAll(() => Promise.all([two.close(), one.close()]));

class Gate {
  readonly shared = new SharedArrayBuffer(4);

  open(): void {
    const state = new Int32Array(this.shared);
    Atomics.store(state, 0, 1);
    Atomics.notify(state, 0);
  }
}

/** Some looks at what the threads do. */
const looks = () => new Promise((resolve) => setTimeout(resolve, 100));

const opened = new Gate();
opened.open();
const done: string[] = [];
const run = async (pool: typeof two, name: string, line: string, gate = opened): Promise<void> => {
  const outcome = await pool.run({ name, gate: gate.shared }, line);
  done.push('answer' in outcome ? outcome.answer : outcome.ended);
};

test('a slow line leaves a thread to the others, however much of it waits', async () => {
  const gate = new Gate();
  two.slow('slow');
  const slow = ['a', 'b', 'c'].map((name) => run(two, name, 'slow', gate));
  for (const name of ['1', '2', '3']) await run(two, name, 'other');
  expect(done.splice(0)).toEqual(['1', '2', '3']);
  gate.open();
  await Promise.all(slow);
  expect(done.splice(0)).toEqual(['a', 'b', 'c']);
});

test('lines take turns: who has much waiting does not keep the others waiting', async () => {
  const gate = new Gate();
  const held = run(one, 'held', 'x', gate);
  const many = ['many 1', 'many 2', 'many 3'].map((name) => run(one, name, 'many'));
  const few = ['few 1', 'few 2'].map((name) => run(one, name, 'few'));
  expect(one.use()).toMatchObject({ most: 1, busy: 1, waiting: 5 });
  gate.open();
  await Promise.all([held, ...many, ...few]);
  expect(one.use()).toMatchObject({ busy: 0, waiting: 0 });
  expect(done.splice(0)).toEqual(['held', 'many 1', 'few 1', 'many 2', 'few 2', 'many 3']);
});

test('a line that has a thread gets one that is yet to be started only when it lags, and one that is there at once', async () => {
  const pool = poolOf(2, 60_000, { minThreads: 1, lagMs: 60_000 });
  const gate = new Gate();
  const held = run(pool, 'held', 'a', gate);
  const next = run(pool, 'next', 'a');
  await looks();
  expect(done).toEqual([]);
  expect(pool.use()).toMatchObject({ busy: 1, waiting: 1 });
  await run(pool, 'other', 'b');
  await next;
  expect(done.splice(0)).toEqual(['other', 'next']);
  gate.open();
  await held;
  await pool.close();

  const lagging = poolOf(2, 60_000, { minThreads: 1, lagMs: 50 });
  const shut = new Gate();
  const first = run(lagging, 'first', 'a', shut);
  const began = performance.now();
  const second = run(lagging, 'second', 'a');
  await eventually(() => performance.now() - began > 50);
  await Promise.all([second, run(lagging, 'third', 'a')]);
  expect(done.splice(0).toSorted()).toEqual(['held', 'second', 'third']);
  shut.open();
  await first;
  done.splice(0);
  await lagging.close();
});

test('the time of an item is that of its running: while one that runs is ended, one that merely waits as long is not', async () => {
  const pool = poolOf(2, ITEM_MS);
  await Promise.all([run(pool, 'warm', 'a'), run(pool, 'warm', 'b')]);
  done.splice(0);
  const gate = new Gate();
  const both = [run(pool, 'endless', 'b'), run(pool, 'waiting', 'a', gate)];
  const began = performance.now();
  // Not until the other is ended: on a busy machine that comes only after the time at which the clock alone is enough.
  await eventually(() => performance.now() - began > 2 * ITEM_MS);
  gate.open();
  await Promise.all(both);
  expect(done.splice(0).toSorted()).toEqual(['too slow', 'waiting']);
  expect(pool.use()).toMatchObject({ tooSlow: 1, tooLarge: 0 });
  await pool.close();
});

test('a thread that waits is ended by the clock in the end, yet not for a time in which the whole process was stopped', async () => {
  const itemMs = 50;
  const pool = poolOf(1, itemMs);
  await run(pool, 'warm', 'a');
  done.splice(0);
  const gate = new Gate();
  const waiting = run(pool, 'waiting', 'a', gate);
  await looks();
  // As when a machine sleeps, for longer than the clock allows.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50 * itemMs);
  await looks();
  gate.open();
  await waiting;
  await run(pool, 'stuck', 'a', new Gate());
  expect(done.splice(0)).toEqual(['waiting', 'too slow']);
  await pool.close();
});

test('a thread that grows beyond what it may have is ended long before V8 would end the process, and the next does its work', async () => {
  const pool = poolOf(1);
  await run(pool, 'large', 'a');
  await run(pool, 'next', 'a');
  expect(done.splice(0)).toEqual(['too large', 'next']);
  expect(pool.use()).toMatchObject({ tooSlow: 0, tooLarge: 1 });
  await pool.close();
});
