import { describe, expect, test } from 'vitest';
import { BUCKETS, bucketOf } from '../../../domain/buckets.ts';
import { armOf, intervalOf, outcomeOf, restOf, testBounds, testIssues, triedArms, verdictOf } from '../../../domain/campaigns/ab-test.ts';

const arms = (...counts: readonly (readonly [number, number])[]) =>
  counts.map(([mails, hits], nth) => ({ key: 'abcd'[nth]!, mails, hits }));
const variants = [{ key: 'a' }, { key: 'b' }, { key: 'c' }];

describe('what a test tells', () => {
  test.each([
    // By hand: z = 2.103, 2.828, 0.658.
    ['better than chance makes it', arms([1000, 100], [1000, 130]), 'b', 'significant', 0.0355],
    ['the same the other way round', arms([1000, 130], [1000, 100]), 'a', 'significant', 0.0355],
    ['much better', arms([400, 200], [400, 160]), 'a', 'significant', 0.00468],
    ['hardly better', arms([1000, 100], [1000, 109]), 'b', 'not_significant', 0.5107],
    ['equal', arms([500, 50], [500, 50]), null, 'not_significant', 1],
    [
      'of three, the same difference from the default is twice as likely to be chance',
      arms([1000, 100], [1000, 130], [1000, 101]),
      'b',
      'not_significant',
      0.0709,
    ],
    ['a default that is far behind, and two that are close', arms([1000, 10], [1000, 100], [1000, 101]), 'c', 'significant', 0],
    ['the same where two are equal', arms([1000, 10], [1000, 100], [1000, 100]), 'b', 'significant', 0],
    ['a default that leads is compared with the next best', arms([1000, 130], [1000, 10], [1000, 129]), 'a', 'not_significant', 1],
    ['one that is as good as the default does not lead', arms([1000, 130], [1000, 100], [1000, 130]), 'a', 'not_significant', 1],
  ])('%s', (_, counts, leader, reason, p) => {
    expect(verdictOf(counts, null)).toEqual({ leader, reason, p: expect.closeTo(p, 3) });
  });

  test.each([
    ['nobody', arms([0, 0], [0, 0])],
    ['fewer than a hundred emails of one arm', arms([1000, 100], [99, 30])],
    ['hardly anybody did it', arms([1000, 2], [1000, 7])],
    ['hardly anybody did not', arms([1000, 998], [1000, 994])],
  ])('nothing of a small sample: %s', (_, counts) => {
    expect(verdictOf(counts, null)).toMatchObject({ reason: 'small_sample', p: null });
  });

  test('nobody leads where nothing has happened, or the same to all', () => {
    for (const counts of [arms([0, 0], [0, 0]), arms([10, 0], [12, 0]), arms([10, 5], [20, 10], [30, 15])])
      expect(verdictOf(counts, 'b').leader).toBeNull();
    expect(verdictOf(arms([10, 1], [10, 1], [10, 0]), 'b').leader).toBe('b');
  });

  test('the leader wins where it is significant, else the default, which is the first unless told', () => {
    const [clear, close, few] = [
      arms([1000, 100], [1000, 10], [1000, 200]),
      arms([1000, 100], [1000, 99], [1000, 101]),
      arms([9, 1], [9, 1], [9, 9]),
    ];
    const by = { decideBy: 'clicks', default: 'b' } as const;
    expect(outcomeOf(by, clear)).toEqual({ winner: 'c', reason: 'significant' });
    expect(outcomeOf(by, close)).toEqual({ winner: 'b', reason: 'not_significant' });
    expect(outcomeOf(by, arms([1000, 101], [1000, 10], [1000, 100]))).toEqual({ winner: 'a', reason: 'significant' });
    expect(outcomeOf({ ...by, default: null }, few)).toEqual({ winner: 'a', reason: 'small_sample' });
  });

  test('where somebody was to choose and has not, the default goes, whatever the test tells', () => {
    expect(outcomeOf({ decideBy: 'hand', default: 'b' }, arms([1000, 100], [1000, 10], [1000, 200]))).toEqual({
      winner: 'b',
      reason: 'not_chosen',
    });
  });

  test.each([
    [0, 0, 0, 1],
    [100, 0, 0, 0.037],
    [100, 10, 0.0552, 0.1744],
    [100, 100, 0.963, 1],
  ])('of %i emails %i hits: the true rate is from %f to %f', (mails, hits, low, high) => {
    expect(intervalOf({ mails, hits })).toEqual({ low: expect.closeTo(low, 3), high: expect.closeTo(high, 3) });
  });
});

describe('who gets what', () => {
  test('each contact has its arm or is of the rest for good, by the share, and the rest gets what was decided', () => {
    const bounds = testBounds(3, 10);
    const tried = triedArms('campaign', { variants, bounds, winner: undefined });
    const decided = triedArms('campaign', { variants, bounds, winner: 'b' });
    const counts = new Map<string, number>();
    for (let nth = 0; nth < 20_000; nth++) {
      const [before, after] = [tried(`contact-${nth}`), decided(`contact-${nth}`)];
      if (before) expect(after).toEqual(before);
      else expect(after).toEqual({ arm: { key: 'b' }, counted: 'b/rest' });
      const counted = before?.counted ?? 'rest';
      counts.set(counted, (counts.get(counted) ?? 0) + 1);
    }
    for (const key of ['a', 'b', 'c']) expect(counts.get(key)! / 20_000).toBeCloseTo(0.1, 1);
    expect(counts.get('rest')! / 20_000).toBeCloseTo(0.7, 1);
  });

  test('the bounds leave nobody between two arms', () => {
    expect(testBounds(2, 10)).toEqual([Math.floor(BUCKETS * 0.1), Math.floor(BUCKETS * 0.2)]);
    expect(bucketOf('x')).toBeLessThan(BUCKETS);
  });

  test('the arm of a mail is known in the test and after it', () => {
    expect(armOf('b')).toEqual({ key: 'b', isRest: false });
    expect(armOf(restOf('b'))).toEqual({ key: 'b', isRest: true });
  });
});

test.each([
  ['no test', { test: null }, []],
  ['all is said', { test: { share: 10, decideBy: 'clicks', afterHours: 2, default: 'b' }, variants }, []],
  ['by hand without hours', { test: { share: 33, decideBy: 'hand' }, variants }, []],
  ['no variants', { test: { share: 10, decideBy: 'hand' } }, ['test']],
  ['nobody is left', { test: { share: 34, decideBy: 'hand' }, variants }, ['test.share']],
  ['no hours', { test: { share: 10, decideBy: 'opens' }, variants }, ['test.afterHours']],
  ['no goal', { test: { share: 10, decideBy: 'goal', afterHours: 1 }, variants }, ['test.decideBy']],
  ['an unknown default', { test: { share: 10, decideBy: 'hand', default: 'd' }, variants }, ['test.default']],
  ['weights', { test: { share: 10, decideBy: 'hand' }, variants: [{ key: 'a', weight: 2 }, { key: 'b' }] }, ['test']],
  ['local time', { test: { share: 10, decideBy: 'hand' }, variants, schedule: {} }, ['test']],
] as const)('a campaign is tested so, or it is said where not: %s', (_, fields, paths) => {
  expect(testIssues(fields).map(({ path }) => path)).toEqual(paths);
});
