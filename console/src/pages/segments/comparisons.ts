import type { Op } from './condition-draft.ts';
import { STATUS, TAGS } from './fields.ts';

/** With a value as a whole, rather than with a part of it or its place in an order. */
const OF_WHOLE: readonly Op[] = ['eq', 'ne', 'in', 'not_in', 'exists', 'not_exists'];
const IN_ORDER: readonly Op[] = ['gt', 'gte', 'lt', 'lte'];

export function isOfWhole(op: Op): boolean {
  return OF_WHOLE.includes(op);
}

/** Whether it makes sense of what the field holds: tags are a list, which is in no order, and a status is one of a few. */
export function isComparedBy(field: string, op: Op): boolean {
  return field === STATUS ? isOfWhole(op) : field !== TAGS || !IN_ORDER.includes(op);
}
