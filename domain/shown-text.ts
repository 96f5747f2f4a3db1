/** For sentences and numbers that operators read. */

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** To the second, in UTC: `2026-06-01T12:06:00Z`. Takes a Date, or epoch milliseconds. */
export function shownInstant(at: Date | number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}

/** With thousands set apart: `412,000`. */
export function grouped(value: number): string {
  return value.toLocaleString('en');
}

const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;

/** For how long something is kept: `24 hours`, `90 days`, `a year`. */
export function shownPeriod(ms: number): string {
  const hours = ms / HOUR_MS;
  if (hours === 365 * DAY_HOURS) return 'a year';
  return hours > DAY_HOURS ? `${hours / DAY_HOURS} days` : `${hours} hours`;
}

/** Characters. Several such texts and an id fit into the 400 bytes that Temporal means a summary to have. */
const MOST_SHOWN = 80;

/** Words of a tenant or of a provider in summaries and details: on one line, short, and without email addresses (docs/contract/temporal.md 6). */
export function shownWords(text: string, most = MOST_SHOWN): string {
  const words = text.replace(/\S+/g, (word) => (/.@./su.test(word) ? '…@…' : word)).replace(/\s+/g, ' ');
  const characters = [...words.slice(0, 2 * most + 2)];
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : words;
}

/** Digits. */
const LONGEST_CODE = 5;

const WORD = /[\p{L}\p{N}]+/gu;

/**
 * What a provider said of a mail, for operators: without its recipients, whom it may tell by the address, by what stands before the @, or by
 * a name that is made of the same words.
 */
export function shownReply(reply: string, ...recipients: readonly string[]): string {
  return recipients.reduce(withoutRecipient, reply);
}

function withoutRecipient(reply: string, recipient: string): string {
  const name = recipient.slice(0, Math.max(0, recipient.lastIndexOf('@'))).toLowerCase();
  const parts = name.match(WORD) ?? [];
  // Others stand in half of all sentences, or are codes.
  const isTelling = (part: string): boolean => part.length > (/\p{L}/u.test(part) ? 2 : LONGEST_CODE);
  const telling = new Set([...parts.filter(isTelling), parts.join(''), name]);
  return shownWords(reply.replace(WORD, (word) => (telling.has(word.toLowerCase()) ? '…' : word)));
}

/** Long, and of letters and digits: as receivers have it that let in whoever knows the address. */
const TOKEN = /(?<=[/])(?=[^/]*\d)(?=[^/]*[a-z])[^/]{16,}/gi;
const LIQUID = /\{\{.*?\}\}|\{%.*?%\}/gs;

/** Of an address that a call goes to: its host, and its path without what Liquid puts in and without what looks like a token. No query. */
export function shownAddress(url: string): { readonly host: string; readonly path: string } {
  const { host, pathname } = new URL(url.replace(LIQUID, '…'));
  return { host, path: shownWords(decoded(pathname).replace(TOKEN, '…')) };
}

function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
