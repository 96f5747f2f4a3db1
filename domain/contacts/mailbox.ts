import { MAX_NAME_LENGTH } from '../text-lengths.ts';
import { normalizeEmail } from './email-address.ts';

/** An address, and the name that is shown beside it. */
export interface Mailbox {
  readonly email: string;
  readonly name?: string;
}

/** Longer texts are no mailbox in any spelling; they are refused before their characters are looked at. */
const MAX_TEXT_LENGTH = 3000;

/** Of a list where one address is due. */
export const ONE_ADDRESS = 'one address; more go into cc, bcc or a batch';

const QUOTED = /^"((?:[^"\\]|\\.)*)"$/su;
/** What would be a list, a group or another address does not stand outside of quotes (RFC 5322 3.2.3). */
const UNQUOTED = /^[^"<>,;\\]*$/u;
const CONTROL = /[\p{Cc}\u2028\u2029]/u;

/** `ann@example.com`, `Ann Bell <ann@example.com>` or `"Bell, Ann" <ann@example.com>`; undefined for anything else, and for a list. */
export function readMailbox(text: string): Mailbox | undefined {
  if (text.length > MAX_TEXT_LENGTH) return undefined;
  const whole = text.trim();
  if (!whole.endsWith('>')) return mailboxOf(whole, '');
  const at = whole.lastIndexOf('<');
  if (at < 0) return undefined;
  const phrase = whole.slice(0, at).trim();
  const quoted = QUOTED.exec(phrase)?.[1];
  if (quoted === undefined && !UNQUOTED.test(phrase)) return undefined;
  return mailboxOf(whole.slice(at + 1, -1), quoted?.replace(/\\(.)/gsu, '$1').trim() ?? phrase);
}

/** What to write instead of a text that is no mailbox. */
export function mailboxProblem(text: string): string {
  const given = text.slice(0, MAX_TEXT_LENGTH).trim();
  const at = given.indexOf('<');
  if (at > 0 && given.length - at <= MAX_TEXT_LENGTH && normalizeEmail(given.slice(at + 1, -1)) !== undefined && given.endsWith('>')) {
    const phrase = given.slice(0, at).trim();
    if (phrase.length > MAX_NAME_LENGTH) return `the name before the address has at most ${MAX_NAME_LENGTH} characters`;
    if (!phrase.includes('@')) return 'not a valid address: a name with , ; or \\ stands in quotes, like "Bell, Ann" <ann@example.com>';
  }
  if (text.length > MAX_TEXT_LENGTH) return 'not a valid address: too long for one, with its name';
  return given.split('@').length > 2 && /[,;]/.test(given) ? ONE_ADDRESS : 'not a valid address';
}

function mailboxOf(address: string, name: string): Mailbox | undefined {
  const email = normalizeEmail(address);
  if (email === undefined || name.length > MAX_NAME_LENGTH || CONTROL.test(name)) return undefined;
  return name === '' ? { email } : { email, name };
}

/** The one spelling of a mailbox, which `readMailbox` reads. */
export function mailboxText({ email, name }: Mailbox): string {
  return name === undefined ? email : `"${name.replace(/["\\]/g, '\\$&')}" <${email}>`;
}
