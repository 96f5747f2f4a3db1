import { expect, test } from '@jest/globals';
import { inPages } from '../../platform/pages.ts';

/** Work whose pages end when the test says so. */
function held() {
  const pages: number[][] = [];
  const ends: (() => void)[] = [];
  const work = async (page: readonly number[]): Promise<readonly number[]> => {
    pages.push([...page]);
    await new Promise<void>((resolve) => ends.push(resolve));
    return page.map((item) => item * 10);
  };
  return { pages, work, endNext: () => ends.shift()?.() };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a call goes at once while nothing is under way, and those that come meanwhile go together', async () => {
  const { pages, work, endNext } = held();
  const ask = inPages(work, { most: 10, atOnce: 1, mayBeOnesAlone: () => true });
  const answers = [1, 2, 3, 4].map(ask);
  expect(pages).toEqual([[1]]);
  endNext();
  await turn();
  expect(pages).toEqual([[1], [2, 3, 4]]);
  endNext();
  expect(await Promise.all(answers)).toEqual([10, 20, 30, 40]);
});

test('a page holds no more than its limit, and no more pages are under way than may be', async () => {
  const { pages, work, endNext } = held();
  const ask = inPages(work, { most: 2, atOnce: 2, mayBeOnesAlone: () => true });
  const answers = [1, 2, 3, 4, 5, 6, 7].map(ask);
  await turn();
  expect(pages).toEqual([[1], [2]]);
  endNext();
  await turn();
  expect(pages).toEqual([[1], [2], [3, 4]]);
  for (let ended = 0; ended < 4; ended++) {
    endNext();
    await turn();
  }
  expect(pages).toEqual([[1], [2], [3, 4], [5, 6], [7]]);
  expect(await Promise.all(answers)).toHaveLength(7);
});

test('an item that spoils its page fails alone; a fault of all is told to all', async () => {
  const work = async (page: readonly number[]): Promise<readonly number[]> => {
    if (page.includes(0)) throw new Error('away');
    if (page.includes(13)) throw new Error('bad');
    return page;
  };
  const ask = inPages(work, { most: 10, atOnce: 1, mayBeOnesAlone: (error) => (error as Error).message === 'bad' });
  const told = async (items: number[]) => (await Promise.allSettled(items.map(ask))).map(({ status }) => status);
  expect(await told([1, 2, 13, 4])).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  expect(await told([1, 2, 0, 4])).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected']);
  expect(await ask(5)).toBe(5);
});
