import type { Schemas } from '../../api/client.ts';
import type { Op } from './condition-draft.ts';

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
export function filterWords({ status, tags, source, where }: Schemas['StoredSegmentFilter']): string {
  const parts = [
    status && `status is ${[status].flat().join(' or ')}`,
    tags && `tagged ${tags.join(' and ')}`,
    source && `source is ${source}`,
    where && conditionWords(where),
  ].filter(Boolean);
  return parts.length > 0 ? parts.join('; ') : 'Everyone (no rules)';
}

/** A condition in one line, for people. */
export function conditionWords(condition: Condition): string {
  if ('all' in condition) return grouped(condition.all, 'and');
  if ('any' in condition) return grouped(condition.any, 'or');
  if ('not' in condition) return `not (${conditionWords(condition.not)})`;
  if ('event' in condition && typeof condition.event === 'object') {
    return `event ${condition.event.type}${within(condition.event.withinHours)}`;
  }
  if ('email' in condition)
    return `${condition.email.template ?? 'an email'} ${condition.email.event}${within(condition.email.withinHours)}`;
  if ('field' in condition) {
    const value = condition.value === undefined || condition.value === null ? '' : ` ${[condition.value].flat().join(', ')}`;
    return `${condition.field.replace(/^(contact|attributes)\./, '')} ${OP_WORDS[condition.op]}${value}`;
  }
  return 'segment' in condition ? `in segment ${condition.segment}` : '';
}

function grouped(conditions: readonly Condition[], word: string): string {
  return conditions.map((one) => ('all' in one || 'any' in one ? `(${conditionWords(one)})` : conditionWords(one))).join(` ${word} `);
}

function within(hours: number | null | undefined): string {
  return hours ? ` within ${hours % 24 === 0 ? `${hours / 24} d` : `${hours} h`}` : '';
}
