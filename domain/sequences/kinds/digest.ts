import * as z from 'zod';
import { MAX_ISSUES } from '../../errors.ts';
import { insteadOf } from '../../nearest-name.ts';
import { MAX_GATHERED } from '../gathered.ts';
import { MAX_WAIT_MINUTES } from '../schema-parts.ts';
import { defineKind } from './kind.ts';
import { nextTime, TimeOfWait } from './wait-until.ts';

const KEY_RULE = 'a path into the data of the event, like postId or post.id, of at most 200 characters';

/** Without Liquid and indexes: the same path is read by PostgreSQL and by simulate. */
const EventPath = z
  .string({ error: KEY_RULE })
  .max(200, { error: KEY_RULE })
  .regex(/^[^.{}[\],"\\\s]+(?:\.[^.{}[\],"\\\s]+)*$/, { error: KEY_RULE });

const MOST_MAX = 10_000;
const MAX_RULE = `a whole number from 1 to ${MOST_MAX}`;

const together = {
  key: EventPath.optional().meta({
    description:
      'A path into the data of the event: events with the same text, number or boolean there gather together, those without one by themselves; ' +
      'all of them when omitted',
    examples: ['postId'],
  }),
  max: z
    .int({ error: MAX_RULE })
    .min(1, { error: MAX_RULE })
    .max(MOST_MAX, { error: MAX_RULE })
    .optional()
    .meta({ description: 'The run goes on as soon as so many have gathered' }),
};

const ENDS = ['windowMinutes', 'until'];
const FIELDS = [...ENDS, ...Object.keys(together)];

/** Of a field that one of the two forms does not have, which may be that of the other. A line for each, as issuesOf reads them. */
const error: z.core.$ZodErrorMap = (issue) =>
  issue.code === 'unrecognized_keys'
    ? issue.keys
        .slice(0, MAX_ISSUES)
        .map((key) =>
          ENDS.includes(key) ? 'exactly one of windowMinutes and until is wanted' : `no such field; ${insteadOf(key, FIELDS)}`,
        )
        .join('\n')
    : undefined;

const DigestConfig = z
  .union(
    [
      z.strictObject(
        {
          ...together,
          windowMinutes: z
            .number({ error: 'a number of minutes, or until in its place' })
            .gt(0, { error: 'more than 0' })
            .max(MAX_WAIT_MINUTES, { error: `at most ${MAX_WAIT_MINUTES}` })
            .meta({ description: 'For so long events gather, from the moment on at which the run comes here; fractions are allowed' }),
        },
        { error },
      ),
      z.strictObject(
        { ...together, until: TimeOfWait.meta({ description: 'Events gather until the next local time that is like this' }) },
        { error },
      ),
    ],
    { error: 'one of { windowMinutes } and { until }, with key and max where they are wanted' },
  )
  .meta({
    id: 'DigestConfig',
    description: `How long events gather, and which together; \`digest.events\` has the latest ${MAX_GATHERED} of them, \`digest.count\` how many there are`,
  });
export type DigestConfig = z.output<typeof DigestConfig>;

/** Gathers the events that would enroll the contact; one run goes on with all of them: docs/contract/sequences.md 62 to 67. */
export const digest = defineKind({
  name: 'digest',
  summary: 'Gathers the events that would enroll the contact, and goes on once with all of them',
  config: DigestConfig,
  edges: { into: true, out: 'either' },
  branchKeys: () => ['gathered', 'empty'],
  arrive(config, around) {
    const until =
      'until' in config ? (nextTime(config.until, around) ?? around.now) : new Date(around.now.getTime() + config.windowMinutes * 60_000);
    return { does: 'gather', until, key: config.key, max: config.max };
  },
  // Where it goes on early, other events have come meanwhile.
  leastMinutes: (config) => ('until' in config ? (config.until.date === undefined ? 23 * 60 : 0) : config.windowMinutes),
  task: () => ({ does: 'wait', waitingFor: 'digest', endedBy: null, timeoutOutcome: 'gathered' }),
});
