import { expect, test } from 'vitest';
import type { Release } from '../../platform/slots.ts';
import { createPlacesInTurns } from '../../sending/places-in-turns.ts';

const NEVER = new AbortController().signal;

/** Whatever could begin at once has begun. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('those who wait get a place by turns of their projects, however many one project has', async () => {
  const places = createPlacesInTurns(1);
  const first = await places.take('large', NEVER);
  const order: string[] = [];
  const releases: Release[] = [];
  for (const name of ['large 1', 'large 2', 'large 3', 'small 1', 'small 2']) {
    void places.take(name.split(' ')[0] as string, NEVER).then((release) => {
      order.push(name);
      releases.push(release as Release);
    });
  }
  await turn();
  expect(order).toEqual([]);
  first?.();
  for (let given = 1; given <= 5; given++) {
    await turn();
    expect(order).toHaveLength(given);
    releases.at(-1)?.();
  }
  expect(order).toEqual(['large 1', 'small 1', 'large 2', 'small 2', 'large 3']);
});

test('who gives up waiting takes no place, and one that is given back twice is one', async () => {
  const places = createPlacesInTurns(1);
  const first = (await places.take('p', NEVER)) as Release;
  const gone = new AbortController();
  const left = places.take('p', gone.signal);
  const second = places.take('p', NEVER);
  const third = places.take('p', NEVER);
  gone.abort();
  expect(await left).toBeUndefined();
  first();
  first();
  const release = (await second) as Release;
  expect(await Promise.race([third.then(() => 'taken'), turn().then(() => 'waits')])).toBe('waits');
  release();
  expect(await third).toBeDefined();
  expect(await places.take('p', AbortSignal.abort())).toBeUndefined();
});
