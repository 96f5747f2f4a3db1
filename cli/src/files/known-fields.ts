import type { FileFailure } from '../failure.ts';
import type { JsonObject } from './canonical.ts';
import type { Path } from './places.ts';
import type { YamlObject } from './yaml-text.ts';

/** Refuses a member that nothing reads: the server would pass over it. `at`: where the object is in its file. */
export function refuseUnknown(object: JsonObject, known: readonly string[], { wrong }: YamlObject, at: Path = []): void {
  for (const name of Object.keys(object)) if (!known.includes(name)) throw unknownField(name, known, wrong, at);
}

function unknownField(name: string, known: readonly string[], wrong: YamlObject['wrong'], at: Path): FileFailure {
  const near = known.find((one) => isNear(plain(name), plain(one)));
  return wrong([...at, name], `${name} is no field; ${near === undefined ? `known: ${known.join(', ')}` : `did you mean ${near}?`}`);
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, '');
}

/** A shorter beginning is shared by chance. */
const LEAST_SHARED = 4;

/** The same, one the beginning of the other, or one letter more, less, other, or changed about with its neighbour. */
function isNear(given: string, known: string): boolean {
  if (Math.min(given.length, known.length) >= LEAST_SHARED && (given.startsWith(known) || known.startsWith(given))) return true;
  let at = 0;
  while (at < known.length && given[at] === known[at]) at++;
  const [left, right] = [given.slice(at), known.slice(at)];
  const isSwapped = left[0] === right[1] && left[1] === right[0] && left.slice(2) === right.slice(2);
  return left === right || left.slice(1) === right || left === right.slice(1) || left.slice(1) === right.slice(1) || isSwapped;
}
