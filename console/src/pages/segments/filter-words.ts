import type { Schemas } from '../../api/client.ts';
import { contactSource } from '../../show/words.ts';
import { isOfWhole } from './comparisons.ts';
import type { Op } from './condition-draft.ts';
import { SOURCE } from './fields.ts';

type Condition = Schemas['Condition'];

/** The operations, as they stand between a field and a value. */
export const OP_WORDS: Readonly<Record<Op, string>> = {
  eq: 'is',
  ne: 'is not',
  in: 'is one of',
  not_in: 'is none of',
  contains: 'contains',
  not_contains: 'does not contain',
  starts_with: 'starts with',
  gt: 'is above',
  gte: 'is at least',
  lt: 'is below',
  lte: 'is at most',
  exists: 'is set',
  not_exists: 'is not set',
};

/** A filter in one line, for people. */
export function filterWords({ where, ...filter }: Schemas['StoredSegmentFilter']): string {
  const parts = [...traitWords(filter), ...(where ? [conditionWords(where)] : [])];
  return parts.length > 0 ? parts.join('; ') : 'Everyone (no rules)';
}

/** What must all hold of those in a segment, one line each; none: everyone is in it. */
export function filterParts({ where, ...filter }: Schemas['StoredSegmentFilter']): readonly string[] {
  const rules = where ? ('all' in where ? where.all : [where]) : [];
  return [...traitWords(filter), ...rules.map(conditionWords)];
}

function traitWords({ status, tags, source }: Omit<Schemas['StoredSegmentFilter'], 'where'>): string[] {
  return [
    ...(status ? [`status is ${[status].flat().join(' or ')}`] : []),
    ...(tags ? [`tagged ${tags.join(' and ')}`] : []),
    ...(source ? [`source is ${contactSource(source)}`] : []),
  ];
}

/** A condition in one line, for people. */
export function conditionWords(condition: Condition): string {
  if ('all' in condition) return grouped(condition.all, 'and');
  if ('any' in condition) return grouped(condition.any, 'or');
  if ('not' in condition) return activityWords(condition.not, true) ?? `not (${conditionWords(condition.not)})`;
  const activity = activityWords(condition);
  if (activity !== undefined) return activity;
  if ('field' in condition) {
    const values = condition.value === undefined || condition.value === null ? [] : [condition.value].flat();
    const shown = condition.field === SOURCE && isOfWhole(condition.op) ? values.map((value) => contactSource(String(value))) : values;
    const value = shown.length === 0 ? '' : ` ${shown.join(', ')}`;
    return `${condition.field.replace(/^(contact|attributes)\./, '')} ${OP_WORDS[condition.op]}${value}`;
  }
  return 'segment' in condition ? `in segment ${condition.segment}` : '';
}

/** That a product event came, or what became of an email; undefined: it is another condition. */
function activityWords(condition: Condition, isNot = false): string | undefined {
  if ('event' in condition && typeof condition.event === 'object') {
    const { type, atLeast, withinHours } = condition.event;
    return `event ${type}${isNot ? ' did not happen' : ''}${(atLeast ?? 1) > 1 ? ` at least ${atLeast} ×` : ''}${within(withinHours)}`;
  }
  if (!('email' in condition)) return undefined;
  const { template, event, withinHours } = condition.email;
  return `${template ?? 'an email'} ${isNot ? 'not ' : ''}${event}${within(withinHours)}`;
}

function grouped(conditions: readonly Condition[], word: string): string {
  return conditions.map((one) => ('all' in one || 'any' in one ? `(${conditionWords(one)})` : conditionWords(one))).join(` ${word} `);
}

function within(hours: number | null | undefined): string {
  return hours ? ` within ${hours % 24 === 0 ? `${hours / 24} d` : `${hours} h`}` : '';
}
