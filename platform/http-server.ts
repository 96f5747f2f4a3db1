import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { HttpConnection, type WholeAnswer } from './http-connection.ts';
import { listenError } from './listen-error.ts';

export interface DrainableServer extends Server {
  /** Takes no new connection, lets open requests end, closes idle connections. */
  drain(): Promise<void>;
}

export interface ListenOptions {
  readonly port: number;
  readonly host: string;
  /** The variable that sets the port, for the message when it is taken. */
  readonly portVariable: string;
  /** The answer to what is no HTTP request, by the code of the parser's error. */
  readonly answerUnread: (parserCode: string | undefined) => WholeAnswer;
}

/** How long open requests may still take at the end: the last try of a send begins within 10 s and takes 10 s at most. */
const DRAIN_MS = 22_000;
const SWEEP_MS = 50;

/**
 * The handler also gets what Node would answer by itself without a word: requests without a Host, and with an Expect, after which the
 * handler says when the body may come. Throws ConfigError when the port is in use or not allowed.
 */
export async function listen(handler: RequestListener, options: ListenOptions): Promise<DrainableServer> {
  const { port, host, portVariable, answerUnread } = options;
  const open = new Set<ServerResponse>();
  const connections = new WeakMap<Duplex, HttpConnection>();
  let draining = false;
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    if (connections.get(request.socket)?.begin(request, response) === false) return;
    open.add(response);
    response.once('close', () => open.delete(response));
    if (draining) response.setHeader('Connection', 'close');
    handler(request, response);
  };
  const server = createServer({ keepAliveTimeout: 65_000, requireHostHeader: false }, answer);
  server.on('connection', (socket) => connections.set(socket, new HttpConnection(socket)));
  server.on('checkContinue', answer);
  server.on('checkExpectation', answer);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else void connections.get(socket)?.refuse(answerUnread(error.code));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, { port, host, portVariable, hostVariable: 'HOST' })));
    server.listen(port, host, resolve);
  });
  const drain = async (): Promise<void> => {
    draining = true;
    for (const response of open) if (!response.headersSent) response.setHeader('Connection', 'close');
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    // A connection whose answer was already on its way is kept alive, and idle only later.
    const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
    const cut = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
    await closed;
    clearInterval(sweep);
    clearTimeout(cut);
  };
  return Object.assign(server, { drain });
}
