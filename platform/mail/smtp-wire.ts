import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { ReplyReader, replyText, type SmtpReply } from './smtp-reply.ts';

/** The server cannot be talked to: surely nothing was accepted. The message is public. */
export class SmtpUnavailable extends Error {
  override readonly name = 'SmtpUnavailable';
}

/** Who hears what comes from the server. */
export interface WireListener {
  answered(reply: SmtpReply): void;
  /** Once, and nothing after it. The reason is public. */
  broken(reason: string): void;
}

/** A socket to a mail server that reads replies. It breaks once, for whatever reason, and is closed then. */
export class SmtpWire {
  readonly #socket: Socket;
  readonly #reader = new ReplyReader();
  #listener: WireListener | undefined;
  /** Why nothing more is read; undefined while the wire stands. */
  #reason: string | undefined;
  readonly #onData = (chunk: Buffer): void => this.#read(chunk);
  readonly #onError = (error: NodeJS.ErrnoException): void =>
    this.break(`the connection to the mail server failed (${error.code ?? 'no code'})`);
  readonly #onEnd = (): void => this.break('the mail server closed the connection');

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', this.#onData);
    socket.on('error', this.#onError);
    socket.on('end', this.#onEnd);
    socket.on('close', this.#onEnd);
  }

  /** Why it is broken; undefined while it stands. */
  get reason(): string | undefined {
    return this.#reason;
  }

  get isEncrypted(): boolean {
    return this.#socket instanceof TLSSocket;
  }

  get remoteAddress(): string | undefined {
    return this.#socket.remoteAddress;
  }

  /** Whether nothing came that the listener has not heard of. */
  get isQuiet(): boolean {
    return this.#reader.isEmpty;
  }

  listen(listener: WireListener): void {
    this.#listener = listener;
  }

  /** Both leave in one write. */
  write(octets: string | Uint8Array, end?: string): void {
    if (end === undefined) {
      this.#socket.write(octets);
      return;
    }
    this.#socket.cork();
    this.#socket.write(octets);
    this.#socket.write(end);
    this.#socket.uncork();
  }

  /** taken: the system has all of it; never called when the connection breaks before. */
  writeAll(octets: Uint8Array, taken: () => void): void {
    this.#socket.write(octets, (error) => {
      if (!error) taken();
    });
  }

  /** Whether the system has taken all of it; the connection broke otherwise. What comes next waits for it. */
  writeOn(octets: Uint8Array): Promise<boolean> {
    return new Promise((resolve) => {
      if (this.#reason !== undefined) resolve(false);
      else this.#socket.write(octets, (error) => resolve(!error));
    });
  }

  /** Sends a command, or none, and gives the one reply. Throws SmtpUnavailable when the wire breaks, or says more than that. */
  async ask(command?: string): Promise<SmtpReply> {
    const reply = await new Promise<SmtpReply>((resolve, reject) => {
      const broken = (reason: string): void => reject(new SmtpUnavailable(reason));
      this.#listener = {
        answered: (answer) => {
          // Whatever else came was written before the server knew what we ask next.
          this.#listener = { answered: (next) => this.break(unexpected(next)), broken };
          if (answer.code === 0 || !this.isQuiet) this.break(unexpected(answer));
          else resolve(answer);
        },
        broken,
      };
      if (this.#reason !== undefined) broken(this.#reason);
      else if (command !== undefined) this.write(`${command}\r\n`);
    });
    return reply;
  }

  /** Waits for the TLS handshake, the check of the certificate included. Throws SmtpUnavailable. */
  secured(): Promise<void> {
    return new Promise((resolve, reject) => {
      const broken = (reason: string): void => reject(new SmtpUnavailable(reason));
      this.#listener = { answered: (reply) => this.break(unexpected(reply)), broken };
      this.#socket.once('secureConnect', resolve);
    });
  }

  /** Gives the socket to someone else, for TLS. */
  release(): Socket {
    const socket = this.#socket;
    this.#reason = 'the connection was given away';
    socket.off('data', this.#onData);
    socket.off('error', this.#onError);
    socket.off('end', this.#onEnd);
    socket.off('close', this.#onEnd);
    // Errors reach whoever has it through what is built on it; one that comes here too must not end the process.
    socket.on('error', () => {});
    return socket;
  }

  /** Closes at once; the listener hears the reason unless the wire was broken before. */
  break(reason: string): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#socket.destroy();
    this.#listener?.broken(reason);
  }

  #read(chunk: Buffer): void {
    this.#reader.push(chunk.toString('latin1'));
    while (this.#reason === undefined) {
      const reply = this.#reader.next();
      if (reply === undefined) return;
      this.#listener?.answered(reply);
    }
  }
}

/** The public words for a reply that ends the connection: a good-bye (RFC 5321 3.8), or one that no command can have. */
export function unexpected(reply: SmtpReply): string {
  const text = replyText(reply);
  return reply.code === 421 ? `the mail server closed the connection: ${text}` : `the mail server gave an unexpected answer: ${text}`;
}
