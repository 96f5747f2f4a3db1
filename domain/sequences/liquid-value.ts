import { storable } from '../storable-text.ts';
import { LiquidFault } from '../templates/liquid.ts';
import type { WalkBudget } from './walk-budget.ts';

/**
 * Renders one text. What cannot be rendered becomes the empty text: a run does not stop over it. What PostgreSQL and JSON cannot hold, NUL
 * and half a surrogate pair, is left out.
 */
export function renderText(source: string, variables: object, budget: WalkBudget): string {
  if (!source.includes('{')) return source;
  try {
    return storable(budget.render(source, variables));
  } catch (error) {
    if (error instanceof LiquidFault) return '';
    throw error;
  }
}

/** A JSON value with every text in it rendered; keys stay as they are. */
export function renderJson(value: unknown, variables: object, budget: WalkBudget): unknown {
  if (typeof value === 'string') return renderText(value, variables, budget);
  if (Array.isArray(value)) return value.map((item) => renderJson(item, variables, budget));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, renderJson(item, variables, budget)]));
}
