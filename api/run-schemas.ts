import * as z from 'zod';
import { LATEST_RUNS } from '../db/queries/sequences/latest-runs.ts';
import { boundedArray } from '../domain/bounded-array.ts';
import { NodeId } from '../domain/sequences/kinds/kind.ts';
import { HOLD_REASONS, WAITS_AND_HOLDS } from '../domain/sequences/waiting-for.ts';
import { MAX_NAME_LENGTH } from '../domain/text-lengths.ts';
import { Id, VersionNumber } from './schemas.ts';
import { MailLeftOutReasonName } from './sequence-schemas.ts';

export const EnrollmentStatus = z.enum(['active', 'completed', 'cancelled']).meta({
  id: 'EnrollmentStatus',
  description: '`completed`: it came to an end of the flow; `cancelled`: it was ended before',
});

const WaitName = z.enum(WAITS_AND_HOLDS).meta({
  id: 'Wait',
  description:
    'What a run waits for, beside events of a type; `webhook`: between the tries of a call. `held:` and why its step may not be done now',
});

export const WaitingForName = z.union([WaitName, z.templateLiteral(['event:', z.string()])]);

const HoldReasonName = z.enum(HOLD_REASONS).meta({ id: 'HoldReason', description: 'Why a step of a run may not be done now' });

/** Filters of runs by how they stand. */
export const ofRuns = {
  status: EnrollmentStatus.optional().meta({
    description: 'Only those that are under way, came to an end of the flow, or were ended before',
  }),
  nodeId: NodeId.optional().meta({ description: 'Only those that stand at the node with this id, or have ended there' }),
  waitingFor: z
    .union([WaitName, z.templateLiteral(['event:', z.string().max(MAX_NAME_LENGTH)])])
    .optional()
    .meta({ description: 'Only those that wait for this' }),
  failedSteps: z.enum(['some']).optional().meta({ description: '`some`: only those of which a step failed; all when omitted' }),
  held: z
    .union([z.literal('some'), HoldReasonName])
    .optional()
    .meta({ description: 'Only those that are held for this reason, or for any (`some`); all when omitted' }),
};

/** Filters of a list of runs by what GET /sequences/:key/flow counts. */
export const ofLatestRuns = {
  version: VersionNumber.optional().meta({ description: 'Only those that go through this version of the graph; all when omitted' }),
  leftOut: z
    .union([z.literal('some'), MailLeftOutReasonName])
    .optional()
    .meta({
      description:
        `Only those that went on without an email for this reason, or for any (\`some\`). Of the ${LATEST_RUNS.toLocaleString('en')} runs that ` +
        'started last, as GET /sequences/:key/flow counts them',
    }),
  leftOutAt: NodeId.optional().meta({ description: 'Only those that went on without the email of the node with this id; likewise' }),
};

/** docs/contract/sequences.md 57. */
export const MOST_CONTACTS = 1000;

const CONTACTS = boundedArray(Id, MOST_CONTACTS, { error: `at most ${MOST_CONTACTS} ids` })
  .optional()
  .meta({ description: 'Only those of these contacts' });

/** As a number, as records have it, or as a text, as a list is asked for it. */
const VERSION = z
  .union([z.int().min(0).max(999_999_999), VersionNumber], { error: 'not a whole number' })
  .optional()
  .meta({ description: 'Only those that go through this version of the graph; all when omitted' });

/** Each field may be null, which is the same as without it. */
export const RunFilterInput = z
  .strictObject(orNull({ ...ofRuns, ...ofLatestRuns, version: VERSION, contactIds: CONTACTS }))
  .meta({ id: 'RunFilter', description: 'Which runs: whatever is given has to hold. `{}`: all of them' });

function orNull<Shape extends Record<string, z.ZodOptional>>(shape: Shape): { [name in keyof Shape]: z.ZodNullable<Shape[name]> } {
  return Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, schema.nullable().meta(schema.meta() ?? {})])) as never;
}
