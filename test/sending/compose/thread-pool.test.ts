import { afterAll, expect, test } from '@jest/globals';
import { createThreadPool } from '../../../sending/compose/thread-pool.ts';

const pool = createThreadPool<{ name: string; gate: SharedArrayBuffer }, string>({
  file: new URL('./waiting-thread.ts', import.meta.url),
  data: undefined,
  minThreads: 2,
  maxThreads: 2,
  itemMs: 60_000,
  heapMb: 64,
});
afterAll(() => pool.close());

class Gate {
  readonly shared = new SharedArrayBuffer(4);

  open(): void {
    const state = new Int32Array(this.shared);
    Atomics.store(state, 0, 1);
    Atomics.notify(state, 0);
  }
}

const opened = new Gate();
opened.open();
const done: string[] = [];
const run = async (name: string, lane: string, gate = opened): Promise<void> => {
  const outcome = await pool.run({ name, gate: gate.shared }, lane);
  done.push('answer' in outcome ? outcome.answer : outcome.ended);
};

test('a slow lane leaves a thread to the others, however much of it waits', async () => {
  const gate = new Gate();
  pool.slow('slow');
  const slow = ['a', 'b', 'c'].map((name) => run(name, 'slow', gate));
  for (const name of ['1', '2', '3']) await run(name, 'other');
  expect(done.splice(0)).toEqual(['1', '2', '3']);
  gate.open();
  await Promise.all(slow);
  expect(done.splice(0)).toEqual(['a', 'b', 'c']);
});

test('lanes take turns: who has much waiting does not keep the others waiting', async () => {
  const gate = new Gate();
  const held = [run('held', 'x', gate), run('held', 'y', gate)];
  const many = Array.from({ length: 50 }, (_, index) => run(`many ${index}`, 'many'));
  const few = run('few', 'few');
  gate.open();
  await few;
  expect(done.filter((name) => name.startsWith('many')).length).toBeLessThan(10);
  await Promise.all([...held, ...many]);
});
