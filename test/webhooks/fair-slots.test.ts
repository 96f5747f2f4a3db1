import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Release } from '../../platform/slots.ts';
import { FairSlots } from '../../webhooks/fair-slots.ts';

const NEVER = new AbortController().signal;
const asking = (endpoint: number | string, project: number | string = endpoint) => ({
  endpointId: `e${endpoint}`,
  projectId: `p${project}`,
});

/** Takes all that it gets at once. */
function greedy(slots: FairSlots, endpoint: number | string, project: number | string = endpoint): Release[] {
  const taken: Release[] = [];
  for (let one = slots.tryTake(asking(endpoint, project)); one; one = slots.tryTake(asking(endpoint, project))) taken.push(one);
  return taken;
}

/** Lets what was given or refused arrive. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('whatever is taken, given back and given up, no endpoint and no process is over its number, and nobody waits for a slot that he may have', async () => {
  const action = fc.oneof(
    fc.record({ do: fc.constant('take' as const), endpoint: fc.nat(5) }),
    fc.record({ do: fc.constant('tryTake' as const), endpoint: fc.nat(5) }),
    fc.record({ do: fc.constant('release' as const), which: fc.nat(50) }),
    fc.record({ do: fc.constant('giveUp' as const), which: fc.nat(50) }),
  );
  const sizes = {
    total: fc.integer({ min: 1, max: 20 }),
    perEndpoint: fc.integer({ min: 1, max: 8 }),
    mostWaiting: fc.integer({ min: 0, max: 12 }),
  };
  const given = fc.tuple(fc.record(sizes), fc.array(action, { maxLength: 80 }));
  await fc.assert(
    fc.asyncProperty(given, async ([options, actions]) => {
      const slots = new FairSlots(options);
      const held: { endpoint: number; release: Release }[] = [];
      const waiting: { endpoint: number; nth: number; controller: AbortController }[] = [];
      let nth = 0;
      const got = (endpoint: number, release: Release | undefined): void => {
        if (release) held.push({ endpoint, release });
      };
      for (const one of actions) {
        if (one.do === 'tryTake') got(one.endpoint, slots.tryTake(asking(one.endpoint, one.endpoint % 3)));
        else if (one.do === 'take') {
          const mine = { endpoint: one.endpoint, nth: nth++, controller: new AbortController() };
          waiting.push(mine);
          void slots.take(asking(one.endpoint, one.endpoint % 3), mine.controller.signal).then((release) => {
            const [first] = waiting.filter(({ endpoint }) => endpoint === mine.endpoint);
            // Refused at once, or given up, out of turn; served only in turn.
            if (release) expect(first).toBe(mine);
            waiting.splice(waiting.indexOf(mine), 1);
            got(one.endpoint, release);
          });
        } else if (one.do === 'release') {
          const [back] = held.splice(one.which % Math.max(1, held.length), 1);
          back?.release();
          back?.release();
        } else waiting[one.which % Math.max(1, waiting.length)]?.controller.abort();
        await settled();
        const of = (endpoint: number): number => held.filter((slot) => slot.endpoint === endpoint).length;
        expect(held.length).toBeLessThanOrEqual(options.total);
        expect(waiting.length).toBeLessThanOrEqual(options.mostWaiting);
        for (const endpoint of [0, 1, 2, 3, 4, 5]) expect(of(endpoint)).toBeLessThanOrEqual(options.perEndpoint);
        // Somebody with none waits only where nothing is left.
        for (const { endpoint } of waiting)
          if (held.every((slot) => slot.endpoint % 3 !== endpoint % 3)) expect(held.length).toBe(options.total);
      }
      // All given back, everybody is served: no slot and no waiting place is lost.
      while (held.length > 0) {
        held.shift()!.release();
        await settled();
      }
      expect(waiting).toEqual([]);
      expect(greedy(slots, 'fresh').length).toBe(greedy(new FairSlots(options), 'fresh').length);
    }),
    { numRuns: 300 },
  );
});

test.each([1, 2, 5, 8, 13, 30])(
  'with %d endpoints that take what they can and let nothing go, somebody with none finds a place',
  (greedyOnes) => {
    const slots = new FairSlots({ total: 400, perEndpoint: 50, mostWaiting: 200 });
    for (let each = 0; each < greedyOnes; each++) expect(greedy(slots, each).length).toBeGreaterThan(0);
    expect(slots.tryTake(asking('none'))).toBeDefined();
  },
);

test('a project with any number of endpoints leaves half of the slots to others', () => {
  const slots = new FairSlots({ total: 400, perEndpoint: 50, mostWaiting: 200 });
  const taken = Array.from({ length: 100 }, (_, each) => greedy(slots, each, 'same').length);
  expect(taken.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(200);
  expect(greedy(slots, 'other')).toHaveLength(50);
});

test('those that take what they can for long come to equal shares', async () => {
  const slots = new FairSlots({ total: 30, perEndpoint: 30, mostWaiting: 1_000 });
  const held = new Map<number, Release[]>([0, 1, 2, 3].map((each) => [each, greedy(slots, each)]));
  for (let round = 0; round < 200; round++) {
    const most = [...held].toSorted(([, a], [, b]) => b.length - a.length)[0]!;
    most[1].shift()?.();
    for (const [each, mine] of held) mine.push(...greedy(slots, each));
  }
  const counts = [...held.values()].map(({ length }) => length);
  expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
});

test('who waits for the same endpoint is served in order, and nobody passes by', async () => {
  const slots = new FairSlots({ total: 10, perEndpoint: 1, mostWaiting: 10 });
  const first = slots.tryTake(asking('a'))!;
  const served: number[] = [];
  for (const nth of [1, 2, 3])
    void slots.take(asking('a'), NEVER).then((release) => {
      served.push(nth);
      setImmediate(() => release?.());
    });
  first();
  expect(slots.tryTake(asking('a'))).toBeUndefined();
  for (let turn = 0; turn < 10; turn++) await settled();
  expect(served).toEqual([1, 2, 3]);
});

/** Asks in line `count` times, and counts those that wait. */
function askInLine(slots: FairSlots, isRetry: boolean, count: number, got: Release[]): { waiting: number } {
  const line = { waiting: count };
  for (let each = 0; each < count; each++)
    void slots.take({ ...asking(1), isRetry }, NEVER).then((release) => {
      line.waiting--;
      if (release) got.push(release);
    });
  return line;
}

test('retries leave half of the slots of their endpoint to first attempts, also where retries fill their line and all are given back at once', async () => {
  const slots = new FairSlots({ total: 400, perEndpoint: 10, mostWaiting: 200 });
  const [retries, first]: [Release[], Release[]] = [[], []];
  askInLine(slots, true, 205, retries);
  await settled();
  expect(retries).toHaveLength(5);
  // More retries wait than may, and first attempts find places, and places to wait, all the same.
  const inLine = askInLine(slots, false, 25, first);
  await settled();
  expect([retries.length, first.length, inLine.waiting]).toEqual([5, 5, 20]);
  for (let round = 1; round <= 4; round++) {
    for (const release of [...retries.splice(0), ...first.splice(0)]) release();
    await settled();
    expect([retries.length, first.length]).toEqual([5, 5]);
  }
  // Nor do they have more where no first attempt waits: the next may come at any moment.
  for (const release of first.splice(0)) release();
  await settled();
  expect(retries).toHaveLength(5);
});

test('a first attempt passes by retries that may have no more, and by no other first attempt', async () => {
  const slots = new FairSlots({ total: 400, perEndpoint: 3, mostWaiting: 200 });
  const got: Release[] = [];
  askInLine(slots, true, 5, got);
  await settled();
  expect(got).toHaveLength(1);
  const two = [slots.tryTake(asking(1)), slots.tryTake(asking(1))];
  expect(two.every(Boolean)).toBe(true);
  const waits = slots.take(asking(1), NEVER);
  two[0]!();
  expect(slots.tryTake(asking(1))).toBeUndefined();
  expect(await waits).toBeDefined();
});

test('of an endpoint with one slot first attempts and retries have every other, and of the first attempts the burst and others', async () => {
  const slots = new FairSlots({ total: 10, perEndpoint: 1, mostWaiting: 100 });
  const first = slots.tryTake(asking('a'))!;
  const served: string[] = [];
  const takes = async (who: 'retry' | 'burst' | 'first'): Promise<void> => {
    const release = await slots.take({ ...asking('a'), isBurst: who === 'burst', isRetry: who === 'retry' }, NEVER);
    served.push(who);
    // It begins its next call while this one is under way, and has an end: without one it goes on in this process beside all files that follow.
    if (who === 'burst' && served.length < 20) void takes(who);
    setImmediate(() => release!());
  };
  for (let each = 0; each < 20; each++) void takes('retry');
  for (let each = 0; each < 2; each++) void takes('first');
  void takes('burst');
  first();
  for (let turn = 0; turn < 20; turn++) await settled();
  expect(served.filter((who) => who !== 'retry').slice(0, 5)).toEqual(['first', 'burst', 'first', 'burst', 'burst']);
  expect(served.slice(0, 8).map((who) => who === 'retry')).toEqual([false, true, false, true, false, true, false, true]);
});

test('a slot that is given back twice counts once', () => {
  const slots = new FairSlots({ total: 2, perEndpoint: 1, mostWaiting: 0 });
  const release = slots.tryTake(asking('a'))!;
  release();
  release();
  expect(slots.tryTake(asking('a'))).toBeDefined();
  expect(slots.tryTake(asking('a'))).toBeUndefined();
});

test('one that gave up has no place in the line, and keeps no slot', async () => {
  const slots = new FairSlots({ total: 10, perEndpoint: 1, mostWaiting: 1 });
  const release = slots.tryTake(asking('a'))!;
  const controller = new AbortController();
  const waits = slots.take(asking('a'), controller.signal);
  controller.abort();
  expect(await waits).toBeUndefined();
  const next = slots.take(asking('a'), NEVER);
  release();
  expect(await next).toBeDefined();
});

test('no more wait than may, and one endpoint leaves half of the places to others', async () => {
  const slots = new FairSlots({ total: 10, perEndpoint: 1, mostWaiting: 10 });
  for (const endpoint of ['a', 'b']) slots.tryTake(asking(endpoint));
  const waits = (endpoint: string) => Promise.race([slots.take(asking(endpoint), NEVER), settled().then(() => 'waits')]);
  const ofOne = await Promise.all(Array.from({ length: 12 }, () => waits('a')));
  expect(ofOne.filter((one) => one === 'waits')).toHaveLength(5);
  expect(await waits('b')).toBe('waits');
});
