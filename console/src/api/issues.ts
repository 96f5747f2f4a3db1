import { capitalized } from '../letters.ts';
import type { Issue } from './failure.ts';

/** Whether a place in a request is this one, or lies in it: `data.order.total` lies in `data`, `blocks[1].text` in `blocks`. */
export function isAt(place: string | undefined, path: string): boolean {
  return place !== undefined && (place === path || place.startsWith(`${path}.`) || place.startsWith(`${path}[`));
}

/** How a program mends it, as in `; GET /segments lists them`. */
const CALLS = /[;,]\s[^;]*\b(?:GET|POST|PUT|PATCH|DELETE) \/.*$/s;
/** The same as the request has it, as in `; { event: { type } } asks whether one happened`. */
const SHAPES = /;\s\{.*$/s;
/** How whoever runs Everpost lets it be, by an environment variable. */
const SETTINGS = /; for development [A-Z_]+=\S+ allows others$/;

/** A message of the API without what only programs and operators can do about it. */
export function messageForPeople(message: string): string {
  return message.replace(CALLS, '').replace(SHAPES, '').replace(SETTINGS, '');
}

/** What is wrong at a place of a request, for the input that it comes from. */
export function problemAt(issues: readonly Issue[], path: string): string | undefined {
  const message = issues.find((issue) => isAt(issue.path, path))?.message;
  return message && capitalized(messageForPeople(message));
}
