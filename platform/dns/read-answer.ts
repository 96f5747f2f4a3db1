import type { Answer, DecodedPacket } from 'dns-packet';
import { isNoSuchName, type Question } from './message.ts';
import { plainName } from './name.ts';

/** A chain of more CNAMEs is as good as a loop. */
export const MOST_ALIASES = 8;

/** What one message says of a name. */
export type Statement = {
  /** The names that it is an alias of, one leading to the next. */
  readonly aliases: readonly string[];
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
  let at = name;
  while (aliases.length <= MOST_ALIASES) {
    const wanted = recordsOf(at).filter((record) => record.type === type);
    const values = wanted.flatMap((record) => textOf(record) ?? []);
    if (values.length > 0) return { status: 'found', values, aliases };
    const alias = recordsOf(at).find((record) => record.type === 'CNAME');
    const target = alias && textOf(alias);
    if (!target) break;
    at = target;
    aliases.push(at);
  }
  // RFC 6604 3: the code is of the last name. RFC 2308 2.2: the SOA is of its zone.
  const isLast = aliases.length === 0 || isSaidByZone(packet, at);
  return { status: isNoSuchName(packet) ? 'no_such_name' : isLast ? 'none' : 'alias', aliases };
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

/** Whether a zone of this name says what is absent (RFC 2308 5). */
function isSaidByZone({ authorities = [] }: DecodedPacket, name: string): boolean {
  return authorities.some((record) => {
    if (record.type !== 'SOA') return false;
    const zone = plainName(record.name);
    return zone === '' || name === zone || name.endsWith(`.${zone}`);
  });
}
