import type { Bounce } from './event.ts';

/** What a mail server says of a mail that it could not deliver. */
export interface DeliveryFailure {
  /** RFC 3463, like 5.1.1; undefined where it says none. */
  readonly status?: string | undefined;
  /** The answer of the server that refused it, or whatever stands in its place. */
  readonly words: string;
}

const ENHANCED = /\b[245]\.\d{1,3}\.\d{1,3}\b/;
/** An answer of SMTP: not a year, not a part of an address or of a number. */
const REPLY = /(?:^|[\s:(#-])([45]\d\d)(?=[\s-](?!\d)|[\s-]\d\.\d)/;

/** The address will never take mail: RFC 3463 3.2 and 3.3. 5.1.7 and 5.1.8 are about the sender. */
const HARD_STATUS = /^5\.(?:1\.(?!(?:7|8)$)\d+|2\.1)$/;
/** What is said of the mailbox, the policy, the system or the content is no word about whether the address is there. */
const SAYS_ENOUGH = /^(?:4|5\.(?:1\.[1-9]|[2367]\.[1-9]))/;

const HARD_WORDS = new RegExp(
  [
    'user (?:is )?(?:unknown|not found|invalid|disabled|does ?n.t exist|has left)',
    '(?:unknown|no such|invalid|bad|nonexistent|non-existent) (?:local )?(?:user|recipient|mailbox|address|account|domain|destination)',
    '(?:mailbox|recipient|address|account|user|domain|host)[^.\\n]{0,80}(?:does not exist|doesn.t exist|not exist|not found|unavailable|is disabled|has been disabled|unrouteable)',
    'no mailbox (?:here )?by that name',
    'doesn.t have an? [\\w.]+ account',
    'unrouteable address',
    'recipient address rejected: access denied',
    'not our customer',
    'nxdomain',
    'name or service not known',
  ].join('|'),
  'i',
);
const TEMPORARY_WORDS =
  /(?:mailbox|quota|disk|storage|box)[^.\n]{0,40}(?:full|exceed|over)|over ?quota|out of storage|try(?:ing)? again later|temporar|greylist|timed out|too many|rate limit/i;

/** The enhanced status code in an answer; undefined: it has none. */
export function statusIn(words: string): string | undefined {
  return ENHANCED.exec(words)?.[0];
}

/** Whether a text says that a mail was refused: a code of SMTP, or words that servers use for it. */
export function saysFailure(words: string): boolean {
  return /\b[45]\.\d{1,3}\.\d{1,3}\b/.test(words) || REPLY.test(words) || HARD_WORDS.test(words) || TEMPORARY_WORDS.test(words);
}

/**
 * Hard where the address will never take mail. By the enhanced code where it tells; a code like 5.0.0 tells nothing, so the server's answer is
 * asked then. What is not surely hard is soft.
 */
export function bounceOf({ status, words }: DeliveryFailure): Bounce {
  const vague = status === undefined || !SAYS_ENOUGH.test(status);
  const told = vague ? (statusIn(words) ?? status) : status;
  const code = told ?? REPLY.exec(words)?.[1];
  return { kind: isHard(told, words, code) ? 'hard' : 'soft', ...(code === undefined ? {} : { code }) };
}

function isHard(status: string | undefined, words: string, code: string | undefined): boolean {
  if (status !== undefined && HARD_STATUS.test(status) && !(status === '5.1.0' && TEMPORARY_WORDS.test(words))) return true;
  if (status !== undefined && SAYS_ENOUGH.test(status)) return false;
  if (code?.startsWith('4')) return false;
  return HARD_WORDS.test(words) && !TEMPORARY_WORDS.test(words);
}
