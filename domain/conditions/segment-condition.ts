import type { Condition } from './condition.ts';
import type { ShapeProblem } from './shape.ts';

/**
 * Why a condition cannot say who is in a segment, if so. One segment that named others could cost as much as all of them together, or come
 * back to itself; and no event has brought its contacts there.
 */
export function segmentConditionProblem(condition: Condition, path: PropertyKey[] = []): ShapeProblem | undefined {
  if ('all' in condition) return firstOf(condition.all, [...path, 'all']);
  if ('any' in condition) return firstOf(condition.any, [...path, 'any']);
  if ('not' in condition) return segmentConditionProblem(condition.not, [...path, 'not']);
  if ('segment' in condition) return { path: [...path, 'segment'], message: 'a segment names no other: put its conditions here' };
  if ('field' in condition && condition.field.startsWith('event.')) {
    return { path: [...path, 'field'], message: 'a segment knows no event.<path>; { event: { type } } asks whether one happened' };
  }
  return undefined;
}

function firstOf(conditions: readonly Condition[], path: PropertyKey[]): ShapeProblem | undefined {
  for (const [index, each] of conditions.entries()) {
    const problem = segmentConditionProblem(each, [...path, index]);
    if (problem) return problem;
  }
  return undefined;
}
