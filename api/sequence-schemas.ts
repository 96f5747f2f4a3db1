import * as z from 'zod';
import { MAX_GATHERED } from '../domain/sequences/gathered.ts';
import { STEP_CHANGES } from '../domain/sequences/graph-changes.ts';
import { NODE_KIND_NAMES } from '../domain/sequences/kinds/node-kinds.ts';
import { MAIL_LEFT_OUT_REASONS, type MailLeftOutReason } from '../domain/sequences/left-out-mails.ts';
import { SequenceStatusName } from '../domain/sequences/schema.ts';
import type { SimulatedStep, Simulation } from '../domain/sequences/simulate.ts';
import { CreatedAt } from './schemas.ts';

export const SequenceKey = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, { error: '1 to 64 characters a-z, 0-9, _ and -, the first a letter or a digit' })
  .meta({ id: 'SequenceKey', description: 'Names the sequence; unique in the project' });

/** A slug in a path. One that no sequence can have is answered like one that none has: 404. */
export const SequenceKeyParam = z.object({ key: SequenceKey });

export const GraphVersion = z.int().meta({ description: 'Of the graph: 1 at first, one more with every PUT' });
export const ReplyKey = z.string().meta({ description: 'The key of the sequence' });

const People = z.int().meta({ description: 'Runs under way that stand there' });

export const ChangedStepRecord = z
  .object({
    nodeId: z.string().meta({ description: 'Of the step, in the graph that there was' }),
    change: z.enum(STEP_CHANGES).meta({ description: '`changed`: it is of another kind, or has another config' }),
    people: People,
    versions: z
      .array(z.object({ version: z.int().meta({ description: 'The version that they go through' }), people: People }))
      .meta({ description: 'The same by version, the latest first' }),
  })
  .meta({ id: 'ChangedStep', description: 'A step that a new graph removes or changes while people stand there' });

export const NodeKindName = z.enum(NODE_KIND_NAMES).meta({ id: 'NodeKind', description: 'A kind of node' });

export const MailLeftOutReasonName = z.enum(MAIL_LEFT_OUT_REASONS).meta({
  id: 'MailLeftOutReason',
  description:
    'Why a run went on without an email: its contact was suppressed, had unsubscribed, had bounced or was deleted; `frequency_cap`: the ' +
    'cap left no room for as long as it waits; `other`: the `detail` of the step says it in words',
});

const runsFor = (reason: MailLeftOutReason) => z.int().meta({ description: `For \`${reason}\`` });

export const MailLeftOutCounts = z
  .object({
    suppressed: runsFor('suppressed'),
    unsubscribed: runsFor('unsubscribed'),
    bounced: runsFor('bounced'),
    unconfirmed: runsFor('unconfirmed'),
    topic_off: runsFor('topic_off'),
    erased: runsFor('erased'),
    frequency_cap: runsFor('frequency_cap'),
    other: runsFor('other'),
  })
  .meta({ id: 'MailLeftOutCounts', description: 'How many runs went on without an email, each once for each reason' });

export const SequenceSummary = z
  .object({
    id: z.uuid().meta({ description: 'The `source_id` of its emails in the send log' }),
    key: z.string().meta({ description: 'Unique in the project' }),
    name: z.string().meta({ description: 'For your own lists' }),
    status: SequenceStatusName,
    version: GraphVersion,
    trigger: z.string().nullable().meta({ description: 'The type of the event that enrolls; null: none' }),
    created_at: CreatedAt,
    enrollments: z
      .object({
        active: z.int().meta({ description: 'On their way' }),
        completed: z.int().meta({ description: 'At an end of the flow' }),
        cancelled: z.int().meta({ description: 'Ended before' }),
      })
      .meta({ description: 'How many there are, sandboxed ones among them' }),
    failed_steps: z.int().meta({ description: 'Steps of all its enrollments that failed, like emails that could not be sent' }),
  })
  .meta({ id: 'SequenceSummary', description: 'A sequence without its graph' });

const GatheredEvent = z
  .object({
    type: z.string().meta({ description: 'As it was posted' }),
    data: z.record(z.string(), z.unknown()).meta({ description: 'Its data' }),
    at: z.string().meta({ description: 'When it came' }),
  })
  .meta({ id: 'GatheredEvent', description: 'An event as a digest shows it' });

/** What a simulation answers with, beside how it ended. */
export const SimulationReply = {
  path: z
    .array(
      z
        .object({
          nodeId: z.string().meta({ description: 'The node' }),
          kind: NodeKindName,
          detail: z.string().optional().meta({ description: 'What happened there, in words' }),
          digest: z
            .object({
              count: z.int().meta({ description: 'How many' }),
              events: z.array(GatheredEvent).meta({ description: `The latest ${MAX_GATHERED} of them, oldest first` }),
            })
            .optional()
            .meta({ description: 'What has gathered at a digest, as `digest` of the emails after it' }),
        })
        .meta({ id: 'SimulatedStep', description: 'One node on the way' }),
    )
    .meta({ description: 'Every node from the trigger to the last' }),
  sends: z.array(z.string()).meta({ description: 'The keys of the templates that would be sent' }),
};

export function shownSimulation({ path, sends, endedBy }: Omit<Simulation, 'runs'>) {
  return { path: path.map(shownStep), sends: [...sends], endedBy };
}

function shownStep({ digest, ...step }: SimulatedStep) {
  return digest ? { ...step, digest: { count: digest.count, events: [...digest.events] } } : step;
}
