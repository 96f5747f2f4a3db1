import { expect, test } from '@jest/globals';
import { planFaults } from './faults.ts';
import { seededRandom } from './random.ts';

const MEMBERS = ['postgres', 'temporal', 'api 1', 'worker 1'];

test('the same seed plans the same faults, another seed others, of every kind to everybody', () => {
  const plan = (seed: number) => planFaults(seededRandom(seed), MEMBERS, 3_600_000);
  expect(plan(7)).toEqual(plan(7));
  expect(plan(7)).not.toEqual(plan(8));
  const kinds = new Set(plan(7).map(({ member, kind }) => `${kind} ${member}`));
  expect(kinds.size).toBe(2 * MEMBERS.length);
});
