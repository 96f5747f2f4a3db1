import * as z from 'zod';
import { boundedArray } from '../bounded-array.ts';
import { ConditionSchema, ConditionTree } from '../conditions/schema.ts';
import { segmentConditionProblem } from '../conditions/segment-condition.ts';
import { CONTACT_STATUSES, MAX_SOURCE_LENGTH } from '../contacts/contact.ts';
import { Tags } from '../contacts/tags.ts';
import { isLargerThan } from '../json-size.ts';

const Status = z.enum(CONTACT_STATUSES);

/** What a filter says of the fields of a contact. */
const FILTER_FIELDS = {
  status: z
    .union([Status, boundedArray(Status, CONTACT_STATUSES.length).min(1, { error: 'at least one status' })])
    .nullish()
    .meta({ description: 'One status, or any of several' }),
  tags: Tags.min(1, { error: 'at least one tag' }).nullish().meta({ description: 'Contacts that carry all of them' }),
  source: z
    .string()
    .max(MAX_SOURCE_LENGTH, { error: `at most ${MAX_SOURCE_LENGTH} characters` })
    .nullish()
    .meta({ description: 'Exact' }),
};

const WHERE =
  'A condition as in a branch, about the contact: `segment` and `event.<path>` are refused. Beside the other members it must hold too. At most 64 KB';
const MAX_WHERE_KB = 64;

/** Its size is looked at before its members are. */
const SegmentCondition = z.preprocess(
  (value, context) => {
    if (isLargerThan(value, MAX_WHERE_KB * 1024)) context.addIssue({ code: 'custom', message: `at most ${MAX_WHERE_KB} KB`, input: value });
    return value;
  },
  ConditionSchema.superRefine((condition, context) => {
    const problem = segmentConditionProblem(condition);
    if (problem) context.addIssue({ code: 'custom', ...problem, input: condition });
  }),
);

/** Which contacts a segment has; every given member must match, {} matches all. A typo would widen an audience, so nothing else is taken. */
export const SegmentFilter = z
  .strictObject({
    ...FILTER_FIELDS,
    where: SegmentCondition.nullish().meta({ description: WHERE }),
  })
  .meta({
    id: 'SegmentFilter',
    description: 'What of the contacts has to match, all of it; {} matches all',
    examples: [
      { tags: ['vip'], status: 'subscribed' },
      { where: { any: [{ field: 'attributes.plan', op: 'eq', value: 'pro' }, { email: { event: 'clicked', withinHours: 720 } }] } },
    ],
  });
export type SegmentFilter = z.infer<typeof SegmentFilter>;

/** The same as it is stored and answered. */
export const StoredSegmentFilter = z
  .strictObject({ ...FILTER_FIELDS, where: ConditionTree.nullish().meta({ description: WHERE }) })
  .meta({ id: 'StoredSegmentFilter', description: 'What of the contacts has to match; {} matches all' });
