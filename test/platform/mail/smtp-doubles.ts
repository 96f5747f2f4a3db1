import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly content: string;
}

export interface SmtpDouble {
  readonly port: number;
  readonly received: ReceivedMail[];
  /** Connections opened so far. */
  connections(): number;
  close(): Promise<void>;
}

/** An error with which smtp-server answers that code and text. */
export function refusal(responseCode: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode });
}

/** A real mail server that keeps what it takes. */
export async function mailServer(options: SMTPServerOptions = {}): Promise<SmtpDouble> {
  const received: ReceivedMail[] = [];
  let connections = 0;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    closeTimeout: 100,
    logger: false,
    onConnect(_session, done) {
      connections++;
      done();
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        received.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          content: Buffer.concat(chunks).toString(),
        });
        done();
      });
    },
    ...options,
  });
  // A client that turns away from a certificate, or hangs up, is what some tests are about.
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  return { port, received, connections: () => connections, close: () => new Promise((resolve) => server.close(() => resolve())) };
}

/** What to do at a point of the conversation: answer this line, hang up, say nothing ever again, or keep the mail and hang up. */
export type Reaction = string | 'hang up' | 'silence' | 'keep and hang up';

/** Commands by their verb; GREETING and, once the final dot came, DOT; BODY when the first piece of a message came, of which no more is read after an answer. */
export type Script = (verb: string, line: string, connection: number) => Reaction | undefined | Promise<Reaction | undefined>;

export interface ScriptedServer extends SmtpDouble {
  /** The commands of which the server saw the next one before it answered. */
  readonly overtaken: string[];
  /** Ends every connection that stands. */
  hangUp(): void;
}

export interface ScriptedServerOptions {
  /** How answers are cut into writes: one each (the default), one for each octet, or one for all that is known already. */
  readonly writing?: 'each' | 'octets' | 'together';
  readonly host?: string;
}

const USUAL: Readonly<Record<string, string>> = {
  GREETING: '220 double ESMTP',
  EHLO: '250-double\r\n250-PIPELINING\r\n250 8BITMIME',
  DATA: '354 go on',
  DOT: '250 2.0.0 queued',
  QUIT: '221 bye',
};

/** A server that follows the script to the letter, hanging up included; where the script has no word it is a plain good server. */
export async function scriptedServer(script: Script, options: ScriptedServerOptions = {}): Promise<ScriptedServer> {
  const received: ReceivedMail[] = [];
  const overtaken: string[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;

  const serve = async (socket: Socket, connection: number): Promise<void> => {
    const input = new Input(socket);
    const output = new Output(socket, options.writing ?? 'each');
    const react = async (verb: string, line = '', decided: (reaction: string) => void = () => {}): Promise<string> => {
      const reaction = (await script(verb, line, connection)) ?? USUAL[verb] ?? '250 ok';
      decided(reaction);
      if (input.buffered !== '') overtaken.push(verb);
      if (reaction === 'silence') await new Promise(() => {});
      if (reaction.endsWith('hang up')) socket.destroy();
      else await output.write(`${reaction}\r\n`);
      return reaction;
    };
    let from = '';
    let to: string[] = [];
    await react('GREETING');
    while (!socket.destroyed) {
      if (!input.buffered.includes('\r\n')) await output.flush();
      const line = await input.upTo('\r\n');
      if (line === undefined) return;
      const verb = line.split(' ')[0]!.toUpperCase();
      const answer = await react(verb, line);
      if (verb === 'MAIL') [from, to] = [addressIn(line), []];
      if (verb === 'RCPT' && answer.startsWith('2')) to.push(addressIn(line));
      if (verb === 'QUIT') socket.end();
      if (verb !== 'DATA' || !answer.startsWith('3')) continue;
      await output.flush();
      if (!(await input.more())) return;
      const early = await script('BODY', '', connection);
      if (early === 'hang up') return void socket.destroy();
      if (early !== undefined) {
        socket.pause();
        await output.write(`${early}\r\n`);
        await output.flush();
        return;
      }
      const content = await input.upToDot();
      if (content === undefined) return;
      await react('DOT', '', (reaction) => {
        if ((reaction.startsWith('2') || reaction === 'keep and hang up') && to.length > 0) received.push({ from, to, content });
      });
    }
  };

  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    void serve(socket, ++connections);
  });
  await new Promise<void>((resolve) => server.listen(0, options.host ?? '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    received,
    overtaken,
    hangUp() {
      for (const socket of sockets) socket.destroy();
    },
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function addressIn(line: string): string {
  return /<(.*)>/.exec(line)?.[1] ?? '';
}

/** What the client wrote, as latin1. */
class Input {
  buffered = '';
  #isOver = false;
  #wake: () => void = () => {};

  constructor(socket: Socket) {
    socket.on('data', (chunk) => {
      this.buffered += chunk.toString('latin1');
      this.#wake();
    });
    socket.on('close', () => {
      this.#isOver = true;
      this.#wake();
    });
  }

  /** Whether anything is there; waits for it. */
  async more(): Promise<boolean> {
    while (this.buffered === '' && !this.#isOver) await this.#news();
    return this.buffered !== '';
  }

  /** undefined: the client went before that came. */
  async upTo(end: string): Promise<string | undefined> {
    for (;;) {
      const at = this.buffered.indexOf(end);
      if (at >= 0) {
        const text = this.buffered.slice(0, at);
        this.buffered = this.buffered.slice(at + end.length);
        return text;
      }
      if (this.#isOver) return undefined;
      await this.#news();
    }
  }

  async upToDot(): Promise<string | undefined> {
    await this.more();
    // The dot of an empty message has no line before it.
    this.buffered = `\r\n${this.buffered}`;
    return (await this.upTo('\r\n.\r\n'))?.slice(2);
  }

  #news(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

class Output {
  readonly #socket: Socket;
  readonly #writing: 'each' | 'octets' | 'together';
  #kept = '';

  constructor(socket: Socket, writing: 'each' | 'octets' | 'together') {
    this.#socket = socket;
    this.#writing = writing;
  }

  async write(text: string): Promise<void> {
    this.#kept += text;
    if (this.#writing !== 'together') await this.flush();
  }

  async flush(): Promise<void> {
    const pieces = this.#writing === 'octets' ? [...this.#kept] : [this.#kept];
    this.#kept = '';
    for (const piece of pieces) {
      if (piece === '' || this.#socket.destroyed) return;
      await new Promise((resolve) => this.#socket.write(piece, resolve));
    }
  }
}
