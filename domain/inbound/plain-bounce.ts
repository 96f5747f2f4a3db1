import { classOf, type DeliveryFailure, saysFailure } from './bounce-kind.ts';

/** A mail that may be a bounce, though it has no part that programs read. */
export interface PlainMail {
  readonly subject: string;
  /** What it says itself, before the mail that came back. */
  readonly said: string;
  /** X-Failed-Recipients, which Exim sets. */
  readonly failedRecipients: readonly string[];
}

export interface PlainFailure extends DeliveryFailure {
  /** undefined: it does not say. */
  readonly recipient?: string | undefined;
}

/** What such a mail says. `delayed`: the server is still trying. */
export type PlainBounce = { readonly failures: readonly PlainFailure[] } | 'delayed';

/** Subjects of bounces, as servers write them; somebody who answers or forwards one has another. */
const BOUNCE_SUBJECT =
  /^\W*(?:undeliver|not delivered|(?:mail |message )?delivery (?:status|fail|has failed|problem|error|notification|incomplete)|mail delivery|returned mail|returning|failure notice|message (?:undeliver|not delivered)|non.?remis|unzustellbar|nicht zustellbar|no se (?:ha )?pud|mancata consegna|rejected|warning: (?:message|could not)|delayed)/i;
const DELAYED =
  /\b(?:has not (?:yet )?been delivered|not yet been delivered|could not (?:be delivered|send message) for (?:the )?(?:past |last )?\d+ (?:minute|hour|day)|will (?:be retried|continue|keep trying)|attempts will continue|still trying|this is a warning message only|no action is required|delayed|wird weiter versucht)\b/i;
/** From here on it is the mail that came back: a rule with such words, or one in front of a header. */
const COPY =
  /^[-_ >*=]{0,20}(?:below this line is a copy|this is a copy of (?:the|your) message|original message|the following (?:text )?is a copy|(?:the )?headers? of the original|returned message|message headers? follow|undelivered message)[^\n]*$|^-{6,80}[ \t]*$(?=\n{1,3}[\w-]{1,40}: )/im;
/** Alone on its line, or with words behind it: qmail (cr.yp.to/proto/qsbmf.txt) and what others took from it. */
const RECIPIENT = /^[ \t]*["'<]{0,2}([^\s<>@"'(),:;]{1,64}@[^\s<>@"'(),:;]{1,255})["'>]{0,2}(?:\.\.\.|:)?(?:[ \t]+(.*))?$/;
const MOST_WORDS_LINES = 20;
const MOST_FAILURES = 100;

/** A text with what it says itself, and the mail that came back behind that. */
export function partedText(text: string): { readonly said: string; readonly copy: string } {
  const at = COPY.exec(text)?.index ?? text.length;
  return { said: text.slice(0, at), copy: text.slice(at) };
}

/** Whether its subject is that of a bounce. */
export function hasBounceSubject(subject: string): boolean {
  return BOUNCE_SUBJECT.test(subject);
}

interface Paragraph {
  readonly recipient: string;
  readonly words: string;
}

/** A recipient, and what is said of it up to the next empty line. */
function paragraphsOf(text: string): Paragraph[] {
  const told: Paragraph[] = [];
  const lines = text.split('\n');
  for (const [at, line] of lines.entries()) {
    const [, recipient, words = ''] = RECIPIENT.exec(line) ?? [];
    if (!recipient) continue;
    const below = lines.slice(at + 1, at + 1 + MOST_WORDS_LINES);
    const end = below.findIndex((next) => next.trim() === '' || RECIPIENT.test(next));
    told.push({ recipient, words: [words, ...below.slice(0, end < 0 ? undefined : end)].join('\n').trim() });
    if (told.length === MOST_FAILURES) break;
  }
  return told;
}

/**
 * Reads a bounce of a mail system as people do. undefined: it is none, as far as can be told. A number or a word alone is none: it has the subject of
 * a bounce, or names a recipient with what is wrong.
 */
export function readPlainBounce({ subject, said, failedRecipients }: PlainMail): PlainBounce | undefined {
  const told = paragraphsOf(said);
  const failed = told.filter(({ words }) => saysFailure(words));
  if (!hasBounceSubject(subject) && failed.length === 0 && failedRecipients.length === 0) return undefined;
  // What is final is said to be so, whatever stands around it.
  const isFinal = classOf(said) === '5' || failed.some(({ words }) => classOf(words) === '5');
  if (!isFinal && failedRecipients.length === 0 && DELAYED.test(said)) return 'delayed';
  if (failedRecipients.length > 0) {
    const wordsOf = (email: string) => told.find(({ recipient }) => recipient.toLowerCase() === email.toLowerCase())?.words ?? said;
    return { failures: failedRecipients.map((recipient) => ({ recipient, words: wordsOf(recipient) })) };
  }
  if (failed.length > 0) return { failures: failed };
  return saysFailure(said) ? { failures: [{ words: said }] } : undefined;
}
