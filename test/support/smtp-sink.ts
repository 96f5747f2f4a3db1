import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';

/** What the sink does with mail to one address, or to every address of "@domain". Each applies `times` times, always when omitted. */
export interface SinkBehaviour {
  /** Answer to RCPT TO, like 550 or 451. */
  readonly rejectRecipient?: { readonly code: number; readonly message?: string; readonly times?: number };
  /** Answer after DATA; the message is not kept. */
  readonly rejectData?: { readonly code: number; readonly message?: string; readonly times?: number };
  /** The message is kept, then the connection drops before the answer: nobody can know. */
  readonly dropAfterData?: { readonly times?: number };
  /** Before the answer to DATA. Of several, one for each message, and the last for all that come then. */
  readonly delayMs?: number | readonly number[];
  /** The message waits until the place is told to behave otherwise, and is treated so. */
  readonly hold?: boolean;
  /** After so many on a connection the answer to the next RCPT TO is 421, and the connection ends. */
  readonly mailsPerConnection?: number;
}

export interface SinkMessage {
  readonly from: string;
  readonly to: readonly string[];
  /** The message as it came, headers first. */
  readonly raw: string;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
}

export interface SmtpSink {
  readonly smtpUrl: string;
  readonly controlUrl: string;
  stop(): Promise<void>;
}

type Rejection = { code: number; message?: string; times?: number };
type Kept = {
  rejectRecipient?: Rejection;
  rejectData?: Rejection;
  dropAfterData?: { times?: number };
  delayMs?: number | number[];
  hold?: boolean;
  mailsPerConnection?: number;
};

/** An SMTP server that keeps everything in memory, and a small HTTP interface to ask and to script it. */
export async function startSmtpSink(): Promise<SmtpSink> {
  /** By address, and by "@domain". */
  const byRecipient = new Map<string, SinkMessage[]>();
  const behaviours = new Map<string, Kept>();
  /** Emits "behaviour" when some place is told how to behave. */
  const told = new EventEmitter().setMaxListeners(0);

  /** Messages that wait, by address and by "@domain". */
  const held = new Map<string, number>();
  /** Messages by connection. */
  const received = new Map<string, number>();

  const behaviourFor = (address: string): Kept | undefined =>
    behaviours.get(address) ?? behaviours.get(address.slice(address.indexOf('@')));
  const due = (rule: { times?: number } | undefined): boolean => {
    if (!rule || rule.times === 0) return false;
    if (rule.times !== undefined) rule.times -= 1;
    return true;
  };
  const nextDelay = ({ delayMs = 0 }: Kept = {}): number => {
    if (typeof delayMs === 'number') return delayMs;
    return (delayMs.length > 1 ? delayMs.shift() : delayMs[0]) ?? 0;
  };
  const refusal = ({ code, message = 'refused by script' }: Rejection): Error => Object.assign(new Error(message), { responseCode: code });

  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    onAuth: (_auth, _session, done) => done(null, { user: 'anyone' }),
    onRcptTo({ address }, session, done) {
      const { rejectRecipient: rule, mailsPerConnection = Number.POSITIVE_INFINITY } = behaviourFor(address.toLowerCase()) ?? {};
      if ((received.get(session.id) ?? 0) < mailsPerConnection) return done(due(rule) ? refusal(rule!) : null);
      done(refusal({ code: 421, message: '4.7.0 too many mails on one connection' }));
      socketOf(session)?.end();
    },
    onData(stream, session, done) {
      void receive(stream, session).then(
        () => done(),
        (error) => done(error),
      );
    },
  });
  // A client that goes away in the middle is part of the tests.
  smtp.on('error', () => {});

  async function receive(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    const to = session.envelope.rcptTo.map(({ address }) => address.toLowerCase());
    const places = new Set(to.flatMap((address) => [address, address.slice(address.indexOf('@'))]));
    const countHeld = (by: number): void => {
      for (const place of places) held.set(place, (held.get(place) ?? 0) + by);
    };
    countHeld(1);
    while (to.some((address) => behaviourFor(address)?.hold)) await once(told, 'behaviour');
    countHeld(-1);
    const behaviour = to.map(behaviourFor).find((rule) => rule !== undefined);
    const delayMs = nextDelay(behaviour);
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    if (due(behaviour?.rejectData)) throw refusal(behaviour!.rejectData!);
    const { mailFrom } = session.envelope;
    const message: SinkMessage = {
      from: mailFrom ? mailFrom.address : '',
      to,
      raw: Buffer.concat(chunks).toString('utf8'),
      receivedAt: Date.now(),
    };
    for (const place of places) byRecipient.set(place, byRecipient.get(place) ?? []);
    for (const place of places) byRecipient.get(place)!.push(message);
    received.set(session.id, (received.get(session.id) ?? 0) + 1);
    if (due(behaviour?.dropAfterData)) socketOf(session)?.destroy();
  }

  function socketOf(session: SMTPServerSession): Socket | undefined {
    const connections = [...smtp.connections] as unknown as { readonly id: string; readonly _socket: Socket }[];
    return connections.find(({ id }) => id === session.id)?._socket;
  }

  const control = createServer((request, response) => {
    void answer(request, response).catch((error: Error) => response.writeHead(500).end(error.message));
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://sink');
    const to = searchParams.get('to')?.toLowerCase();
    const send = (body: unknown): void => void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (pathname === '/behaviour' && to) {
      let text = '';
      for await (const chunk of request) text += chunk;
      behaviours.set(to, JSON.parse(text || '{}') as Kept);
      told.emit('behaviour');
      return send({ ok: true });
    }
    const found = (to && byRecipient.get(to)) || [];
    if (pathname === '/messages') return send(found);
    if (pathname === '/count') return send(found.length);
    if (pathname === '/held') return send((to && held.get(to)) || 0);
    response.writeHead(404).end();
  }

  const smtpPort = await listening(smtp.server as unknown as Server, () => smtp.listen(0, '127.0.0.1'));
  const controlPort = await listening(control, () => control.listen(0, '127.0.0.1'));
  return {
    smtpUrl: `smtp://127.0.0.1:${smtpPort}`,
    controlUrl: `http://127.0.0.1:${controlPort}`,
    async stop() {
      control.closeAllConnections();
      await Promise.all([new Promise<void>((done) => smtp.close(done)), new Promise((done) => control.close(done))]);
    },
  };
}

function listening(server: Server, listen: () => unknown): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.once('listening', () => resolve((server.address() as AddressInfo).port));
    listen();
  });
}
