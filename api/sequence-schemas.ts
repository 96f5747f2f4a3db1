import * as z from 'zod';
import { NODE_KIND_NAMES } from '../domain/sequences/kinds/node-kinds.ts';
import { SequenceStatusName } from '../domain/sequences/schema.ts';
import type { Simulation } from '../domain/sequences/simulate.ts';
import { CreatedAt } from './schemas.ts';

export const SequenceKey = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, { error: '1 to 64 characters a-z, 0-9, _ and -, the first a letter or a digit' })
  .meta({ id: 'SequenceKey', description: 'Names the sequence; unique in the project' });

/** A slug in a path. One that no sequence can have is answered like one that none has: 404. */
export const SequenceKeyParam = z.object({ key: SequenceKey });

export const GraphVersion = z.int().meta({ description: 'Of the graph: 1 at first, one more with every PUT' });
export const ReplyKey = z.string().meta({ description: 'The key of the sequence' });

export const NodeKindName = z.enum(NODE_KIND_NAMES).meta({ id: 'NodeKind', description: 'A kind of node' });

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

/** What a simulation answers with, beside how it ended. */
export const SimulationReply = {
  path: z
    .array(
      z
        .object({
          nodeId: z.string().meta({ description: 'The node' }),
          kind: NodeKindName,
          detail: z.string().optional().meta({ description: 'What happened there, in words' }),
        })
        .meta({ id: 'SimulatedStep', description: 'One node on the way' }),
    )
    .meta({ description: 'Every node from the trigger to the last' }),
  sends: z.array(z.string()).meta({ description: 'The keys of the templates that would be sent' }),
};

export function shownSimulation({ path, sends, endedBy }: Simulation) {
  return { path: [...path], sends: [...sends], endedBy };
}
