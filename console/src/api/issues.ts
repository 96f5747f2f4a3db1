import { capitalized } from '../letters.ts';
import type { Issue } from './failure.ts';

/** Whether a place in a request is this one, or lies in it: `data.order.total` lies in `data`, `blocks[1].text` in `blocks`. */
export function isAt(place: string | undefined, path: string): boolean {
  return place !== undefined && (place === path || place.startsWith(`${path}.`) || place.startsWith(`${path}[`));
}

/** What is wrong at a place of a request, for the input that it comes from. */
export function problemAt(issues: readonly Issue[], path: string): string | undefined {
  const message = issues.find((issue) => isAt(issue.path, path))?.message;
  return message && capitalized(message);
}
