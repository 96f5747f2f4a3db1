import * as z from 'zod';
import { ConditionSchema } from '../../conditions/schema.ts';
import { defineKind, pass } from './kind.ts';

const GoalNodeConfig = z
  .strictObject({ condition: ConditionSchema })
  .meta({ id: 'GoalNodeConfig', description: 'Omitted: reached by everyone who comes here' });

/** Ends the run where its condition holds, or where it has none. */
export const goal = defineKind({
  name: 'goal',
  summary: 'Ends the run by its goal, where its condition holds or where it has none; else the run goes on',
  config: GoalNodeConfig.optional(),
  edges: { into: true, out: 'plain' },
  conditions: (config) => (config ? [config.condition] : []),
  arrive: (config, around) =>
    !config || around.holds(config.condition)
      ? { does: 'end', reason: 'goal', outcome: 'reached', detail: 'the goal is reached' }
      : pass('passed', 'the condition of the goal does not hold'),
});
