/** Bytes of an uploaded file: docs/contract/files.md 2. */
export const MAX_FILE_MB = 25;
export const MAX_FILE_BYTES = MAX_FILE_MB * 1024 * 1024;

/** Characters; what file systems of receivers take. */
export const MAX_FILENAME_LENGTH = 255;

/** Whoever stores bytes, or has stored them and is about to refer to them, has done so by then, or has died. */
export const STORING_MS = 3_600_000;

/** Control characters, line ends, and marks that show a name in another order than it has. */
const UNFIT = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
/** What stands for a character that could not be read, and half of one. */
const UNREAD = /[\ufffd\p{Cs}]/u;
const UNFITS = new RegExp(`${UNFIT.source}|${UNREAD.source}`, 'gu');

/** What is wrong with a file's name; undefined when nothing is. */
export function filenameProblem(name: string): string | undefined {
  if (name.length > MAX_FILENAME_LENGTH) return `at most ${MAX_FILENAME_LENGTH} characters`;
  if (name.trim() === '') return 'a name of at least one character that shows';
  if (UNFIT.test(name)) return 'control characters, and marks that change the direction of text, are not possible';
  if (UNREAD.test(name)) return 'not a name in UTF-8: a character of it could not be read';
  if (/[/\\]/.test(name) || name === '.' || name === '..') return 'a name without a path';
  return undefined;
}

/** The name with `_` in the place of what a name may not have. */
export function withFitCharacters(name: string): string {
  return name.toWellFormed().replace(UNFITS, '_');
}

/** RFC 6838 4.2: the type itself, without parameters, in lower case. */
export const CONTENT_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/;

/**
 * The header under which a file is saved and never shown: RFC 6266, with the name in ASCII for programs that know no other, and whole as in
 * RFC 8187.
 */
export function contentDisposition(filename: string): string {
  const ascii = filename
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\x20-\x7e]|["\\%]/gu, '_');
  const whole = encodeURIComponent(filename.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${whole}`;
}
