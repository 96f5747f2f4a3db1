import * as z from 'zod';
import { boundedArray } from '../bounded-array.ts';
import { nearestName } from '../nearest-name.ts';
import { MAX_LABEL_LENGTH } from '../segments/segment-label.ts';
import { EventTypeText } from '../sequences/event-type.ts';
import {
  CONTACT_FIELDS,
  type Condition,
  EMAIL_EVENTS,
  type FieldTest,
  MAX_CONDITION_LEAVES,
  MAX_CONDITION_LEVELS,
  MAX_CONDITION_VALUES,
  TOPIC_FIELD,
} from './condition.ts';
import { FIELD_OPS, OPS, type OpValue } from './ops.ts';
import { conditionProblem } from './shape.ts';

/** Ten years, which is longer than events are kept. */
const MAX_HOURS = 87_600;
const MAX_FIELD = 256;
const FIELD = new RegExp(
  `${TOPIC_FIELD.source}|^(?:contact\\.(?:${CONTACT_FIELDS.join('|')})|(?:attributes|event)\\.[^.]+(?:\\.[^.]+)*)$`,
  'u',
);
const FIELD_RULE = `one of ${CONTACT_FIELDS.map((field) => `contact.${field}`).join(', ')}, contact.topics.<key>, attributes.<path> or event.<path>`;

const Scalar = z.union([z.string(), z.number(), z.boolean()], { error: 'a text, a number, true or false' });
const Value = z.union(
  [z.string(), z.number(), z.boolean(), boundedArray(Scalar, MAX_CONDITION_VALUES, { error: `at most ${MAX_CONDITION_VALUES} values` })],
  {
    error: 'a text, a number, true or false, or a list of these',
  },
);

interface ValueRule {
  /** What suits, for the documentation. */
  readonly document: object;
  readonly suits: (value: FieldTest['value']) => boolean;
  /** What an op says of any other value, after its name. */
  readonly problem: string;
}

const ONE_VALUE = 'needs a text, a number, true or false';

/** Which values suit the ops, by what each is written with. */
const VALUE_RULES: Readonly<Record<OpValue, ValueRule>> = {
  none: { document: { type: 'null' }, suits: (value) => !isGiven(value), problem: 'takes no value' },
  list: {
    document: { type: 'array', minItems: 1, maxItems: MAX_CONDITION_VALUES },
    suits: (value) => Array.isArray(value) && value.length > 0,
    problem: 'needs a list of at least one value',
  },
  ordered: {
    document: { anyOf: [{ type: 'number' }, { type: 'string', minLength: 1 }] },
    suits: (value) => typeof value === 'number' || isFilledText(value),
    problem: 'needs a number, a date or a text',
  },
  text: { document: { type: 'string', minLength: 1 }, suits: isFilledText, problem: 'needs a text that is not empty' },
  filled: {
    document: { anyOf: [{ type: ['number', 'boolean'] }, { type: 'string', minLength: 1 }] },
    suits: (value) => isGiven(value) && !Array.isArray(value) && value !== '',
    problem: ONE_VALUE,
  },
  any: {
    document: { type: ['string', 'number', 'boolean'] },
    suits: (value) => isGiven(value) && !Array.isArray(value),
    problem: ONE_VALUE,
  },
};

function isGiven(value: FieldTest['value']): boolean {
  return value !== undefined && value !== null;
}

function isFilledText(value: FieldTest['value']): boolean {
  return typeof value === 'string' && value !== '';
}

function valueProblem({ op, value }: FieldTest): string | undefined {
  const { suits, problem } = VALUE_RULES[OPS[op].value];
  return suits(value) ? undefined : `${op} ${problem}`;
}

const VALUES_IN_DOCUMENT = Object.entries(VALUE_RULES).map(([name, { document }]) => {
  const ops = FIELD_OPS.filter((op) => OPS[op].value === name);
  const properties = { op: ops.length === 1 ? { const: ops[0] } : { enum: ops }, value: document };
  return name === 'none' ? { properties } : { properties, required: ['value'] };
});

const FieldTestSchema = z
  .strictObject({
    field: z
      .string({ error: FIELD_RULE })
      .max(MAX_FIELD, { error: `at most ${MAX_FIELD} characters` })
      .regex(FIELD, { error: ({ input }) => fieldProblem(String(input)) })
      .meta({
        description: 'contact.<field>, contact.topics.<key>, attributes.<path> or event.<path>: what it is about',
        examples: ['attributes.plan'],
      }),
    op: z
      .enum(FIELD_OPS, { error: `one of ${FIELD_OPS.join(', ')}` })
      .meta({ description: 'How the value is compared; exists and not_exists take none' }),
    value: Value.nullish().meta({ description: 'What it is compared with; a list for in and not_in' }),
  })
  .superRefine((test, context) => {
    const message = valueProblem(test);
    if (message) context.addIssue({ code: 'custom', path: ['value'], message });
  })
  .meta({
    id: 'FieldCondition',
    description: 'One field of the contact, its attributes or the event, compared with a value',
    anyOf: VALUES_IN_DOCUMENT,
  });

const WithinHours = z
  .number({ error: 'a number of hours' })
  .positive({ error: 'above 0' })
  .max(MAX_HOURS, { error: `at most ${MAX_HOURS}` })
  .meta({ description: 'In the last so many hours; at any time when omitted' });

const EventTestSchema = z.strictObject({
  type: EventTypeText.meta({ description: 'The type of the event, exactly' }),
  withinHours: WithinHours.nullish(),
  atLeast: z.int({ error: 'a whole number' }).min(1, { error: 'at least 1' }).nullish().meta({ description: 'So often; 1 when omitted' }),
});

const EmailTestSchema = z.strictObject({
  template: z
    .string({ error: 'the key of a template' })
    .min(1, { error: 'the key of a template' })
    .nullish()
    .meta({ description: 'The key of its template; any when omitted' }),
  event: z.enum(EMAIL_EVENTS, { error: `one of ${EMAIL_EVENTS.join(', ')}` }).meta({ description: 'What happened to the mail' }),
  withinHours: WithinHours.nullish(),
});

const SegmentLabel = z
  .string({ error: 'the label of a segment' })
  .min(1, { error: 'the label of a segment' })
  .max(MAX_LABEL_LENGTH, { error: `at most ${MAX_LABEL_LENGTH} characters` });

/** A condition that was checked before, as answers show it. */
export const ConditionTree: z.ZodType<Condition> = z
  .union([
    z
      .strictObject({
        get all() {
          return z.array(ConditionTree).min(1).max(MAX_CONDITION_LEAVES).meta({ description: 'Each has to hold' });
        },
      })
      .meta({ id: 'AllCondition', description: 'Holds where each of several does' }),
    z
      .strictObject({
        get any() {
          return z.array(ConditionTree).min(1).max(MAX_CONDITION_LEAVES).meta({ description: 'One of them has to hold' });
        },
      })
      .meta({ id: 'AnyCondition', description: 'Holds where one of several does' }),
    z
      .strictObject({
        get not() {
          return ConditionTree;
        },
      })
      .meta({ id: 'NotCondition', description: 'Holds where the other does not' }),
    FieldTestSchema,
    z
      .strictObject({ segment: SegmentLabel.meta({ description: 'The label of a segment that the contact is in' }) })
      .meta({ id: 'SegmentCondition', description: 'Whether the contact is in a segment' }),
    z
      .strictObject({ event: EventTestSchema.meta({ description: 'An event that happened to the contact' }) })
      .meta({ id: 'EventCondition', description: 'Whether an event happened to the contact' }),
    z
      .strictObject({ email: EmailTestSchema.meta({ description: "What became of the contact's emails" }) })
      .meta({ id: 'EmailCondition', description: 'Whether an email to the contact got so far' }),
  ])
  .meta({
    id: 'Condition',
    description: `What has to hold: a comparison, or several with all, any and not. At most ${MAX_CONDITION_LEVELS} levels and ${MAX_CONDITION_LEAVES} leaves`,
    examples: [{ all: [{ field: 'attributes.plan', op: 'eq', value: 'pro' }, { not: { email: { event: 'clicked', withinHours: 720 } } }] }],
  });

/**
 * A condition as a caller writes it: docs/contract/conditions.md 1 to 8. Refuses unknown fields, empty groups, and values that do not suit
 * their op. The shape is checked first, so hostile nesting never reaches the recursive schema.
 */
export const ConditionSchema = z.preprocess((value, context) => {
  const problem = conditionProblem(value);
  if (problem) context.addIssue({ code: 'custom', ...problem, input: value });
  return value;
}, ConditionTree);

/** What to write instead of a field that there is not: `contact.attributes.plan` is `attributes.plan` here, and `contact.firstName` `contact.first_name`. */
function fieldProblem(field: string): string {
  if (field.length > MAX_FIELD) return FIELD_RULE;
  const [, root = '', path] = /^(?:contact\.)?([^.]+)\.(.+)$/.exec(field) ?? [];
  const open = nearestName(root, ['attributes', 'event']);
  if (open && FIELD.test(`${open}.${path}`)) return `no such field; did you mean ${open}.${path}?`;
  const near = nearestName(field.replace(/^contact\./, ''), CONTACT_FIELDS);
  return near === undefined ? FIELD_RULE : `no such field; did you mean contact.${near}?`;
}
