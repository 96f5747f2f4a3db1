import { connect } from 'node:net';
import { type DecodedPacket, streamEncode } from 'dns-packet';
import { type Failure, MOST_OCTETS, type Query, readReply } from './message.ts';
import type { NameServer } from './name-server.ts';

/** RFC 1035 4.2.2: each message stands behind its length. */
const LENGTH_OCTETS = 2;

/** Over a connection of its own, where nothing but the answer can come. */
export async function askOverTcp({ address, port }: NameServer, query: Query, signal: AbortSignal): Promise<DecodedPacket | Failure> {
  const socket = connect({ host: address, port, noDelay: true });
  const { promise, resolve } = Promise.withResolvers<DecodedPacket | Failure>();
  const giveUp = (): void => resolve({ why: 'timeout' });
  signal.addEventListener('abort', giveUp, { once: true });
  if (signal.aborted) giveUp();
  let read = Buffer.alloc(0);
  socket.on('error', () => resolve({ why: 'unreachable' }));
  socket.on('close', () => resolve({ why: read.length > 0 ? 'garbled' : 'unreachable' }));
  socket.on('data', (chunk) => {
    read = Buffer.concat([read, chunk]);
    if (read.length < LENGTH_OCTETS) return;
    const end = LENGTH_OCTETS + read.readUInt16BE(0);
    if (end > LENGTH_OCTETS + MOST_OCTETS) return resolve({ why: 'oversized' });
    if (read.length < end) return;
    const reply = readReply(read.subarray(LENGTH_OCTETS, end), query);
    resolve(reply === undefined || reply === 'truncated' ? { why: 'garbled' } : reply);
  });
  socket.write(streamEncode(query.packet));
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', giveUp);
    socket.destroy();
  }
}
