import { randomInt } from 'node:crypto';
import { type DecodedPacket, decode, type Packet, RECURSION_DESIRED } from 'dns-packet';
import { plainName } from './name.ts';

export type RecordType = 'TXT' | 'CNAME' | 'A' | 'AAAA';

export interface Question {
  /** In lower case, without the final dot. */
  readonly name: string;
  readonly type: RecordType;
}

/** Why nobody knows what a name has: it may pass, and says nothing of the name. */
export type Outage =
  | 'timeout'
  /** Nobody listens there, or the network does not lead there. */
  | 'unreachable'
  | 'servfail'
  | 'refused'
  /** Any other error that a server tells of. */
  | 'failed'
  /** The server asks nobody else, and names other servers to ask. */
  | 'not_recursive'
  /** It cannot be read, or contradicts itself. */
  | 'garbled'
  /** More octets or records than are read. */
  | 'oversized';

export interface Failure {
  readonly why: Outage;
}

export interface Query {
  readonly id: number;
  readonly question: Question;
  readonly packet: Packet;
}

/** What a datagram may have that no network takes apart (DNS Flag Day 2020). */
const DATAGRAM_OCTETS = 1232;
export const MOST_OCTETS = 32 * 1024;
const MOST_RECORDS = 256;
const HEADER_OCTETS = 12;
const QR_BIT = 0x80;
const TC_BIT = 0x02;

/** An id that cannot be guessed: whoever is not on the way to the server cannot answer in its place. */
export function queryFor(question: Question): Query {
  const id = randomInt(0x10000);
  const extended = { type: 'OPT', name: '.', udpPayloadSize: DATAGRAM_OCTETS, extendedRcode: 0, ednsVersion: 0, flags: 0 } as const;
  return {
    id,
    question,
    packet: {
      type: 'query',
      id,
      flags: RECURSION_DESIRED,
      questions: [{ ...question }],
      additionals: [{ ...extended, flag_do: false, options: [] }],
    },
  };
}

/** What has come: an answer, that it did not fit into a datagram, or a failure. undefined: it answers another query, and the right answer may come still. */
export function readReply(message: Buffer, { id, question }: Query): DecodedPacket | 'truncated' | Failure | undefined {
  if (message.length < HEADER_OCTETS || message.readUInt16BE(0) !== id || !(message[2]! & QR_BIT)) return undefined;
  // Where it was cut nothing can be relied on.
  if (message[2]! & TC_BIT) return 'truncated';
  if (message.length > MOST_OCTETS || recordsIn(message) > MOST_RECORDS) return { why: 'oversized' };
  const packet = decoded(message);
  if (!packet) return { why: 'garbled' };
  if (!repeats(packet, question)) return undefined;
  const why = failureOf(packet);
  return why ? { why } : packet;
}

/** As the header has it: what is decoded takes time by it. */
function recordsIn(message: Buffer): number {
  return message.readUInt16BE(4) + message.readUInt16BE(6) + message.readUInt16BE(8) + message.readUInt16BE(10);
}

function decoded(message: Buffer): DecodedPacket | undefined {
  try {
    const packet = decode(message);
    // It reads beyond the end of what was cut off, and counts on; or with NaN.
    return decode.bytes <= message.length ? packet : undefined;
  } catch {
    return undefined;
  }
}

function repeats({ questions = [] }: DecodedPacket, { name, type }: Question): boolean {
  const [asked, ...others] = questions;
  return asked !== undefined && others.length === 0 && asked.type === type && asked.class === 'IN' && plainName(asked.name) === name;
}

const NOERROR = 0;
const SERVFAIL = 2;
const NXDOMAIN = 3;
const REFUSED = 5;

/** RFC 1035 4.1.1: the lower four bits of the flags. */
export function isNoSuchName({ flags = 0 }: Packet): boolean {
  return (flags & 0xf) === NXDOMAIN;
}

function failureOf({ flags = 0, answers = [], authorities = [], additionals = [] }: DecodedPacket): Outage | undefined {
  const opcode = (flags >> 11) & 0xf;
  // RFC 6891 6.1.3: what stands in the header are the lower bits of a longer code.
  const isExtended = additionals.some((record) => record.type === 'OPT' && record.extendedRcode !== 0);
  const code = flags & 0xf;
  if (opcode !== 0 || isExtended) return 'failed';
  if (code === SERVFAIL) return 'servfail';
  if (code === REFUSED) return 'refused';
  if (code !== NOERROR && code !== NXDOMAIN) return 'failed';
  // RFC 2308 2.2: no answer, name servers and no SOA refer to these servers, and say nothing of the records.
  const has = (type: string): boolean => authorities.some((record) => record.type === type);
  return code === NOERROR && answers.length === 0 && has('NS') && !has('SOA') ? 'not_recursive' : undefined;
}
