import type { Answer, DecodedPacket } from 'dns-packet';
import { isNoSuchName, type Question } from './message.ts';
import { plainName } from './name.ts';

/** A chain of more CNAMEs is as good as a loop. */
export const MOST_ALIASES = 8;
/** RFC 2181 8: a greater one is none. */
const LONGEST_TTL = 0x7fff_ffff;

/** What one message says of a name. */
export type Statement = {
  /** The names that it is an alias of, one leading to the next. */
  readonly aliases: readonly string[];
  /** For how long it is true. */
  readonly ttlSeconds: number;
} & (
  | { readonly status: 'found'; readonly values: readonly string[] }
  /** `alias`: what the last of them has is not said. */
  | { readonly status: 'none' | 'no_such_name' | 'alias' }
);

type InternetRecord = Exclude<Answer, { type: 'OPT' }>;

/** Follows the CNAMEs within a message. undefined: it has records, and none of this name. */
export function readAnswer(packet: DecodedPacket, { name, type }: Question): Statement | undefined {
  const records = (packet.answers ?? []).filter(isOfInternet);
  const recordsOf = (owner: string): InternetRecord[] => records.filter((record) => plainName(record.name) === owner);
  if (records.length > 0 && recordsOf(name).length === 0) return undefined;
  const aliases: string[] = [];
  const times: number[] = [];
  let at = name;
  while (aliases.length <= MOST_ALIASES) {
    const wanted = recordsOf(at).filter((record) => record.type === type);
    const values = wanted.flatMap((record) => textOf(record) ?? []);
    if (values.length > 0) return { status: 'found', values, aliases, ttlSeconds: Math.min(...times, ...wanted.map(ttlOf)) };
    const alias = recordsOf(at).find((record) => record.type === 'CNAME');
    const target = alias && textOf(alias);
    if (!alias || !target) break;
    at = target;
    aliases.push(at);
    times.push(ttlOf(alias));
  }
  const negativeSeconds = negativeTtl(packet, at);
  // RFC 6604 3: the code is of the last name. RFC 2308 2.2: the SOA is of its zone.
  const isLast = aliases.length === 0 || negativeSeconds !== undefined;
  const status = isNoSuchName(packet) ? 'no_such_name' : isLast ? 'none' : 'alias';
  return { status, aliases, ttlSeconds: Math.min(...times, ...(status === 'alias' ? [] : [negativeSeconds ?? 0])) };
}

function isOfInternet(record: Answer): record is InternetRecord {
  return record.type !== 'OPT' && record.class === 'IN';
}

function textOf(record: InternetRecord): string | undefined {
  switch (record.type) {
    case 'TXT':
      // A character may stand on both sides of where a string ends.
      return Buffer.concat([record.data].flat().map((part) => (typeof part === 'string' ? Buffer.from(part) : part))).toString();
    case 'CNAME':
      return plainName(record.data);
    case 'A':
    case 'AAAA':
      return record.data;
    default:
      return undefined;
  }
}

/** Of an absence (RFC 2308 5); undefined: no zone of this name says so. */
function negativeTtl({ authorities = [] }: DecodedPacket, name: string): number | undefined {
  for (const record of authorities) {
    if (record.type !== 'SOA') continue;
    const zone = plainName(record.name);
    if (zone === '' || name === zone || name.endsWith(`.${zone}`)) return Math.min(ttlOf(record), record.data.minimum ?? 0);
  }
  return undefined;
}

function ttlOf({ ttl = 0 }: InternetRecord): number {
  return ttl > LONGEST_TTL ? 0 : ttl;
}
