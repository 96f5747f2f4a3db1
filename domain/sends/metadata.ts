/** What a caller may note of a mail: docs/contract/sends.md 46. */
export const MAX_TAGS = 20;
export const MAX_TAG_LENGTH = 100;

export const MAX_METADATA = 20;
export const MAX_METADATA_NAME_LENGTH = 100;
export const MAX_METADATA_LENGTH = 500;

/** What is wrong with metadata, by their names. How many there are has been looked at. */
export function metadataIssues(metadata: Readonly<Record<string, unknown>>): { readonly name: string; readonly message: string }[] {
  return Object.entries(metadata).flatMap(([name, value]) => {
    const message = problem(name, value);
    return message === undefined ? [] : [{ name, message }];
  });
}

function problem(name: string, value: unknown): string | undefined {
  if (name.length > MAX_METADATA_NAME_LENGTH) return `a name has at most ${MAX_METADATA_NAME_LENGTH} characters`;
  if (name === '' || name.includes(':')) return 'a name is not empty and has no colon';
  if (typeof value !== 'string') return 'not a text';
  return value.length > MAX_METADATA_LENGTH ? `at most ${MAX_METADATA_LENGTH} characters` : undefined;
}

/** One of the metadata, as a list is filtered by it. */
export interface Datum {
  readonly name: string;
  readonly value: string;
}

/** `name:value`; the value may have colons. undefined when it is not that. */
export function readDatum(text: string): Datum | undefined {
  const at = text.indexOf(':');
  return at < 1 ? undefined : { name: text.slice(0, at), value: text.slice(at + 1) };
}
