import { expect, test } from 'vitest';
import { planFaults } from './faults.ts';
import { seededRandom } from './random.ts';

const MEMBERS = ['postgres', 'temporal', 'api 1', 'api 2', 'worker 1', 'worker 2'];

const HOUR_MS = 3_600_000;
const plan = (seed: number, durationMs = HOUR_MS) => planFaults(seededRandom(seed), MEMBERS, durationMs);

test('the same seed plans the same faults, another seed others', () => {
  expect(plan(7)).toEqual(plan(7));
  expect(plan(7)).not.toEqual(plan(8));
});

test('among the first eight faults every sort of member is killed once and paused once', () => {
  const [eight, all] = [plan(7).slice(0, 8), plan(7)];
  const sorts = eight.map(({ member, kind }) => `${kind} ${member.split(' ')[0]}`);
  expect(sorts.toSorted()).toEqual(
    ['kill', 'pause'].flatMap((kind) => ['api', 'postgres', 'temporal', 'worker'].map((sort) => `${kind} ${sort}`)),
  );
  expect(new Set(all.map(({ member }) => member))).toEqual(new Set(MEMBERS));
});
