import * as z from 'zod';
import { boundedArray } from '../bounded-array.ts';
import { ConditionSchema } from '../conditions/schema.ts';
import { MAX_LABEL_LENGTH } from '../segments/segment-label.ts';
import { WindowChoiceInput, WindowChoiceShown } from '../send-window-schema.ts';
import { MAX_NAME_LENGTH } from '../text-lengths.ts';
import { unvalidated } from '../unvalidated.ts';
import { DATE_FIELDS, dateEntryName } from './date-entry.ts';
import { FrequencyCap } from './frequency-cap.ts';
import { NodeId } from './kinds/kind.ts';
import { NODE_KINDS } from './kinds/node-kinds.ts';
import { EventPattern, positive, TimeOfDay, zoneFields } from './schema-parts.ts';
import { REENTRY_POLICIES, SEQUENCE_STATUSES } from './statuses.ts';

/** Zod schemas of the flow graph; everything below the top level refuses unknown fields: docs/contract/http.md 12. */

const SEGMENT_RULE = `the label of a segment, 1 to ${MAX_LABEL_LENGTH} characters`;

export const Goal = z
  .strictObject({ event: EventPattern.optional(), condition: ConditionSchema.optional() })
  .refine(({ event, condition }) => Boolean(event ?? condition), { error: 'at least one of event and condition' })
  .meta({
    id: 'SequenceGoal',
    minProperties: 1,
    description: 'Met at any moment, by the event or by the condition, it ends the enrollment. At least one of the two',
  });

const Enabled = z.boolean().default(true).meta({ description: 'false: it enrolls nobody' });

const EventTrigger = z
  .strictObject({ kind: z.literal('event').meta({ description: 'An event enrolls' }), config: EventPattern, enabled: Enabled })
  .meta({ id: 'EventTrigger', description: 'An event enrolls the contact to whom it happens' });

/** By which segment a sequence is entered. */
export const EnteredSegment = z
  .strictObject({
    segment: z
      .string({ error: SEGMENT_RULE })
      .min(1, { error: SEGMENT_RULE })
      .max(MAX_LABEL_LENGTH, { error: SEGMENT_RULE })
      .meta({ description: "The segment's label, without regard to case", examples: ['VIP'] }),
  })
  .meta({ id: 'EnteredSegment', description: 'Whoever becomes a member of this segment' });

const SegmentTrigger = z
  .strictObject({
    kind: z.literal('segment').meta({ description: 'Becoming a member of a segment enrolls' }),
    config: EnteredSegment,
    enabled: Enabled,
  })
  .meta({
    id: 'SegmentTrigger',
    description:
      'Each contact is enrolled each time that it becomes a member of the segment while the sequence is active; who is a member when it is turned on is not',
  });

const ATTRIBUTE_RULE = `the name of an attribute, 1 to ${MAX_NAME_LENGTH} characters`;
const MOST_DAYS = 365;
const Days = z
  .int({ error: `whole days, 1 to ${MOST_DAYS}` })
  .min(1, { error: 'at least 1' })
  .max(MOST_DAYS, { error: `at most ${MOST_DAYS}` });

/** By which date of its own a contact enters a sequence. */
export const EnteredDate = z
  .strictObject({
    attribute: z
      .string({ error: ATTRIBUTE_RULE })
      .min(1, { error: ATTRIBUTE_RULE })
      .max(MAX_NAME_LENGTH, { error: ATTRIBUTE_RULE })
      .refine((name) => !name.startsWith('attributes.'), { error: 'the name alone, without "attributes."' })
      .meta({
        description: "The contact's attribute that is the date: `YYYY-MM-DD`, or a time like conditions take it",
        examples: ['birthday'],
      })
      .nullish(),
    field: z
      .enum(DATE_FIELDS, { error: DATE_FIELDS.join(' or ') })
      .nullish()
      .meta({ description: 'In place of an attribute: the day on which the contact was added, with `every` from the next year on' }),
    every: z
      .literal('year', { error: 'year' })
      .nullish()
      .meta({ description: 'On that day of each year from the date on; once when omitted' }),
    daysBefore: Days.nullish().meta({ description: 'So many days before that day' }),
    daysAfter: Days.nullish().meta({ description: 'So many days after that day' }),
    at: TimeOfDay.meta({ description: 'The local time', examples: ['09:00'] }),
    ...zoneFields,
  })
  .refine(({ attribute, field }) => Boolean(attribute) !== Boolean(field), { error: 'one of attribute and field', path: ['attribute'] })
  .refine(({ daysBefore, daysAfter }) => !daysBefore || !daysAfter, {
    error: 'one of daysBefore and daysAfter, not both',
  })
  .refine(({ field, every, daysBefore }) => !field || every || !daysBefore, {
    error: 'nobody enters before it was added: daysAfter, or every year',
    path: ['daysBefore'],
  })
  .meta({ id: 'EnteredDate', description: 'Each contact by a date of its own, like its birthday' });

const DateTrigger = z
  .strictObject({
    kind: z.literal('date').meta({ description: 'A date of the contact enrolls' }),
    config: EnteredDate,
    enabled: Enabled,
  })
  .meta({
    id: 'DateTrigger',
    description: 'Each contact is enrolled once for each date, at the local time, while the sequence is active',
  });

export const Trigger = z
  .discriminatedUnion('kind', [EventTrigger, SegmentTrigger, DateTrigger], { error: 'the kind of a trigger is event, segment or date' })
  .meta({ id: 'SequenceTrigger', description: 'What enrolls a contact' });

export const SequenceStatusName = z.enum(SEQUENCE_STATUSES).meta({
  id: 'SequenceStatus',
  description:
    'Only `active` enrolls and sends; `draft` and `paused` hold running enrollments before their next send, `archived` ends them',
});
export const SequenceName = z
  .string()
  .min(1, { error: `1 to ${MAX_NAME_LENGTH} characters` })
  .max(MAX_NAME_LENGTH, { error: `1 to ${MAX_NAME_LENGTH} characters` })
  .meta({ description: 'For your own lists; no recipient sees it' });
const Reentry = z.enum(REENTRY_POLICIES).meta({
  id: 'ReentryPolicy',
  description: 'How often a contact may go through: `once_ever`, `once_active` (one enrollment at a time) or `always`',
});

function areOfDifferentDays(triggers: readonly z.output<typeof Trigger>[]): boolean {
  const names = triggers.flatMap((trigger) => (trigger.kind === 'date' ? [dateEntryName(trigger.config)] : []));
  return new Set(names).size === names.length;
}

/** The settings of a graph, beside nodes and edges. null is the same as leaving out. */
export const GraphSettings = z.object({
  name: SequenceName.nullish(),
  status: SequenceStatusName.nullish().meta({ description: 'As it was when omitted; draft of a new one' }),
  reentry: Reentry.nullish().meta({ description: 'once_active when omitted' }),
  cooldownHours: positive
    .nullish()
    .meta({ description: 'Hours since the last start before a contact may enter again; fractions are allowed' }),
  goal: Goal.nullish().meta({ description: 'None when omitted' }),
  frequencyCap: FrequencyCap.nullish().meta({ description: 'None when omitted' }),
  sendWindow: WindowChoiceInput.nullish().meta({
    description:
      "Hours in which its marketing emails go, in place of the project's window; `none`: at any time. The project's when omitted",
  }),
  triggers: boundedArray(Trigger, 50, { error: 'at most 50 triggers' })
    .refine(areOfDifferentDays, {
      error: 'two date triggers are for the same day of the same attribute: whoever enters by one would not by the other',
    })
    .nullish()
    .meta({ description: 'Each enrolls by itself; none: only POST enroll does' }),
});

const BranchKey = z.string().meta({ description: 'Which outcome of a branch, split or wait this edge serves; omitted: every other one' });
export const GraphEdge = z.object({
  from: z.string().meta({ description: 'The id of the node that it leaves' }),
  to: z.string().meta({ description: 'The id of the node that it leads to' }),
  branchKey: BranchKey.optional(),
});
export const GraphEdgeInput = GraphEdge.extend({ branchKey: BranchKey.nullish() }).meta({
  id: 'SequenceEdge',
  description: 'What leads from one node to another',
});

const GraphNode = z
  .union(NODE_KINDS.map(({ node }) => node))
  .meta({ id: 'SequenceNode', description: 'A step of the flow; its `kind` says which config it has' });

export const MAX_NODES = 300;
export const MAX_EDGES = 3000;

/** The graph as PUT takes it, for the documentation: `openGraph` reads it, so that it can list everything that is wrong. */
export const FlowGraphInput = z
  .object({
    ...GraphSettings.shape,
    nodes: z
      .array(GraphNode)
      .max(MAX_NODES)
      .meta({ description: 'In any order; exactly one is a trigger. None at all unless the sequence is active' }),
    edges: z.array(GraphEdgeInput).max(MAX_EDGES).meta({ description: 'What leads from node to node' }),
    migrate: z
      .record(NodeId, NodeId.nullable())
      .nullish()
      .meta({
        description:
          'What becomes of those who stand at a node, of whatever version: the node of this graph at which they go on, or null where their run ends. ' +
          'At nodes that it does not name they stay on their version',
        examples: [{ second_reminder: 'reminder', survey: null }],
      }),
    key: z.string().nullish().meta({ description: 'Ignored: the address names the sequence' }),
    version: z.int().nullish().meta({ description: 'Ignored: each PUT makes the next one' }),
    ok: z.boolean().nullish().meta({ description: 'Ignored, so that an answer of GET can be put back as it is' }),
  })
  .meta({ id: 'FlowGraphInput', description: 'A whole flow: its settings, nodes and edges' });

/** The graph as GET answers it, of the same parts: they were valid when it was stored. */
export const FlowGraph = z
  .object({
    key: z.string().meta({ description: 'Unique in the project' }),
    version: z.int().meta({ description: 'Of the graph: 1 at first, one more with every PUT' }),
    name: z.string().meta({ description: 'For your own lists' }),
    status: SequenceStatusName,
    reentry: Reentry,
    cooldownHours: z.number().nullable().meta({ description: 'Hours since the last start before a contact may enter again; null: none' }),
    goal: unvalidated(Goal).nullable().meta({ description: 'Met at any moment, it ends the enrollment; null: none' }),
    frequencyCap: unvalidated(FrequencyCap).nullable().meta({ description: 'null: none' }),
    sendWindow: WindowChoiceShown.optional().meta({ description: "`none`: it waits for no window; absent: it goes by the project's" }),
    triggers: z.array(unvalidated(Trigger)).meta({ description: 'What enrolls a contact, each by itself' }),
    nodes: z.array(unvalidated(GraphNode)).meta({ description: 'The steps' }),
    edges: z.array(unvalidated(GraphEdgeInput)).meta({ description: 'What leads from node to node' }),
  })
  .meta({ id: 'FlowGraph', description: 'Of the same parts as PUT takes, which takes it back as it is' });
