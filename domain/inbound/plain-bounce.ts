import { type DeliveryFailure, saysFailure } from './bounce-kind.ts';

/** A mail that may be a bounce, though it has no part that programs read. */
export interface PlainMail {
  /** The address of From, "" where there is none. */
  readonly from: string;
  readonly subject: string;
  readonly text: string;
  /** X-Failed-Recipients, which Exim sets. */
  readonly failedRecipients: readonly string[];
}

export interface PlainFailure extends DeliveryFailure {
  /** undefined: it does not say. */
  readonly recipient?: string | undefined;
}

/** What such a mail says. `delayed`: the server is still trying. */
export type PlainBounce = { readonly failures: readonly PlainFailure[] } | 'delayed';

const MAIL_SYSTEM =
  /^(?:mailer-daemon|mail-daemon|mdaemon|postmaster|mail-delivery-subsystem|mailerdaemon|bounces?|noreply-mailer|)(?:@|$)/i;
const DELAYED =
  /\b(?:delayed|has not (?:yet )?been delivered|not yet been delivered|could not be delivered for|will (?:be retried|continue to|keep trying)|this is a warning message only|no action is required)\b/i;
/** From here on it is the mail that came back. */
const COPY =
  /^[-_ >*]*(?:below this line is a copy|this is a copy of (?:the|your) message|original message|the following (?:text|is a copy)|returned message|message headers? follow|undelivered message|------)[^\n]*$/im;
/** What stands before the words about a recipient: qmail (cr.yp.to/proto/qsbmf.txt) and what others took from it. */
const RECIPIENT = /^[ \t]*<?([^\s<>@"(),:;]{1,64}@[^\s<>@"(),:;]{1,255})>?:?[ \t]*(.*)$/;
const MOST_WORDS_LINES = 20;
const MOST_FAILURES = 100;

/** What the text says before the mail that came back. */
export function saidBeforeCopy(text: string): { readonly said: string; readonly copy: string } {
  const at = COPY.exec(text)?.index ?? text.length;
  return { said: text.slice(0, at), copy: text.slice(at) };
}

/** A recipient, alone on its line or with words behind it, and what is said of it up to the next empty line. */
function paragraphsOf(text: string): Required<PlainFailure>[] {
  const told: Required<PlainFailure>[] = [];
  const lines = text.split('\n');
  for (const [at, line] of lines.entries()) {
    const [, recipient, words = ''] = RECIPIENT.exec(line) ?? [];
    if (!recipient) continue;
    const below = lines.slice(at + 1, at + 1 + MOST_WORDS_LINES);
    const end = below.findIndex((next) => next.trim() === '' || RECIPIENT.test(next));
    told.push({ recipient, status: undefined, words: [words, ...below.slice(0, end < 0 ? undefined : end)].join('\n').trim() });
    if (told.length === MOST_FAILURES) break;
  }
  return told;
}

/** Reads a bounce as people do. undefined: it is none, as far as can be told; an absence note or an answer of a person never is one. */
export function readPlainBounce({ from, subject, text, failedRecipients }: PlainMail): PlainBounce | undefined {
  if (!MAIL_SYSTEM.test(from)) return undefined;
  const { said } = saidBeforeCopy(text);
  const told = paragraphsOf(said);
  const failed = told.filter(({ words }) => saysFailure(words));
  if (DELAYED.test(`${subject}\n${said}`) && failed.length === 0 && failedRecipients.length === 0) return 'delayed';
  if (failedRecipients.length > 0) {
    const wordsOf = (email: string) => told.find(({ recipient }) => recipient?.toLowerCase() === email.toLowerCase())?.words ?? said;
    return { failures: failedRecipients.map((recipient) => ({ recipient, words: wordsOf(recipient) })) };
  }
  if (failed.length > 0) return DELAYED.test(subject) ? 'delayed' : { failures: failed };
  return saysFailure(said) ? { failures: [{ words: said }] } : undefined;
}
