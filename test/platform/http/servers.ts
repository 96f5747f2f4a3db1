import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import { CERTIFICATE, CERTIFICATE_KEY } from './certificate.ts';

export interface Received {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
  /** Tells connections apart. */
  readonly remotePort: number | undefined;
}

export interface Receiver {
  readonly port: number;
  readonly received: readonly Received[];
  close(): void;
}

interface ReceiverOptions {
  readonly host?: string;
  readonly port?: number;
  readonly tls?: boolean;
}

/** Keeps what arrives and answers as told. */
export async function receiver(
  answer: (response: http.ServerResponse) => void,
  { host = '127.0.0.1', port = 0, tls = false }: ReceiverOptions = {},
): Promise<Receiver> {
  const received: Received[] = [];
  const listener: http.RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method, url: path, headers, socket } = request;
      received.push({ method, path, headers, body: Buffer.concat(chunks).toString(), remotePort: socket.remotePort });
      answer(response);
    });
  };
  const server = tls ? https.createServer({ cert: CERTIFICATE, key: CERTIFICATE_KEY }, listener) : http.createServer(listener);
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    received,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** A server that does with each connection what no HTTP server would. */
export async function rawServer(onConnection: (socket: net.Socket) => void): Promise<{ readonly port: number; close(): void }> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    onConnection(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
