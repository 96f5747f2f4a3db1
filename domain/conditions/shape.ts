import { MAX_CONDITION_LEAVES, MAX_CONDITION_LEVELS, MAX_CONDITION_VALUES } from './condition.ts';

const KINDS = ['all', 'any', 'not', 'field', 'segment', 'event', 'email'] as const;
const KIND_RULE = 'one of { all }, { any }, { not }, { field, op, value }, { segment }, { event } or { email }';

export interface ShapeProblem {
  readonly path: PropertyKey[];
  readonly message: string;
}

/** The first thing wrong with how a condition is put together, if any; of what its leaves contain only the number of values is read. */
export function conditionProblem(condition: unknown): ShapeProblem | undefined {
  let leaves = 0;
  const visit = (value: unknown, path: PropertyKey[], level: number): ShapeProblem | undefined => {
    if (level > MAX_CONDITION_LEVELS) return { path, message: `a condition has at most ${MAX_CONDITION_LEVELS} levels` };
    const kind = kindOf(value);
    if (!kind) return { path, message: `a condition is exactly ${KIND_RULE}` };
    const inner = (value as Record<string, unknown>)[kind];
    if (kind === 'not') return visit(inner, [...path, kind], level + 1);
    if (kind !== 'all' && kind !== 'any') {
      leaves += 1;
      if (leaves > MAX_CONDITION_LEAVES) return { path: [], message: `a condition has at most ${MAX_CONDITION_LEAVES} leaves` };
      const { value: values } = value as { readonly value?: unknown };
      const isTooLong = Array.isArray(values) && values.length > MAX_CONDITION_VALUES;
      return isTooLong ? { path: [...path, 'value'], message: `at most ${MAX_CONDITION_VALUES} values` } : undefined;
    }
    if (!Array.isArray(inner) || inner.length === 0) return { path: [...path, kind], message: 'a list of at least one condition' };
    for (const [index, each] of inner.entries()) {
      const problem = visit(each, [...path, kind, index], level + 1);
      if (problem) return problem;
    }
    return undefined;
  };
  return visit(condition, [], 1);
}

function kindOf(value: unknown): (typeof KINDS)[number] | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const kinds = KINDS.filter((kind) => Object.hasOwn(value, kind));
  return kinds.length === 1 ? kinds[0] : undefined;
}
