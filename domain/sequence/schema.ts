import * as z from 'zod';
import { boundedArray } from '../bounded-array.ts';
import { ConditionSchema } from '../condition/schema.ts';
import { REENTRY_POLICIES, SEQUENCE_STATUSES } from './graph.ts';
import { NODE_KINDS } from './kinds/node-kinds.ts';
import { EventPattern, positive } from './schema-parts.ts';

/** Zod schemas of the flow graph; everything below the top level refuses unknown fields: decisions.md 1.3. */

/** No contact gets as many. */
const MAX_CAP_COUNT = 1_000_000;
/** A year. */
const MAX_CAP_HOURS = 8_760;

export const FrequencyCap = z
  .strictObject({
    count: z
      .int({ error: 'a whole number of at least 1' })
      .min(1, { error: 'a whole number of at least 1' })
      .max(MAX_CAP_COUNT, { error: `at most ${MAX_CAP_COUNT}` }),
    windowHours: positive.max(MAX_CAP_HOURS, { error: `at most ${MAX_CAP_HOURS}` }),
  })
  .meta({ id: 'FrequencyCap', description: 'Ceiling on marketing mails of the project to one contact in a sliding window' });

export const Goal = z
  .strictObject({ event: EventPattern.optional(), condition: ConditionSchema.optional() })
  .refine(({ event, condition }) => Boolean(event ?? condition), { error: 'at least one of event and condition' })
  .meta({ id: 'SequenceGoal', minProperties: 1 });

export const Trigger = z
  .strictObject({
    kind: z.literal('event', { error: 'the kind of a trigger is event' }),
    config: EventPattern,
    enabled: z.boolean().default(true),
  })
  .meta({ id: 'SequenceTrigger' });

export const SequenceStatusName = z.enum(SEQUENCE_STATUSES).meta({ id: 'SequenceStatus' });
export const SequenceName = z.string().min(1, { error: '1 to 200 characters' }).max(200, { error: '1 to 200 characters' });

/** The settings of a graph, beside nodes and edges. null is the same as leaving out. */
export const GraphSettings = z.object({
  name: SequenceName.nullish(),
  status: SequenceStatusName.nullish(),
  reentry: z.enum(REENTRY_POLICIES).nullish(),
  cooldownHours: positive.nullish(),
  goal: Goal.nullish(),
  frequencyCap: FrequencyCap.nullish(),
  triggers: boundedArray(Trigger, 50, { error: 'at most 50 triggers' }).nullish(),
});

/** `branchKey`: which outcome of a branch, split or wait this edge serves. */
export const GraphEdge = z.object({ from: z.string(), to: z.string(), branchKey: z.string().optional() });
export const GraphEdgeInput = GraphEdge.extend({ branchKey: z.string().nullish() }).meta({ id: 'SequenceEdge' });

export const MAX_NODES = 300;
export const MAX_EDGES = 3000;

/** The graph as PUT takes it, for the documentation: `openGraph` reads it, so that it can list everything that is wrong. */
export const FlowGraphInput = z
  .object({
    ...GraphSettings.shape,
    nodes: z.array(z.union(NODE_KINDS.map(({ node }) => node)).meta({ id: 'SequenceNode' })).max(MAX_NODES),
    edges: z.array(GraphEdgeInput).max(MAX_EDGES),
    key: z.string().nullish().meta({ description: 'Ignored: the address names the sequence' }),
    version: z.int().nullish().meta({ description: 'Ignored: each PUT makes the next one' }),
    ok: z.boolean().nullish().meta({ description: 'Ignored, so that an answer of GET can be put back as it is' }),
  })
  .meta({ id: 'FlowGraphInput' });

/** The graph as GET answers it. Nodes and goal come from a graph that was valid when it was stored. */
export const FlowGraph = z
  .object({
    key: z.string(),
    version: z.int().meta({ description: 'Of the graph: 1 at first, one more with every PUT' }),
    name: z.string(),
    status: SequenceStatusName,
    reentry: z.enum(REENTRY_POLICIES),
    cooldownHours: z.number().nullable(),
    goal: z.record(z.string(), z.unknown()).nullable(),
    frequencyCap: z.object({ count: z.int(), windowHours: z.number() }).nullable(),
    triggers: z.array(z.object({ kind: z.literal('event'), config: z.record(z.string(), z.unknown()), enabled: z.boolean() })),
    nodes: z.array(z.object({ id: z.string(), kind: z.string(), config: z.record(z.string(), z.unknown()).optional() })),
    edges: z.array(GraphEdge),
  })
  .meta({ id: 'FlowGraph' });
