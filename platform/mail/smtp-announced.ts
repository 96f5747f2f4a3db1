import type { OutgoingMail } from './mail.ts';
import type { EnvelopeLines } from './smtp-lines.ts';
import { replyText, type SmtpReply } from './smtp-reply.ts';
import { ACCOUNT_CODES, type RefusedRecipient, type SmtpTransaction, type Transmission } from './smtp-transaction.ts';

/** A mail with the commands that announce it on one connection. */
export interface Announced {
  readonly transaction: SmtpTransaction;
  readonly lines: EnvelopeLines;
  /** undefined: it has none. */
  readonly copies: CopyAnswers | undefined;
  /** A mail was sent here before, so the server may have closed the connection since. */
  readonly onKept: boolean;
}

/**
 * The answers to the RCPT commands of a mail with copies: that of `to`, then one for each copy. A copy that is refused for good is left out and
 * named; any other refusal is one of the whole mail, as long as nothing has been submitted.
 */
class CopyAnswers {
  readonly refused: RefusedRecipient[] = [];
  /** Some recipient was taken: an end of data would go to it. */
  hasTaken = false;
  readonly #addresses: readonly string[];
  readonly #lines: EnvelopeLines;
  #answered = 0;

  constructor(addresses: readonly string[], lines: EnvelopeLines) {
    this.#addresses = addresses;
    this.#lines = lines;
  }

  /** Whether every recipient was answered. */
  get areAnswered(): boolean {
    return this.#answered > this.#addresses.length;
  }

  /** The command whose answer comes next. */
  get line(): string {
    return this.#lines.copies[this.#answered - 1] as string;
  }

  /** Takes the next answer; true: it is that of a copy without which the mail goes. */
  take(reply: SmtpReply): boolean {
    const email = this.#addresses[this.#answered++ - 1];
    if (reply.code >= 200 && reply.code < 300) this.hasTaken = true;
    if (email === undefined || reply.code < 500 || ACCOUNT_CODES.includes(reply.code)) return false;
    this.refused.push({ email, reply: replyText(reply) });
    return true;
  }
}

export function copyAnswers({ copies }: OutgoingMail, lines: EnvelopeLines): CopyAnswers | undefined {
  return copies && new CopyAnswers(copies, lines);
}

/** The mail was taken, without the copies that were refused. */
export function accepted({ copies }: Announced): Transmission {
  return copies && copies.refused.length > 0 ? { end: 'accepted', refusedCopies: copies.refused } : { end: 'accepted' };
}

/** Settles the mail, or gives it for a new connection: one that the server was about to close anyway is no fault of the mail. */
export function leave(announced: Announced | undefined, outcome: Transmission, isGoodBye: boolean): SmtpTransaction | undefined {
  if (!announced || announced.transaction.isSettled) return undefined;
  const { transaction, onKept } = announced;
  if (isGoodBye && onKept) return transaction;
  transaction.settle(outcome);
  return undefined;
}
