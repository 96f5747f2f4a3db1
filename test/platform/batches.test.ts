import { expect, test } from 'vitest';
import { inBatches, inKeyedBatches } from '../../platform/batches.ts';

/** Work whose batches end when the test says so. */
function held() {
  const batches: number[][] = [];
  const ends: (() => void)[] = [];
  const work = async (batch: readonly number[]): Promise<readonly number[]> => {
    batches.push([...batch]);
    await new Promise<void>((resolve) => ends.push(resolve));
    return batch.map((item) => item * 10);
  };
  return { batches, work, endNext: () => ends.shift()?.() };
}

/** Two turns: what is due in the next has begun. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}

test('a call goes at once while nothing is under way, and those that come meanwhile go together', async () => {
  const { batches, work, endNext } = held();
  const ask = inBatches(work, { most: 10, atOnce: 1, mayBeOnesAlone: () => true });
  const first = ask([1]);
  await turns();
  expect(batches).toEqual([[1]]);
  const others = [ask([2]), ask([3, 4])];
  await turns();
  expect(batches).toEqual([[1]]);
  endNext();
  expect(await first).toEqual([10]);
  await turns();
  expect(batches).toEqual([[1], [2, 3, 4]]);
  endNext();
  expect(await Promise.all(others)).toEqual([[20], [30, 40]]);
});

test('what comes first waits for others until so many have come, or its time is over', async () => {
  const { batches, work, endNext } = held();
  const limits = { most: 10, atOnce: 1, mayBeOnesAlone: () => true };
  const gathered = inBatches(work, { ...limits, gathering: { ms: 60_000, enough: 3 } });
  const first = [gathered([1]), gathered([2])];
  await turns();
  expect(batches).toEqual([]);
  const third = gathered([3]);
  await turns();
  expect(batches).toEqual([[1, 2, 3]]);
  endNext();
  expect(await Promise.all([...first, third])).toEqual([[10], [20], [30]]);
  const soon = inBatches(async (batch: readonly number[]) => batch, { ...limits, gathering: { ms: 5, enough: 3 } });
  expect(await soon([4])).toEqual([4]);
});

test('a batch holds no more than its limit, and no more batches are under way than may be', async () => {
  const { batches, work, endNext } = held();
  const ask = inBatches(work, { most: 2, atOnce: 2, mayBeOnesAlone: () => true });
  const answer = ask([1, 2, 3, 4, 5, 6, 7]);
  await turns();
  expect(batches).toEqual([
    [1, 2],
    [3, 4],
  ]);
  endNext();
  await turns();
  expect(batches.at(-1)).toEqual([5, 6]);
  for (let ended = 0; ended < 3; ended++) {
    endNext();
    await turns();
  }
  expect(batches).toHaveLength(4);
  expect(await answer).toEqual([10, 20, 30, 40, 50, 60, 70]);
});

test('an item that spoils its batch fails alone; a fault of all is told to all', async () => {
  const work = async (batch: readonly number[]): Promise<readonly number[]> => {
    if (batch.includes(0)) throw new Error('away');
    if (batch.includes(13)) throw new Error('bad');
    return batch;
  };
  const ask = inBatches(work, { most: 10, atOnce: 1, mayBeOnesAlone: (error) => (error as Error).message === 'bad' });
  const told = async (items: number[]) => (await Promise.allSettled(items.map((item) => ask([item])))).map(({ status }) => status);
  expect(await told([1, 2, 13, 4])).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  expect(await told([1, 2, 0, 4])).toEqual(['rejected', 'rejected', 'rejected', 'rejected']);
  expect(await ask([5])).toEqual([5]);
});

test('calls of one kind go together, and wait for those of no other kind', async () => {
  const { batches, work, endNext } = held();
  const ask = inKeyedBatches(work, (item) => String(item % 2), { most: 10, atOnce: 1, mayBeOnesAlone: () => true });
  const answers = [1, 2, 3].map(ask);
  await turns();
  expect(batches).toEqual([[1, 3], [2]]);
  answers.push(ask(4), ask(5));
  await turns();
  expect(batches).toHaveLength(2);
  endNext();
  await turns();
  expect(batches.at(-1)).toEqual([5]);
  for (let ended = 0; ended < 3; ended++) {
    endNext();
    await turns();
  }
  expect(await Promise.all(answers)).toEqual([10, 20, 30, 40, 50]);
});
