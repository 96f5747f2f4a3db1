import { MAX_NAME_LENGTH } from '../text-lengths.ts';
import { normalizeEmail } from './email-address.ts';

/** An address, and the name that is shown beside it. */
export interface Mailbox {
  readonly email: string;
  readonly name?: string;
}

/** Longer texts are no mailbox in any spelling; they are refused before their characters are looked at. */
const MAX_TEXT_LENGTH = 3000;

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

function mailboxOf(address: string, name: string): Mailbox | undefined {
  const email = normalizeEmail(address);
  if (email === undefined || name.length > MAX_NAME_LENGTH || CONTROL.test(name)) return undefined;
  return name === '' ? { email } : { email, name };
}

/** The one spelling of a mailbox, which `readMailbox` reads. */
export function mailboxText({ email, name }: Mailbox): string {
  return name === undefined ? email : `"${name.replace(/["\\]/g, '\\$&')}" <${email}>`;
}
