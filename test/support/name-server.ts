import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { type Answer, AUTHORITATIVE_ANSWER, decode, encode, type Packet, streamEncode, TRUNCATED_RESPONSE } from 'dns-packet';

/** What a name has. A TXT in several strings is a list of them. */
export interface ZoneRecords {
  readonly TXT?: readonly (string | readonly (string | Buffer)[])[];
  readonly CNAME?: string;
  readonly A?: readonly string[];
  readonly AAAA?: readonly string[];
}

/** Names that exist. The last label of each is its zone. */
export type Zones = Readonly<Record<string, ZoneRecords>>;

export interface Asked {
  readonly name: string;
  readonly type: string;
  readonly id: number;
  /** That it comes from. */
  readonly port: number;
  readonly isTcp: boolean;
  /** The same question, over either. */
  readonly timesBefore: number;
}

/** What goes back: an answer of which the rest is filled in, or octets as they are (over TCP the connection ends behind them). undefined: silence. */
export type Said = Packet | Buffer;
export type Say = (asked: Asked) => Said | readonly Said[] | undefined;

export interface NameServerDouble {
  /** As settings name it. */
  readonly address: string;
  /** `TXT name`, or `TXT name by TCP`, in the order of asking. */
  readonly asked: readonly string[];
  close(): void;
}

/** Response codes, for the flags of an answer. */
export const CODES = { FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 } as const;
const PLAIN_DATAGRAM = 512;
const TTL = 300;
const BY_TCP = ' by TCP';

/** An authoritative name server (RFC 1035) on loopback, over UDP and TCP. */
export async function nameServer(say: Say): Promise<NameServerDouble> {
  const asked: string[] = [];
  const hear = (message: Buffer, port: number, isTcp: boolean): Packet & { readonly says: readonly Said[] } => {
    const query = decode(message);
    const { name, type } = query.questions![0]!;
    const question = `${type} ${name.toLowerCase()}`;
    const timesBefore = asked.filter((before) => before.replace(BY_TCP, '') === question).length;
    asked.push(isTcp ? question + BY_TCP : question);
    const says = say({ name: name.toLowerCase(), type, id: query.id!, port, isTcp, timesBefore }) ?? [];
    return { ...query, says: [says].flat() };
  };

  const udp = createSocket('udp4');
  udp.on('message', (message, { port }) => {
    const query = hear(message, port, false);
    for (const said of query.says) udp.send(Buffer.isBuffer(said) ? said : datagram(query, said), port, '127.0.0.1');
  });
  const connections = new Set<Socket>();
  const tcp = createServer((socket) => {
    connections.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', async (message) => {
      const query = hear(message.subarray(2), socket.remotePort!, true);
      for (const said of query.says) {
        socket.write(Buffer.isBuffer(said) ? said : streamEncode(whole(query, said)));
        // It is read before the next one is written: the first turn of the loop may be this one.
        for (let turns = 0; turns < 2; turns++) await setImmediate();
      }
      if (Buffer.isBuffer(query.says.at(-1))) socket.end();
    });
  });
  await listenOnBoth(udp, tcp);
  return {
    address: `127.0.0.1:${udp.address().port}`,
    asked,
    close() {
      if (!tcp.listening) return;
      udp.close();
      tcp.close();
      for (const socket of connections) socket.destroy();
    },
  };
}

/** Asks for a port until the same one is free for both. */
async function listenOnBoth(udp: ReturnType<typeof createSocket>, tcp: ReturnType<typeof createServer>): Promise<void> {
  for (;;) {
    tcp.listen(0, '127.0.0.1');
    await once(tcp, 'listening');
    const { port } = tcp.address() as { port: number };
    udp.bind(port, '127.0.0.1');
    try {
      await once(udp, 'listening');
      return;
    } catch {
      tcp.close();
      await once(tcp, 'close');
    }
  }
}

function whole({ id, questions }: Packet, said: Packet): Packet {
  return { id, type: 'response', questions, flags: AUTHORITATIVE_ANSWER, ...said };
}

function datagram(query: Packet, said: Packet): Buffer {
  const answer = whole(query, said);
  const message = encode(answer);
  const extended = query.additionals?.find((record) => record.type === 'OPT');
  if (message.length <= (extended?.udpPayloadSize ?? PLAIN_DATAGRAM)) return message;
  return encode({ ...answer, flags: answer.flags! | TRUNCATED_RESPONSE, answers: [] });
}

/** Answers from these names. Aliases are followed within a zone; of another zone, such a server says nothing. */
export function zones(names: Zones): Say {
  return ({ name, type }) => answerOf(names, name, type);
}

function answerOf(names: Zones, asked: string, type: string): Packet {
  const answers: Answer[] = [];
  const zone = zoneOf(asked);
  const seen = new Set<string>();
  for (let name = asked; ; ) {
    const has = names[name];
    const records = recordsOf(name, type, has ?? {});
    answers.push(...records);
    const alias = records.length === 0 ? has?.CNAME : undefined;
    if (alias === undefined) return records.length > 0 ? { answers } : absence(answers, zone, has ? 0 : CODES.NXDOMAIN);
    answers.push(...recordsOf(name, 'CNAME', has!));
    seen.add(name);
    name = alias.toLowerCase().replace(/\.$/, '');
    if (seen.has(name) || zoneOf(name) !== zone) return { answers };
  }
}

/** That there is nothing, as the zone says. */
export function absence(answers: Answer[], zone: string, code = 0): Packet {
  const data = { mname: `ns.${zone}`, rname: `root.${zone}`, minimum: TTL };
  return { flags: AUTHORITATIVE_ANSWER | code, answers, authorities: [{ type: 'SOA', name: zone, ttl: TTL, data }] };
}

function zoneOf(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

function recordsOf(name: string, type: string, { TXT = [], CNAME, A = [], AAAA = [] }: ZoneRecords): Answer[] {
  if (type === 'TXT') return TXT.map((strings) => ({ type: 'TXT', name, ttl: TTL, data: [strings].flat() }));
  if (type === 'CNAME') return CNAME === undefined ? [] : [{ type: 'CNAME', name, ttl: TTL, data: CNAME }];
  if (type === 'A') return A.map((data) => ({ type: 'A', name, ttl: TTL, data }));
  return type === 'AAAA' ? AAAA.map((data) => ({ type: 'AAAA', name, ttl: TTL, data })) : [];
}
