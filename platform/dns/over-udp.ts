import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { type DecodedPacket, encode } from 'dns-packet';
import { type Failure, type Query, readReply } from './message.ts';
import type { NameServer } from './name-server.ts';

/** Datagrams get lost: the same one goes again. */
const RESEND_MS = 1000;

/** From a port of its own, which the system picks at random, to a server whose datagrams alone are let through. */
export async function askOverUdp(
  { address, port }: NameServer,
  query: Query,
  signal: AbortSignal,
): Promise<DecodedPacket | 'truncated' | Failure> {
  const message = encode(query.packet);
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
  const { promise, resolve } = Promise.withResolvers<DecodedPacket | 'truncated' | Failure>();
  const giveUp = (): void => resolve({ why: 'timeout' });
  const send = (): void => socket.send(message);
  let resending: NodeJS.Timeout | undefined;
  signal.addEventListener('abort', giveUp, { once: true });
  if (signal.aborted) giveUp();
  socket.on('error', () => resolve({ why: 'unreachable' }));
  socket.on('message', (datagram) => {
    const reply = readReply(datagram, query);
    if (reply) resolve(reply);
  });
  socket.once('connect', () => {
    send();
    resending = setInterval(send, RESEND_MS);
  });
  socket.connect(port, address);
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', giveUp);
    clearInterval(resending);
    socket.close();
  }
}
