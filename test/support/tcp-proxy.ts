import { connect, createServer, type Socket } from 'node:net';
import { freePort } from '../../local/ports.ts';

/** A door to a server that can be shut: what a network or server outage looks like from outside. */
export interface TcpProxy {
  readonly port: number;
  /** host:port to give instead of the server's own. */
  readonly address: string;
  /** Cuts every connection and refuses new ones. */
  down(): Promise<void>;
  up(): Promise<void>;
  /** Takes connections and passes nothing on: what a server that hangs looks like. */
  freeze(): void;
  /** Passes on what has come meanwhile. */
  thaw(): void;
  close(): Promise<void>;
}

/** target: host:port. `cutAt`: a connection is cut when its client says this. */
export async function tcpProxy(target: string, { cutAt }: { readonly cutAt?: string } = {}): Promise<TcpProxy> {
  const [host = '127.0.0.1', targetPort] = target.split(':');
  const sockets = new Set<Socket>();
  let isFrozen = false;
  const server = createServer((inbound) => {
    const outbound = connect(Number(targetPort), host);
    for (const [socket, other] of [
      [inbound, outbound],
      [outbound, inbound],
    ] as const) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    if (cutAt) inbound.on('data', (said) => said.includes(cutAt) && inbound.destroy());
    inbound.pipe(outbound).pipe(inbound);
    if (isFrozen) for (const socket of [inbound, outbound]) socket.pause();
  });
  const port = await freePort();
  const listen = (): Promise<void> =>
    new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', () => {
        server.off('error', reject);
        resolve();
      });
    });
  await listen();
  const down = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  const freeze = (): void => {
    isFrozen = true;
    for (const socket of sockets) socket.pause();
  };
  const thaw = (): void => {
    isFrozen = false;
    for (const socket of sockets) socket.resume();
  };
  return { port, address: `127.0.0.1:${port}`, down, up: listen, freeze, thaw, close: down };
}
