import * as z from 'zod';
import { boundedArray } from '../../bounded-array.ts';
import { ConditionSchema } from '../../conditions/schema.ts';
import { OutcomeKey } from '../schema-parts.ts';
import { defineKind, keysIn, part, pass } from './kind.ts';

const BranchConfig = z
  .union(
    [
      z.strictObject({
        branches: boundedArray(
          z.strictObject({
            key: OutcomeKey.refine((key) => key !== 'default', { error: 'default is the key of the rest' }),
            when: ConditionSchema,
          }),
          50,
          { error: 'at most 50 branches' },
        )
          .min(1, { error: 'at least one branch' })
          .refine((branches) => new Set(branches.map(({ key }) => key)).size === branches.length, { error: 'each key once' })
          .meta({ description: 'Tried in this order; each key once. Where none holds the edge `default` is taken' }),
      }),
      z.strictObject({ when: ConditionSchema }),
    ],
    { error: 'one of { branches } and { when }' },
  )
  .meta({ id: 'BranchConfig', description: 'Several branches by their keys, or one condition with the edges `true` and `false`' });

/** The first branch whose condition holds, else `default`; in short `true` or `false`. */
export const branch = defineKind({
  name: 'branch',
  summary: 'Goes on with the first branch whose condition holds, else with `default`; in short with `true` or `false`',
  config: BranchConfig,
  edges: { into: true, out: 'keyed' },
  branchKeys: (config) => (part(config, 'when') === undefined ? [...keysIn(part(config, 'branches')), 'default'] : ['true', 'false']),
  conditions: (config) => ('when' in config ? [config.when] : config.branches.map(({ when }) => when)),
  arrive(config, around) {
    if ('when' in config)
      return around.holds(config.when) ? pass('true', 'the condition holds') : pass('false', 'the condition does not hold');
    const chosen = config.branches.find(({ when }) => around.holds(when));
    return chosen ? pass(chosen.key, `the condition of ${chosen.key} holds`) : pass('default', 'no condition holds');
  },
});
