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

/** What to do at a point of the conversation: answer this line, hang up, or say nothing. */
export type Reaction = string | 'hang up' | 'silence';

/** Commands by their verb; GREETING and, once the final dot came, DOT; BODY when the first piece of a message came. */
export type Script = (verb: string, line: string, connection: number) => Reaction | undefined;

const USUAL: Readonly<Record<string, string>> = {
  GREETING: '220 double ESMTP',
  EHLO: '250-double\r\n250-PIPELINING\r\n250 8BITMIME',
  DATA: '354 go on',
  DOT: '250 2.0.0 queued',
  QUIT: '221 bye',
};

/** A server that follows the script to the letter, hanging up included; where the script has no word it is a plain good server. */
export async function scriptedServer(script: Script): Promise<SmtpDouble> {
  const received: ReceivedMail[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server: Server = createServer((socket) => {
    const connection = ++connections;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    let buffered = '';
    let body: string | undefined;
    let from = '';
    let to: string[] = [];
    const react = (verb: string, line = ''): string => {
      const reaction = script(verb, line, connection) ?? USUAL[verb] ?? '250 ok';
      if (reaction === 'hang up') socket.destroy();
      else if (reaction !== 'silence') socket.write(`${reaction}\r\n`);
      return reaction;
    };
    react('GREETING');
    socket.on('data', (chunk) => {
      buffered += chunk.toString('latin1');
      while (!socket.destroyed) {
        if (body !== undefined) {
          if (body === '' && script('BODY', '', connection) === 'hang up') return void socket.destroy();
          const end = `\r\n${buffered}`.indexOf('\r\n.\r\n');
          body = buffered;
          if (end < 0) return;
          const content = buffered.slice(0, end);
          buffered = buffered.slice(end + 3);
          body = undefined;
          if (react('DOT').startsWith('2') && to.length > 0) received.push({ from, to, content });
          continue;
        }
        const end = buffered.indexOf('\r\n');
        if (end < 0) return;
        const line = buffered.slice(0, end);
        buffered = buffered.slice(end + 2);
        const verb = line.split(' ')[0]!.toUpperCase();
        const answer = react(verb, line);
        if (verb === 'MAIL') [from, to] = [/<(.*)>/.exec(line)?.[1] ?? '', []];
        if (verb === 'RCPT' && answer.startsWith('2')) to.push(/<(.*)>/.exec(line)?.[1] ?? '');
        if (verb === 'DATA' && answer.startsWith('3')) body = '';
        if (verb === 'QUIT') socket.end();
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    received,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
