import * as z from 'zod';
import { MAX_WAIT_MINUTES } from '../schema-parts.ts';

const MOST_COUNT = 1000;
const COUNT_RULE = `a whole number from 1 to ${MOST_COUNT}`;

export const ThrottleConfig = z
  .strictObject({
    count: z
      .int({ error: COUNT_RULE })
      .min(1, { error: COUNT_RULE })
      .max(MOST_COUNT, { error: COUNT_RULE })
      .meta({ description: 'So many runs of a contact pass within the window' }),
    window: z
      .number({ error: 'a number of minutes' })
      .gt(0, { error: 'more than 0' })
      .max(MAX_WAIT_MINUTES, { error: `at most ${MAX_WAIT_MINUTES}` })
      .meta({ description: 'In minutes, sliding; fractions are allowed' }),
    otherwise: z.enum(['drop', 'delay'], { error: 'drop or delay' }).meta({
      description: '`drop`: the others go on by the edge `dropped`, and end where there is none; `delay`: they wait until they may pass',
    }),
  })
  .meta({ id: 'ThrottleConfig', description: 'How many runs of a contact pass in which time' });
export type ThrottleConfig = z.output<typeof ThrottleConfig>;
