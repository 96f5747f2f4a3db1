import { AnswerLimit } from '../answer-limit.ts';
import type { OutgoingMail } from './mail.ts';
import { STOPPED, TOO_SLOW } from './stopped.ts';

/** How far a conversation about one mail came. */
export type Transmission =
  /** `refusedCopies`: those that got an error that is final. */
  | { readonly end: 'accepted'; readonly refusedCopies?: readonly RefusedRecipient[] }
  /** The server answered a command of this stage with an error: surely not accepted. */
  | { readonly end: 'refused'; readonly stage: SmtpStage; readonly code: number; readonly reply: string }
  /** No answer came. mayHaveArrived: the final dot had been written, so the mail may have been taken. */
  | { readonly end: 'broken'; readonly mayHaveArrived: boolean; readonly message: string }
  /** One of its attachments could not be read, so its end was not written. isGone: it never can be. */
  | { readonly end: 'unread'; readonly isGone: boolean; readonly message: string }
  /** It was not wanted any more before its content was given to a connection. */
  | { readonly end: 'stopped' }
  /** This server cannot get this mail, now or later; it heard nothing of it. */
  | { readonly end: 'unfit'; readonly message: string };

/** Replies that blame our account and not the mail (RFC 4954 6): an operator can mend that. */
export const ACCOUNT_CODES: readonly number[] = [530, 534, 535, 538];

/** A copy's address with the server's answer. */
export interface RefusedRecipient {
  readonly email: string;
  readonly reply: string;
}

export type SmtpStage = 'sender' | 'recipient' | 'data';

/** Where a mail is that has no outcome yet. It has to settle the mail when its time is over. */
export interface TransactionHolder {
  expire(transaction: SmtpTransaction): void;
}

/** One mail on its way to the server, from the call to the outcome, on whichever connection. */
export class SmtpTransaction {
  readonly mail: OutgoingMail;
  holder: TransactionHolder;
  readonly isStopped: () => boolean;
  /** Called just before the final dot is written; false: it must not be. */
  readonly submitting: () => boolean;
  /** From the call to the outcome. */
  readonly timeoutMs: number;
  readonly #endsAt: number;
  readonly #limit: AnswerLimit;
  #settle: ((transmission: Transmission) => void) | undefined;

  constructor(
    mail: OutgoingMail,
    { isStopped, submitting }: Pick<SmtpTransaction, 'isStopped' | 'submitting'>,
    timeoutMs: number,
    holder: TransactionHolder,
    settle: (transmission: Transmission) => void,
  ) {
    this.mail = mail;
    this.isStopped = isStopped;
    this.submitting = submitting;
    this.holder = holder;
    this.#settle = settle;
    this.timeoutMs = timeoutMs;
    this.#endsAt = performance.now() + timeoutMs;
    this.#limit = new AnswerLimit(timeoutMs, () => this.holder.expire(this));
  }

  /** What is left of its time. */
  get leftMs(): number {
    return this.#endsAt - performance.now();
  }

  get isSettled(): boolean {
    return this.#settle === undefined;
  }

  /** Only the first outcome counts. */
  settle(transmission: Transmission): void {
    this.#limit.clear();
    const settle = this.#settle;
    this.#settle = undefined;
    settle?.(transmission);
  }
}

/** No answer came, and the mail was surely not taken. The message is public. */
export function notSubmitted(message: string): Transmission {
  return { end: 'broken', mayHaveArrived: false, message };
}

/**
 * Why its content should not be written any more: while its envelope waited behind another mail it may have been stopped, or have lost
 * its time. Where nothing is known of the server the content is written: a next try would come as far.
 */
export function obstacleTo(transaction: SmtpTransaction, expectedMs = 0): string | undefined {
  if (transaction.isStopped()) return STOPPED;
  return transaction.leftMs < expectedMs ? TOO_SLOW : undefined;
}
