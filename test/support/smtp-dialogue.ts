import { EventEmitter, once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** A conversation with an SMTP server, a line at a time. */
export interface Dialogue {
  /** What the server said at first. */
  readonly greeting: string;
  /** Says a line, or several at once, and answers with the next reply; undefined: nothing is said. */
  say(text?: string): Promise<string>;
  /** Goes on under TLS, after STARTTLS or in its place; any certificate will do. Answers with its common name. */
  secure(): Promise<string>;
  /** AUTH PLAIN. */
  logIn(user: string, password: string): Promise<string>;
  /** Breaks the connection off. */
  drop(): void;
  /** Resolves with what came since, when the server has closed the connection. */
  ended(): Promise<string>;
}

/** `implicit`: under TLS from the first byte on. */
export async function smtpDialogue(port: number, { implicit = false } = {}): Promise<Dialogue> {
  let socket: Socket = implicit ? connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }) : connect(port, '127.0.0.1');
  let buffer = '';
  let closed = false;
  /** Emits "change" when something came, or the connection is closed. */
  const heard = new EventEmitter();
  const listen = (): void => {
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => {
      buffer += text;
      heard.emit('change');
    });
    socket.on('close', () => {
      closed = true;
      heard.emit('change');
    });
    // Servers that cut a connection are part of the tests.
    socket.on('error', () => {});
  };
  listen();
  const reply = async (): Promise<string> => {
    for (;;) {
      const whole = /^(?:\d{3}-.*\r\n)*\d{3}(?: .*)?\r\n/.exec(buffer)?.[0];
      if (whole !== undefined) {
        buffer = buffer.slice(whole.length);
        return whole.trimEnd();
      }
      if (closed) return 'closed';
      await once(heard, 'change');
    }
  };
  const say = (text?: string): Promise<string> => {
    if (text !== undefined) socket.write(`${text}\r\n`);
    return reply();
  };
  return {
    greeting: await reply(),
    say,
    async secure() {
      socket.removeAllListeners('data');
      const secured = connectTls({ socket, rejectUnauthorized: false });
      await once(secured, 'secureConnect');
      socket = secured;
      listen();
      return String(secured.getPeerCertificate().subject.CN);
    },
    logIn: (user, password) => say(`AUTH PLAIN ${Buffer.from(`\0${user}\0${password}`).toString('base64')}`),
    drop: () => void socket.destroy(),
    async ended() {
      while (!closed) await once(heard, 'change');
      return buffer;
    },
  };
}
