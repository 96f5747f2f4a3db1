import { createStreamSigner } from './dkim-streams.ts';
import type { OutgoingMail } from './mail.ts';
import { tryMsOf } from './provider.ts';
import { AnswerTime } from './smtp-answer-time.ts';
import { openWire } from './smtp-open.ts';
import type { SmtpServer } from './smtp-server.ts';
import { type SessionOwner, SmtpSession } from './smtp-session.ts';
import { notSubmitted, SmtpTransaction, type Transmission } from './smtp-transaction.ts';
import { SmtpUnavailable } from './smtp-wire.ts';

/** Below the idle limit of common servers, so that most connections are closed by us and not under us. */
const IDLE_MS = 20_000;
const SWEEP_MS = 1000;
/** A server that takes no further connection is left alone for so long, while others to it stand. */
const FULL_MS = 1000;

export interface SmtpPoolOptions {
  readonly maxConnections: number;
  /** For one mail, from the call to the outcome; for opening a connection, too. */
  readonly timeoutMs: number;
}

interface IdleSession {
  readonly session: SmtpSession;
  readonly since: number;
}

/**
 * Sends mails over at most so many connections to one server. Mails wait in line and connections take the next one
 * themselves; a further connection is opened only for mails that wait, and closed when nobody used it for a while.
 */
export class SmtpPool implements SessionOwner {
  readonly answerTime = new AnswerTime();
  readonly signer = createStreamSigner();
  readonly #server: SmtpServer;
  readonly #options: SmtpPoolOptions;
  /** First come, first served, from #head on; mails whose time is over stay in it until their turn. */
  #line: SmtpTransaction[] = [];
  #head = 0;
  /** How many in the line still wait. */
  #waiting = 0;
  /** Mails without an outcome, wherever they are. */
  #unsettled = 0;
  readonly #sessions = new Set<SmtpSession>();
  /** The one that rested last is the last. */
  #idle: IdleSession[] = [];
  /** Connections on their way: those for the line, and all. */
  #openingForLine = 0;
  readonly #opening = new Set<Promise<void>>();
  #fullUntil = 0;
  #isClosed = false;
  #onSettled: () => void = () => {};
  readonly #sweeper: NodeJS.Timeout;

  constructor(server: SmtpServer, options: SmtpPoolOptions) {
    this.#server = server;
    this.#options = options;
    this.#sweeper = setInterval(() => {
      void this.#closeIdle(Date.now() - IDLE_MS);
      this.#grow();
    }, SWEEP_MS).unref();
  }

  /** Never rejects. */
  send(mail: OutgoingMail, isStopped = neverStopped, submitting = alwaysSubmitted): Promise<Transmission> {
    if (this.#isClosed) return Promise.resolve(notSubmitted('the mail connections are closed'));
    return new Promise((resolve) => {
      this.#unsettled++;
      const timeoutMs = tryMsOf(mail, this.#options.timeoutMs);
      const transaction = new SmtpTransaction(mail, { isStopped, submitting }, timeoutMs, this, (transmission) => {
        resolve(transmission);
        if (--this.#unsettled === 0) this.#onSettled();
      });
      this.#line.push(transaction);
      this.#waiting++;
      const idle = this.#idle.pop();
      if (idle) this.rested(idle.session);
      else this.#grow();
    });
  }

  /** Lets every mail come to its outcome, then says good-bye on every connection. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#sweeper);
    if (this.#unsettled > 0)
      await new Promise<void>((resolve) => {
        this.#onSettled = resolve;
      });
    await Promise.all(this.#opening);
    await this.#closeIdle(Number.POSITIVE_INFINITY);
    await this.signer.close();
  }

  /** The time of a mail in the line is over. */
  expire(transaction: SmtpTransaction): void {
    this.#waiting--;
    const isBusy = this.#sessions.size > 0;
    transaction.settle(notSubmitted(isBusy ? 'no connection to the mail server became free in time' : SILENT));
  }

  /**
   * Connections on their way have nothing before the mails that they will take, so those are left to them. Behind a body a mail waits for
   * two answers, of that body and of its own: one whose time is too short stays in the line, since its envelope could not be taken back. So does
   * one with attachments, which takes its time by itself.
   */
  takeBehind(): SmtpTransaction | undefined {
    return this.#waiting > this.#openingForLine ? this.#take(2 * (this.answerTime.expectedMs ?? 0), false) : undefined;
  }

  rested(session: SmtpSession): void {
    for (let next = this.#take(); next; next = this.#take()) if (session.begin(next)) return;
    this.#idle.push({ session, since: Date.now() });
  }

  ended(session: SmtpSession, orphan: SmtpTransaction | undefined): void {
    this.#sessions.delete(session);
    this.#idle = this.#idle.filter((idle) => idle.session !== session);
    if (orphan) {
      // Idle connections may be as dead as the one that it met. The place of that one is free.
      this.#open(orphan);
    }
    this.#grow();
  }

  /** The next that waits; undefined when there is none, or when it has less than so much of its time left, or has parts that it must not have. */
  #take(minLeftMs = 0, mayHaveParts = true): SmtpTransaction | undefined {
    while (this.#head < this.#line.length) {
      const next = this.#line[this.#head]!;
      if (minLeftMs > 0 && !next.isSettled && next.leftMs < minLeftMs) return undefined;
      if (!mayHaveParts && !next.isSettled && next.mail.parts) return undefined;
      this.#head++;
      if (this.#head === this.#line.length || this.#head === COMPACT_AT) {
        this.#line = this.#line.slice(this.#head);
        this.#head = 0;
      }
      if (next.isSettled) continue;
      this.#waiting--;
      if (!next.isStopped()) return next;
      next.settle({ end: 'stopped' });
    }
    return undefined;
  }

  #grow(): void {
    const isFull = this.#sessions.size > 0 && Date.now() < this.#fullUntil;
    const room = (): boolean => this.#sessions.size + this.#opening.size < this.#options.maxConnections;
    while (!isFull && this.#waiting > this.#openingForLine && room()) this.#open(undefined);
  }

  /** Opens a connection for this mail, or for whatever waits. */
  #open(orphan: SmtpTransaction | undefined): void {
    if (!orphan) this.#openingForLine++;
    const opening = openWire(this.#server, this.#options.timeoutMs)
      .finally(() => {
        this.#opening.delete(opening);
        if (!orphan) this.#openingForLine--;
      })
      .then(
        (open) => {
          // The server may have closed right behind its last answer.
          if (open.wire.reason !== undefined) return this.#notOpened(orphan, open.wire.reason);
          const session = new SmtpSession(open, this);
          this.#sessions.add(session);
          if (!orphan || orphan.isSettled || !session.begin(orphan)) this.rested(session);
        },
        (error: unknown) => this.#notOpened(orphan, error instanceof SmtpUnavailable ? error.message : 'the mail server cannot be reached'),
      );
    this.#opening.add(opening);
  }

  /** Mails wait for the connections that stand, or are on their way. Where there are none, all of them are told why. */
  #notOpened(orphan: SmtpTransaction | undefined, message: string): void {
    if (this.#sessions.size > 0 || this.#opening.size > 0) {
      this.#fullUntil = Date.now() + FULL_MS;
      if (!orphan || orphan.isSettled) return;
      orphan.holder = this;
      this.#line.splice(this.#head, 0, orphan);
      this.#waiting++;
      return;
    }
    orphan?.settle(notSubmitted(message));
    for (let next = this.#take(); next; next = this.#take()) next.settle(notSubmitted(message));
  }

  async #closeIdle(before: number): Promise<void> {
    const old = this.#idle.filter(({ since }) => since < before);
    this.#idle = this.#idle.filter(({ since }) => since >= before);
    await Promise.all(old.map(({ session }) => session.quit()));
  }
}

const neverStopped = (): boolean => false;
const alwaysSubmitted = (): boolean => true;
const SILENT = 'the mail server did not answer in time';
/** Mails that are taken out of the line shift the rest no more often than this. */
const COMPACT_AT = 1024;
