import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** What a name has: addresses of both kinds, or another name that it stands for. */
export type DnsRecords = Readonly<Record<string, readonly string[]>>;

export interface DnsServer {
  /** As a resolver wants it. */
  readonly address: string;
  /** `A name` or `AAAA name`, in the order of asking. */
  readonly asked: readonly string[];
  close(): void;
}

const TYPES = new Map([
  [1, 'A'],
  [28, 'AAAA'],
]);
const NO_SUCH_NAME = 3;

/**
 * A name server (RFC 1035) on loopback. `recordsAt` is told how often the name was asked for before, once for both kinds of address, and
 * may answer undefined: then nothing is sent. A name without records does not exist.
 */
export async function dnsServer(recordsAt: (timesAsked: number, name: string) => DnsRecords | undefined): Promise<DnsServer> {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, { port }) => {
    const { name, end } = nameIn(query);
    const type = TYPES.get(query.readUInt16BE(end)) ?? 'other';
    const records = recordsAt(asked.filter((question) => question === `${type} ${name}`).length, name);
    asked.push(`${type} ${name}`);
    if (!records) return;
    const answers = answersOf(records, name, type);
    const head = Buffer.from(query.subarray(0, 12));
    head.writeUInt16BE(0x8180 | (records[name] ? 0 : NO_SUCH_NAME), 2);
    head.writeUInt16BE(answers.length, 6);
    head.writeUInt32BE(0, 8);
    socket.send(Buffer.concat([head, query.subarray(12, end + 4), ...answers]), port, '127.0.0.1');
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { address: `127.0.0.1:${socket.address().port}`, asked, close: () => socket.close() };
}

function nameIn(query: Buffer): { readonly name: string; readonly end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}

/** Follows aliases as a recursive server does, not for ever. */
function answersOf(records: DnsRecords, name: string, type: string, depth = 0): Buffer[] {
  return (records[name] ?? []).flatMap((value) => {
    const version = isIP(value);
    if (version === 0) return [record(name, 5, encoded(value)), ...(depth < 10 ? answersOf(records, value, type, depth + 1) : [])];
    if (type !== (version === 4 ? 'A' : 'AAAA')) return [];
    return [record(name, version === 4 ? 1 : 28, Buffer.from(ipaddr.parse(value).toByteArray()))];
  });
}

function record(name: string, type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([encoded(name), fixed, data]);
}

function encoded(name: string): Buffer {
  return Buffer.concat([
    ...name.split('.').map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)])),
    Buffer.alloc(1),
  ]);
}
