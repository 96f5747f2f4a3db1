import * as z from 'zod';
import { boundedArray } from '../bounded-array.ts';
import { ConditionSchema as Condition } from '../condition/schema.ts';
import { isLocale, isTimeZone } from '../locale.ts';
import { MAX_WAIT_MINUTES, type NodeKind, REENTRY_POLICIES, SEQUENCE_STATUSES } from './graph.ts';
import { isTag } from './update-contact.ts';

/** Zod schemas of the flow graph; everything below the top level refuses unknown fields: decisions.md 1.3. */

const positive = z.number({ error: 'a number' }).gt(0, { error: 'more than 0' });
const minutes = z
  .number({ error: 'a number of minutes' })
  .min(0, { error: 'at least 0' })
  .max(MAX_WAIT_MINUTES, { error: `at most ${MAX_WAIT_MINUTES}` });
const EventType = z.string().min(1, { error: '1 to 1000 characters' }).max(1000, { error: '1 to 1000 characters' });
const OutcomeKey = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, { error: '1 to 64 characters A-Z, a-z, 0-9, _ and -' });
const TimeZone = z.string().refine(isTimeZone, { error: 'not an IANA time zone' });
const name = z.string().max(200, { error: 'at most 200 characters' });
const Tag = z.string().max(200).refine(isLiquidOr(isTag), { error: '1 to 64 characters' });
const template = z.string().min(1, { error: 'a template key' });

export const NodeId = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, { error: 'a node id is 1 to 64 characters A-Z, a-z, 0-9, _ and -' });

const EventPattern = z.strictObject({ type: EventType, match: Condition.optional() }).meta({ id: 'EventPattern' });

const SendEmailConfig = z
  .strictObject({
    template,
    subject: z.string().max(998, { error: 'at most 998 characters' }).optional(),
    type: z.enum(['transactional', 'marketing']).optional(),
    brand: z.string().min(1).max(64).optional(),
    data: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: 'SendEmailConfig' });

const WaitDelayConfig = z.strictObject({ minutes }).meta({ id: 'WaitDelayConfig' });

/** Nobody waits longer, and a timer beyond what PostgreSQL and Temporal can hold would never be set. */
const LAST_DATE = '2200';

const TimeOfWait = z
  .strictObject({
    at: z
      .string()
      .regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error: 'a time like 09:30' })
      .optional(),
    weekdays: z
      .array(z.int().min(1).max(7), { error: 'numbers from 1 (Monday) to 7' })
      .min(1, { error: 'at least one weekday' })
      .max(7)
      .refine((days) => new Set(days).size === days.length, { error: 'each weekday once' })
      .optional(),
    date: z.iso
      .date({ error: 'a date like 2027-02-28' })
      .refine((date) => date < LAST_DATE, { error: 'a date before 2200' })
      .optional(),
    timezone: z.union([z.literal('contact'), TimeZone], { error: 'an IANA time zone or "contact"' }).optional(),
    fallback: TimeZone.optional(),
  })
  .meta({ id: 'TimeOfWait' });

const WaitUntilConfig = z
  .union(
    [
      z.strictObject({ event: EventPattern, timeoutMinutes: minutes }),
      z.strictObject({ condition: Condition, timeoutMinutes: minutes }),
      z.strictObject({ time: TimeOfWait }),
    ],
    { error: 'one of { event, timeoutMinutes }, { condition, timeoutMinutes } and { time }' },
  )
  .meta({ id: 'WaitUntilConfig' });

const BranchConfig = z
  .union(
    [
      z.strictObject({
        branches: z
          .array(
            z.strictObject({
              key: OutcomeKey.refine((key) => key !== 'default', { error: 'default is the key of the rest' }),
              when: Condition,
            }),
          )
          .min(1, { error: 'at least one branch' })
          .max(50, { error: 'at most 50 branches' })
          .refine((branches) => new Set(branches.map(({ key }) => key)).size === branches.length, { error: 'each key once' }),
      }),
      z.strictObject({ when: Condition }),
    ],
    { error: 'one of { branches } and { when }' },
  )
  .meta({ id: 'BranchConfig' });

const SplitConfig = z
  .strictObject({
    arms: z
      .array(z.strictObject({ key: OutcomeKey, weight: positive.optional() }))
      .min(2, { error: '2 to 10 arms' })
      .max(10, { error: '2 to 10 arms' })
      .refine((arms) => new Set(arms.map(({ key }) => key)).size === arms.length, { error: 'each key once' }),
  })
  .meta({ id: 'SplitConfig' });

const UpdateContactConfig = z
  .strictObject({
    set: z
      .strictObject({
        firstName: name.nullable().optional(),
        lastName: name.nullable().optional(),
        displayName: name.nullable().optional(),
        // Liquid may make the value, so only a plain one can be judged here.
        timezone: z.string().max(200).refine(isLiquidOr(isTimeZone), { error: 'not an IANA time zone' }).nullable().optional(),
        locale: z.string().max(200).refine(isLiquidOr(isLocale), { error: 'not a BCP 47 locale' }).nullable().optional(),
        attributes: z.record(z.string(), z.unknown()).optional(),
      })
      .optional(),
    addTags: boundedArray(Tag, 100).optional(),
    removeTags: boundedArray(Tag, 100).optional(),
    status: z.literal('unsubscribed').optional(),
  })
  .meta({ id: 'UpdateContactConfig' });

const WebhookConfig = z
  .strictObject({
    url: z.string().max(2048, { error: 'at most 2048 characters' }),
    method: z.enum(['POST', 'PUT', 'PATCH', 'GET']).optional(),
    headers: z
      .record(z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/, { error: 'not a header name' }), z.string().max(2000))
      .refine((headers) => Object.keys(headers).length <= 50, { error: 'at most 50 headers' })
      .optional(),
    body: z.json().optional(),
    timeoutSeconds: positive.max(30, { error: 'at most 30' }).optional(),
    onError: z.enum(['continue', 'fail']).optional(),
  })
  .meta({ id: 'WebhookNodeConfig' });

const SubflowConfig = z
  .strictObject({ sequenceKey: z.string().min(1).max(64), mode: z.enum(['enroll', 'wait']).optional() })
  .meta({ id: 'SubflowConfig' });

const GoalNodeConfig = z.strictObject({ condition: Condition }).meta({ id: 'GoalNodeConfig' });

/** undefined: the kind takes no config, and an empty one is the same as none. */
export const NODE_CONFIGS: { readonly [K in NodeKind]: { readonly schema: z.ZodType; readonly required: boolean } | undefined } = {
  trigger: undefined,
  send_email: { schema: SendEmailConfig, required: true },
  wait_delay: { schema: WaitDelayConfig, required: true },
  wait_until: { schema: WaitUntilConfig, required: true },
  branch: { schema: BranchConfig, required: true },
  split: { schema: SplitConfig, required: true },
  update_contact: { schema: UpdateContactConfig, required: true },
  webhook: { schema: WebhookConfig, required: true },
  subflow: { schema: SubflowConfig, required: true },
  goal: { schema: GoalNodeConfig, required: false },
  exit: undefined,
};

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

const Goal = z
  .strictObject({ event: EventPattern.optional(), condition: Condition.optional() })
  .refine(({ event, condition }) => Boolean(event ?? condition), { error: 'at least one of event and condition' })
  .meta({ id: 'SequenceGoal' });

const Trigger = z
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

export const GraphEdge = z.object({ from: z.string(), to: z.string(), branchKey: z.string().nullish() });

function isLiquidOr(rule: (text: string) => boolean): (text: string) => boolean {
  return (text) => /\{\{|\{%/.test(text) || rule(text);
}

/** The graph as PUT takes it, for the documentation: `readGraph` reads it, so that it can list everything that is wrong. */
export const FlowGraphInput = z
  .object({
    ...GraphSettings.shape,
    nodes: z.array(
      z
        .union([
          z.object({ id: NodeId, kind: z.enum(['trigger', 'exit']) }),
          z.object({ id: NodeId, kind: z.literal('send_email'), config: SendEmailConfig }),
          z.object({ id: NodeId, kind: z.literal('wait_delay'), config: WaitDelayConfig }),
          z.object({ id: NodeId, kind: z.literal('wait_until'), config: WaitUntilConfig }),
          z.object({ id: NodeId, kind: z.literal('branch'), config: BranchConfig }),
          z.object({ id: NodeId, kind: z.literal('split'), config: SplitConfig }),
          z.object({ id: NodeId, kind: z.literal('update_contact'), config: UpdateContactConfig }),
          z.object({ id: NodeId, kind: z.literal('webhook'), config: WebhookConfig }),
          z.object({ id: NodeId, kind: z.literal('subflow'), config: SubflowConfig }),
          z.object({ id: NodeId, kind: z.literal('goal'), config: GoalNodeConfig.optional() }),
        ])
        .meta({ id: 'SequenceNode' }),
    ),
    edges: z.array(GraphEdge.meta({ id: 'SequenceEdge' })),
  })
  .meta({ id: 'FlowGraphInput' });

/** The graph as GET answers it. Nodes and goal come from a graph that was valid when it was stored. */
export const FlowGraph = z
  .object({
    key: z.string(),
    name: z.string(),
    status: SequenceStatusName,
    reentry: z.enum(REENTRY_POLICIES),
    cooldownHours: z.number().nullable(),
    goal: z.record(z.string(), z.unknown()).nullable(),
    frequencyCap: z.object({ count: z.int(), windowHours: z.number() }).nullable(),
    triggers: z.array(z.object({ kind: z.literal('event'), config: z.record(z.string(), z.unknown()), enabled: z.boolean() })),
    nodes: z.array(z.object({ id: z.string(), kind: z.string(), config: z.record(z.string(), z.unknown()).optional() })),
    edges: z.array(z.object({ from: z.string(), to: z.string(), branchKey: z.string().optional() })),
  })
  .meta({ id: 'FlowGraph' });
