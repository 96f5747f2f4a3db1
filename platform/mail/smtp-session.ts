import type { StreamSigner } from './dkim-streams.ts';
import { type Announced, accepted, copyAnswers, leave } from './smtp-announced.ts';
import type { AnswerTime } from './smtp-answer-time.ts';
import { writeBody } from './smtp-body.ts';
import { dataOf, type EnvelopeLines, envelope, envelopeLines } from './smtp-lines.ts';
import type { OpenWire, SmtpExtensions } from './smtp-open.ts';
import { replyText, type SmtpReply } from './smtp-reply.ts';
import type { SmtpStage, SmtpTransaction, TransactionHolder, Transmission } from './smtp-transaction.ts';
import { notSubmitted, obstacleTo } from './smtp-transaction.ts';
import { type SmtpWire, unexpected } from './smtp-wire.ts';
import { NOT_NOTED, STOPPED, TOO_SLOW } from './stopped.ts';

/** Gives a session its mails, and takes back those that it could not send. */
export interface SessionOwner extends TransactionHolder {
  /** Of the server; sessions note it and ask it. */
  readonly answerTime: AnswerTime;
  readonly signer: Pick<StreamSigner, 'fillings'>;
  /** A mail to announce behind the body of another; undefined when it is better off elsewhere. */
  takeBehind(): SmtpTransaction | undefined;
  /** The session waits for its next mail. */
  rested(session: SmtpSession): void;
  /** The connection is gone. orphan: surely not submitted, on a connection used before, so that it deserves a new one. */
  ended(session: SmtpSession, orphan: SmtpTransaction | undefined): void;
}

type Refusal = Extract<Transmission, { end: 'refused' }>;

/** The command whose answer comes next; body: the octets are on their way, without the dot. */
type Step = 'rest' | 'reset' | SmtpStage | 'body' | 'dot' | 'empty dot' | 'quit';

const QUIT_SECONDS = 2;
/** The content of a larger mail is written before its dot, so that a break within it is known to be one. */
const ONE_WRITE = 64 * 1024;
const END_OF_DATA = '.\r\n';

/**
 * The mail transactions of one connection (RFC 5321 3.3), one mail after the other. Where the server offers PIPELINING (RFC
 * 2920) an envelope is one write, and the envelope of a waiting mail goes with the body of the one before it.
 *
 * What it says of a mail is exact. The final dot is written only when MAIL, RCPT and DATA were all answered well and nothing
 * else came; whatever happens before leaves the mail surely not accepted, whatever happens after leaves its outcome unknown unless the
 * server answers the dot. Since not to know is the worst answer, a content is not written when the server is not expected to answer
 * it in what is left of the mail's time.
 */
export class SmtpSession implements TransactionHolder {
  readonly #wire: SmtpWire;
  readonly #extensions: SmtpExtensions;
  readonly #owner: SessionOwner;
  readonly #pipelining: boolean;
  #step: Step = 'rest';
  #current: Announced | undefined;
  /** Its envelope is behind the body of the current one. */
  #behind: Announced | undefined;
  /** The first answer that refused the current mail; those to the commands behind it follow from it. */
  #refusal: Refusal | undefined;
  /** When the content of the current mail was begun. */
  #contentAt = 0;
  #needsReset = false;
  #isUsed = false;
  #onClosed: () => void = () => {};

  constructor({ wire, extensions }: OpenWire, owner: SessionOwner) {
    this.#wire = wire;
    this.#extensions = extensions;
    this.#owner = owner;
    this.#pipelining = extensions.has('PIPELINING');
    wire.listen({ answered: (reply) => this.#answered(reply), broken: (reason) => this.#broken(reason) });
  }

  /** Begins with a mail; the session must be at rest, and stays so when this says false: the mail is settled already. */
  begin(transaction: SmtpTransaction): boolean {
    // Its time went by in the line, or while this connection was opened; a next try finds it open.
    if (transaction.leftMs < (this.#owner.answerTime.expectedMs ?? transaction.timeoutMs / 2)) {
      transaction.settle(notSubmitted(TOO_SLOW));
      return false;
    }
    const current = this.#announce(transaction);
    if (!current) return false;
    this.#current = current;
    if (!this.#wire.isQuiet) {
      // It came before anything was asked, so it is no answer to what we would ask now.
      this.#wire.break('the mail server spoke out of turn');
      return true;
    }
    const reset = this.#needsReset ? 'RSET\r\n' : '';
    this.#needsReset = false;
    this.#step = reset ? 'reset' : 'sender';
    this.#wire.write(this.#pipelining ? reset + envelope(current.lines) : reset || current.lines.mail);
    return true;
  }

  /** Its time is over: what is known of it now is its outcome. */
  expire(transaction: SmtpTransaction): void {
    const message = 'the mail server did not answer in time';
    if (transaction === this.#current?.transaction) {
      transaction.settle(this.#refusal ?? { end: 'broken', mayHaveArrived: this.#step === 'dot', message });
      this.#wire.break(message);
    }
    // An envelope behind a body cannot be taken back: the connection ends when its turn comes. A mail that waits for a new
    // connection is still ours.
    else transaction.settle(notSubmitted(message));
  }

  /** Says QUIT and closes; the session must be at rest. Resolves when the connection is closed, after two seconds at most. */
  quit(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#wire.break('the mail server did not say good-bye'), QUIT_SECONDS * 1000);
      this.#onClosed = () => {
        clearTimeout(timer);
        resolve();
      };
      this.#step = 'quit';
      this.#wire.write('QUIT\r\n');
    });
  }

  #announce(transaction: SmtpTransaction): Announced | undefined {
    const lines = envelopeLines(transaction.mail, this.#extensions);
    if (typeof lines === 'string') {
      transaction.settle({ end: 'unfit', message: lines });
      return undefined;
    }
    transaction.holder = this;
    const onKept = this.#isUsed;
    this.#isUsed = true;
    return { transaction, lines, copies: copyAnswers(transaction.mail, lines), onKept };
  }

  #answered(reply: SmtpReply): void {
    if (!this.#follow(reply)) this.#wire.break(unexpected(reply));
  }

  /** Does what this reply calls for; false: the server is leaving, or what it says next cannot be believed. */
  #follow(reply: SmtpReply): boolean {
    switch (this.#step) {
      case 'reset':
        return reply.code < 300 && this.#goOn('sender', (lines) => lines.mail);
      case 'sender':
        return this.#judge(reply, 'sender', 200) && this.#goOn('recipient', (lines) => lines.rcpt);
      case 'recipient':
        return this.#answeredRecipient(reply);
      case 'data': {
        const refusedBefore = this.#refusal;
        return this.#judge(reply, 'data', 300) && this.#answeredData(reply, refusedBefore);
      }
      case 'body':
        // The dot is not written yet, so this cannot be about the whole mail; the rest would be read as commands.
        this.#refuse(reply, 'data');
        return false;
      case 'dot':
      case 'empty dot':
        return this.#answeredDot(reply);
      default:
        // At rest, or after QUIT.
        return false;
    }
  }

  /** After MAIL or RCPT: the next command, unless it was sent already, or is of no use. */
  #goOn(step: SmtpStage, command: (lines: EnvelopeLines) => string): boolean {
    this.#step = step;
    if (this.#pipelining) return true;
    if (this.#refusal) this.#finish(this.#refusal);
    else this.#wire.write(command(this.#current!.lines));
    return true;
  }

  /** Of several recipients each is answered. */
  #answeredRecipient(reply: SmtpReply): boolean {
    const { copies } = this.#current!;
    if (!copies?.take(reply) && !this.#judge(reply, 'recipient', 200)) return false;
    if (!copies || copies.areAnswered) return this.#goOn('data', () => 'DATA\r\n');
    return this.#goOn('recipient', () => copies.line);
  }

  /** Notes a refusal. After 421 the server closes (RFC 5321 3.8), so the answers to what is behind may never come. */
  #judge(reply: SmtpReply, stage: SmtpStage, success: 200 | 300): boolean {
    const { code } = reply;
    this.#refuse(reply, stage);
    return code !== 421 && (code >= 400 || (code >= success && code < success + 100));
  }

  /** The first refusal counts: those of the commands behind it follow from it. */
  #refuse(reply: SmtpReply, stage: SmtpStage): void {
    if (reply.code < 400) return;
    this.#refusal ??= { end: 'refused', stage, code: reply.code, reply: replyText(reply) };
    this.#needsReset = true;
  }

  #answeredData(reply: SmtpReply, refusedBefore: Refusal | undefined): boolean {
    if (reply.code >= 400) {
      this.#finish(this.#refusal!);
      return true;
    }
    if (refusedBefore) {
      // RFC 2920 3.1: a server may say 354 without a recipient; the message then has to be ended, and has nobody to go to.
      // With a recipient but no sender that is not certain; with one that was taken an end of data would go to it.
      if (refusedBefore.stage !== 'recipient' || this.#current!.copies?.hasTaken) return false;
      this.#step = 'empty dot';
      this.#wire.write(END_OF_DATA);
      return true;
    }
    // DATA is the last command that was sent: whatever came behind its answer is an answer to nothing, and could be taken
    // for that to the dot.
    if (!this.#wire.isQuiet) return false;
    const { transaction } = this.#current!;
    const obstacle = obstacleTo(transaction, this.#owner.answerTime.expectedMs);
    if (obstacle !== undefined) {
      this.#takeBack(transaction, obstacle === STOPPED ? { end: 'stopped' } : notSubmitted(obstacle), obstacle);
      return true;
    }
    if (transaction.mail.parts) {
      this.#step = 'body';
      void this.#stream(transaction);
      return true;
    }
    this.#contentAt = performance.now();
    const data = dataOf(transaction.mail.content);
    if (data.length <= ONE_WRITE) this.#writeEnd(data);
    else {
      this.#step = 'body';
      this.#wire.writeAll(data, () => {
        if (this.#step === 'body') this.#writeEnd(undefined);
      });
    }
    return true;
  }

  /** A content with parts, and its dot when all of it is written. What ends the mail meanwhile ends the connection. */
  async #stream(transaction: SmtpTransaction): Promise<void> {
    const unread = await writeBody(this.#wire, transaction.mail, this.#owner.signer);
    if (this.#step !== 'body' || transaction.isSettled) return;
    if (unread) return this.#takeBack(transaction, unread, unread.message);
    this.#contentAt = performance.now();
    this.#writeEnd(undefined);
  }

  /** After 354 only the end of the connection takes a mail back. */
  #takeBack(transaction: SmtpTransaction, transmission: Transmission, why: string): void {
    transaction.settle(transmission);
    this.#wire.break(why);
  }

  /** The dot, after what is left of the body: from here on the mail is submitted. */
  #writeEnd(data: Uint8Array | undefined): void {
    const { transaction } = this.#current!;
    // Of a large body the time may have passed meanwhile.
    const obstacle = transaction.leftMs <= 0 ? TOO_SLOW : transaction.submitting() ? undefined : NOT_NOTED;
    if (obstacle !== undefined) {
      this.#takeBack(transaction, notSubmitted(obstacle), obstacle);
      return;
    }
    this.#step = 'dot';
    while (this.#pipelining && !this.#behind) {
      const next = this.#owner.takeBehind();
      if (!next) break;
      this.#behind = this.#announce(next);
    }
    const end = this.#behind ? END_OF_DATA + envelope(this.#behind.lines) : END_OF_DATA;
    if (data) this.#wire.write(data, end);
    else this.#wire.write(end);
  }

  #answeredDot(reply: SmtpReply): boolean {
    const { code } = reply;
    this.#refuse(reply, 'data');
    if (code < 200 || (code >= 300 && code < 400) || code === 421) return false;
    // What is read after the mail's time came while this process stood still, and says nothing of the server.
    if (this.#step === 'dot' && this.#current!.transaction.leftMs > 0) this.#owner.answerTime.note(performance.now() - this.#contentAt);
    // An answer to the dot ends the transaction, whatever it is (RFC 5321 4.1.1.4).
    this.#needsReset = false;
    this.#finish(this.#refusal ?? accepted(this.#current!));
    return true;
  }

  #finish(transmission: Transmission): void {
    const { transaction } = this.#current!;
    this.#current = this.#behind;
    this.#behind = undefined;
    this.#refusal = undefined;
    this.#step = this.#current ? 'sender' : 'rest';
    transaction.settle(transmission);
    if (!this.#current) this.#owner.rested(this);
    // Its body will never be written, and only the end of the connection takes its envelope back.
    else if (this.#current.transaction.isSettled) this.#wire.break('the mail server did not answer in time');
  }

  #broken(message: string): void {
    const [current, behind] = [this.#current, this.#behind];
    const mayHaveArrived = this.#step === 'dot';
    const outcome: Transmission = this.#refusal ?? { end: 'broken', mayHaveArrived, message };
    // 421 is also how a server says good-bye to a connection that was idle for too long (RFC 5321 3.8).
    const isGoodBye = !mayHaveArrived && (outcome.end === 'broken' || outcome.code === 421);
    this.#current = this.#behind = undefined;
    this.#step = 'rest';
    this.#onClosed();
    // One of the two at most: a mail is announced behind another one only when that one's dot is written.
    const orphan = leave(current, outcome, isGoodBye) ?? leave(behind, notSubmitted(message), true);
    this.#owner.ended(this, orphan);
  }
}
