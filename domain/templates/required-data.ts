import type { DataField } from './registry-entry.ts';
import { isSystemPath, pathReader } from './variables.ts';

/** One for all, so that mails by several templates without any share it. */
const NONE: readonly string[] = [];
const known = new WeakMap<readonly DataField[], readonly string[]>();

/** The paths without whose value a mail is not sent: docs/contract/sends.md 8. The same array for the same schema, so that a batch of mails shares it. */
export function requiredPaths(dataSchema: readonly DataField[]): readonly string[] {
  let paths = known.get(dataSchema);
  if (!paths) {
    const declared = dataSchema.flatMap(({ path, required }) => (required ? path : []));
    paths = declared.length > 0 ? declared : NONE;
    known.set(dataSchema, paths);
  }
  return paths;
}

/** Those of the paths that have no value; a blank text, an empty list and an empty object are none, since the mail would show a hole. */
export function lackingPaths(required: readonly string[], variables: object): string[] {
  return required.filter((path) => {
    const value = pathReader(path)(variables) ?? '';
    if (typeof value === 'string') return value.trim() === '';
    return typeof value === 'object' && Object.keys(value).length === 0;
  });
}

/** Those of the paths that the data of all recipients lacks and nothing else can give; what a contact has differs from one to the next. */
export function ungivenPaths(required: readonly string[], data: object, hasEvents: boolean): string[] {
  return lackingPaths(
    required.filter((path) => !isSystemPath(path) || (path.startsWith('event.') && !hasEvents)),
    data,
  );
}

/** What to say beforehand of data that nobody gives. */
export function ungivenMessage(template: string, path: string): string {
  return `${template} requires ${path}, and nothing gives it: the email would fail`;
}

/** Why a mail that lacks them cannot be made: the words of the send log, the trace and simulate. */
export function lackingMessage(paths: readonly string[]): string {
  return `required data is missing: ${paths.join(', ')}`;
}
