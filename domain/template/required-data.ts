import type { DataField } from './registry-entry.ts';
import { pathReader } from './variables.ts';

/** One for all, so that mails by several templates without any share it. */
const NONE: readonly string[] = [];
const known = new WeakMap<readonly DataField[], readonly string[]>();

/** The paths without whose value a mail is not sent: decisions.md 4.3. The same array for the same schema, so that a page of mails shares it. */
export function requiredPaths(dataSchema: readonly DataField[]): readonly string[] {
  let paths = known.get(dataSchema);
  if (!paths) {
    const declared = dataSchema.flatMap(({ path, required }) => (required ? path : []));
    paths = declared.length > 0 ? declared : NONE;
    known.set(dataSchema, paths);
  }
  return paths;
}

/** Those of the paths that have no value; a blank text is none, since the mail would show a hole. */
export function lackingPaths(required: readonly string[], variables: object): string[] {
  return required.filter((path) => {
    const value = pathReader(path)(variables) ?? '';
    return typeof value === 'string' && value.trim() === '';
  });
}

/** Why a mail that lacks them cannot be made: the words of the send log, the trace, preview and simulate. */
export function lackingMessage(paths: readonly string[]): string {
  return `required data is missing: ${paths.join(', ')}`;
}
