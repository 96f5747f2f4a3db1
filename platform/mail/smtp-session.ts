import type { Readable, Writable } from 'node:stream';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { OutgoingMail } from './provider.ts';

export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte on (smtps). Otherwise STARTTLS is used when the server offers it. */
  readonly implicitTls: boolean;
  readonly requireTls: boolean;
  readonly verifyCertificate: boolean;
  readonly credentials: { readonly user: string; readonly pass: string } | undefined;
  /** The name given with EHLO; undefined: the machine's. */
  readonly clientName: string | undefined;
}

/** How far a conversation about one message came. */
export type Transmission =
  | { readonly end: 'accepted' }
  /** The server answered a command of this stage with an error: surely not accepted. */
  | { readonly end: 'refused'; readonly stage: 'sender' | 'recipient' | 'data'; readonly code: number; readonly reply: string }
  /** The connection failed before an answer. handedOver: the final dot had been written, so the message may have been taken. */
  | { readonly end: 'broken'; readonly handedOver: boolean; readonly message: string };

/** The server cannot be talked to: surely nothing was accepted. The message is public. */
export class SmtpUnavailable extends Error {
  override readonly name = 'SmtpUnavailable';
}

/** What the library reports (its NodemailerError), as far as it is looked at here. */
interface SmtpFault extends Error {
  readonly code?: string | undefined;
  readonly originalCode?: string | undefined;
  readonly command?: string | undefined;
  readonly response?: string | undefined;
  readonly responseCode?: number | undefined;
}

const QUIT_SECONDS = 2;

const STAGE_OF: Readonly<Record<string, 'sender' | 'recipient' | 'data'>> = {
  'MAIL FROM': 'sender',
  'RCPT TO': 'recipient',
  DATA: 'data',
};

/** One connection to a mail server, through its greeting, TLS and AUTH. Sends one message at a time. */
export class SmtpSession {
  readonly #connection: SMTPConnection;
  #alive = true;
  #needsReset = false;
  #onBroken: (fault: SmtpFault) => void = () => {};

  private constructor(connection: SMTPConnection) {
    this.#connection = connection;
    connection.on('error', (fault: SmtpFault) => this.#broken(fault));
    connection.once('end', () => {
      this.#alive = false;
      // The library closes first and reports what it knows afterwards, in the same turn.
      setImmediate(() => this.#broken(new Error('the connection was closed')));
    });
  }

  /** Connects and logs in. Throws SmtpUnavailable when that fails or is not done by the deadline (ms since the epoch). */
  static async open(server: SmtpServer, deadline: number): Promise<SmtpSession> {
    const timeout = millisecondsTo(deadline);
    const connection = new SMTPConnection({
      host: server.host,
      port: server.port,
      secure: server.implicitTls,
      requireTLS: server.requireTls,
      tls: { rejectUnauthorized: server.verifyCertificate },
      name: server.clientName,
      connectionTimeout: timeout,
      greetingTimeout: timeout,
      dnsTimeout: timeout,
    });
    const session = new SmtpSession(connection);
    try {
      await session.#step(deadline, (done) => connection.connect(done));
      const { credentials } = server;
      if (credentials) await session.#step(deadline, (done) => connection.login({ credentials: { ...credentials } }, done));
      return session;
    } catch (error) {
      connection.close();
      throw new SmtpUnavailable(openFault(error as SmtpFault));
    }
  }

  /** Whether another message may be tried on this connection. */
  get alive(): boolean {
    return this.#alive;
  }

  /** Whether the server may still hold a half-made envelope. */
  get needsReset(): boolean {
    return this.#needsReset && this.#alive;
  }

  get supportsUtf8Addresses(): boolean {
    // Not part of the library's documented face, and nothing else tells.
    const { _supportedExtensions } = this.#connection as unknown as { readonly _supportedExtensions: readonly string[] };
    return _supportedExtensions.includes('SMTPUTF8');
  }

  /** Never rejects. When the deadline passes, the connection is closed and counts as broken. */
  transmit(message: OutgoingMail, deadline: number): Promise<Transmission> {
    return new Promise((resolve) => {
      let handedOver = false;
      const settle = (result: Transmission): void => {
        clearTimeout(timer);
        this.#onBroken = () => {};
        this.#needsReset = result.end === 'refused';
        resolve(result);
      };
      const broken = (reason: string): void => {
        this.#alive = false;
        settle({ end: 'broken', handedOver, message: reason });
      };
      const timer = setTimeout(() => {
        broken('the mail server did not answer in time');
        this.#connection.close();
      }, millisecondsTo(deadline));
      this.#onBroken = (fault) => settle(transmissionOf(fault, handedOver));
      // The library calls pipe() at the very moment when the server has answered DATA: what it
      // is given as a string it would write without telling anyone.
      const body = {
        pipe(wire: Writable) {
          wire.once('end', () => {
            handedOver = true;
          });
          wire.end(message.content);
        },
      } as unknown as Readable;
      const envelope = {
        from: message.from,
        to: message.to,
        size: message.content.length,
        use8BitMime: message.internationalized,
      };
      this.#connection.send(envelope, body, (fault) => settle(fault ? transmissionOf(fault, handedOver) : { end: 'accepted' }));
    });
  }

  /** Makes the server forget a half-made envelope (RFC 5321 4.1.1.5). Leaves the session dead when that fails. */
  async reset(deadline: number): Promise<void> {
    try {
      await this.#step(deadline, (done) => this.#connection.reset(done));
      this.#needsReset = false;
    } catch {
      this.#alive = false;
      this.#connection.close();
    }
  }

  /** Says QUIT and closes. */
  quit(): void {
    if (!this.#alive) return;
    this.#alive = false;
    const timer = setTimeout(() => this.#connection.close(), QUIT_SECONDS * 1000);
    this.#connection.once('end', () => clearTimeout(timer));
    this.#connection.quit();
  }

  #step(deadline: number, start: (done: (fault?: Error | null) => void) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('the mail server did not answer in time')), millisecondsTo(deadline));
      const finish = (fault?: Error | null): void => {
        clearTimeout(timer);
        this.#onBroken = () => {};
        if (fault) reject(fault);
        else resolve();
      };
      this.#onBroken = finish;
      start(finish);
    });
  }

  #broken(fault: SmtpFault): void {
    this.#alive = false;
    this.#onBroken(fault);
  }
}

function millisecondsTo(deadline: number): number {
  return Math.max(deadline - Date.now(), 1);
}

function transmissionOf(fault: SmtpFault, handedOver: boolean): Transmission {
  const stage = STAGE_OF[fault.command ?? ''];
  const code = fault.responseCode ?? 0;
  if (stage !== undefined && code >= 400 && code < 600) return { end: 'refused', stage, code, reply: replyText(fault.response ?? '') };
  return { end: 'broken', handedOver, message: faultText(fault) };
}

function openFault(fault: SmtpFault): string {
  if (fault.code === 'EAUTH') return `the mail server refused the credentials${fault.responseCode ? ` (${fault.responseCode})` : ''}`;
  if (fault.code === 'ETLS') return 'no secure connection to the mail server could be made';
  if (fault.response) return `the mail server refused the connection: ${replyText(fault.response)}`;
  return faultText(fault);
}

/** Our own words for the library's, which may name hosts and quote commands. */
function faultText(fault: SmtpFault): string {
  const cause = fault.originalCode ?? fault.code;
  if (fault.response) return `the mail server gave an unexpected answer: ${replyText(fault.response)}`;
  if (cause === 'ETIMEDOUT') return 'the mail server did not answer in time';
  return cause === undefined ? fault.message : `the connection to the mail server failed (${cause})`;
}

function replyText(reply: string): string {
  return reply.replace(/\s+/g, ' ').trim().slice(0, 300);
}
