import type { Bounce } from './event.ts';

/** What a mail server says of a mail that it could not deliver. */
export interface DeliveryFailure {
  /** RFC 3463, like 5.1.1; undefined where it says none. */
  readonly status?: string | undefined;
  /** The answer of the server that refused it, or whatever stands in its place. */
  readonly words: string;
}

/** More of an answer is not looked at. */
const MOST_WORDS = 2_000;

const ENHANCED = /\b[245]\.\d{1,3}\.\d{1,3}\b/;
/** An answer of SMTP where one begins: neither a year nor a number in a sentence. */
const REPLY = /(?:^|\n|: |<<< |\()[ \t]*"?([45]\d\d)(?=[ -](?!\d)|[ -]\d\.\d)/;

/** The address will never take mail: RFC 3463 3.2 and 3.3. 5.1.7 and 5.1.8 are about the sender. */
const HARD_STATUS = /^5\.(?:1\.(?:[1-6]|9|\d\d+)|2\.1)$/;
/** What is said of the mailbox, the policy, the system or the content is no word about whether the address is there. */
const SAYS_ENOUGH = /^(?:4|5\.[12367]\.[1-9])/;

/** Of the sender, its server or the mail: it says nothing of the address, whatever else stands beside it. */
const ABOUT_US =
  /sender (?:address )?(?:rejected|verif|denied|refused)|sender verify|verification failed|helo|ehlo|reverse dns|\bptr\b|\brdns\b|\bspf\b|\bdkim\b|\bdmarc\b|policy|reputation|block(?:ed|list| list)|black ?list|spam|authenticat|not authori[sz]ed|quarantin|content filter|\brate\b|maintenance|\baup#/i;
const TEMPORARY =
  /(?:mailbox|quota|disk|storage|box)[^.\n]{0,40}(?:full|exceed|over)|over ?quota|exceeded (?:its |the )?(?:storage|quota)|out of storage|try(?:ing)? (?:it )?again later|temporar|greylist|timed out|too many/i;
const SOMEBODY = '(?:user|recipient|mailbox|address|account|person|destination|alias|mail ?drop|e-?mail address|ADDRESS)';
/** Addresses and domains stand in them as ADDRESS and DOMAIN. */
const HARD = new RegExp(
  [
    `(?:unknown|no such|invalid|bad|non-?existent|illegal|not an? valid|no valid|no) (?:local |virtual |or illegal )?${SOMEBODY}`,
    `${SOMEBODY}(?: name)?(?: ADDRESS)?[^.\\n]{0,80}(?:unknown|invalid|inactive|disabled|unrouteable|unavailable|not (?:be )?(?:found|known|exist)|does ?n.t exist|has left)`,
    `DOMAIN[^.\\n]{0,40}(?:does not exist|doesn.t exist|not found)|(?:domain|host) (?:DOMAIN )?(?:does not exist|doesn.t exist|not found|unknown)`,
    'no (?:mailbox|account) (?:here )?by that name',
    'doesn.t have an? (?:DOMAIN|\\S+) account',
    'unrouteable',
    'recipient address rejected: access denied',
    'not our customer',
    'not listed in',
    'null mx',
    'nxdomain',
    'name or service not known',
    // German, French, Spanish, Italian.
    'unbekannt|existiert nicht|inconnue?|n.existe pas|desconocido|no existe|non esiste|sconosciut[oa]',
  ].join('|'),
  'i',
);

/** What an answer comes to by its code: of 5 it is final, of 4 it is tried again; undefined: it has none. */
export function classOf(words: string): '4' | '5' | undefined {
  const said = words.slice(0, MOST_WORDS);
  const code = /\b[45]\.\d{1,3}\.\d{1,3}\b/.exec(said)?.[0] ?? REPLY.exec(said)?.[1];
  return code?.[0] as '4' | '5' | undefined;
}

/** Whether a text says that a mail was refused: a code of SMTP, or words that servers use for it. */
export function saysFailure(words: string): boolean {
  const said = withoutNames(words);
  return classOf(words) !== undefined || HARD.test(said) || TEMPORARY.test(said);
}

/**
 * Hard where the address will never take mail. By the enhanced code where it tells; a code like 5.0.0 tells nothing, so the server's answer is
 * asked then. What is not surely hard is soft.
 */
export function bounceOf({ status, words }: DeliveryFailure): Bounce {
  const said = words.slice(0, MOST_WORDS);
  const isVague = status === undefined || !SAYS_ENOUGH.test(status);
  const told = isVague ? (ENHANCED.exec(said)?.[0] ?? status) : status;
  const code = told ?? REPLY.exec(said)?.[1];
  return { kind: isHard(told, withoutNames(words), code) ? 'hard' : 'soft', ...(code === undefined ? {} : { code }) };
}

function isHard(status: string | undefined, words: string, code: string | undefined): boolean {
  // 5.1.1 is about the address, whatever stands beside it; 5.2.1 is also said of a mailbox that takes no more just now.
  if (status !== undefined && HARD_STATUS.test(status)) return status !== '5.2.1' || !(ABOUT_US.test(words) || TEMPORARY.test(words));
  if (code?.startsWith('4') || (status !== undefined && SAYS_ENOUGH.test(status))) return false;
  return HARD.test(words) && !ABOUT_US.test(words) && !TEMPORARY.test(words);
}

/** The dots of names would end the sentence that they stand in. */
function withoutNames(words: string): string {
  return words
    .slice(0, MOST_WORDS)
    .replace(/<?[^\s<>"@]{1,64}@[^\s<>"]{1,255}>?/g, 'ADDRESS')
    .replace(/\b[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8}\.?(?=[\s,;:)\]]|$)/gi, (name) => (/[a-z]/i.test(name) ? 'DOMAIN' : name));
}
