import type { Ask } from './ask.ts';
import type { Outage, Question } from './message.ts';
import { isPlainText } from './name.ts';
import { MOST_ALIASES } from './read-answer.ts';

/** What a name has of one type. Only `unavailable` may pass by itself: it never means that there is nothing. */
export type DnsAnswer =
  | {
      readonly status: 'found';
      /** TXT with its strings joined, CNAME in lower case without the final dot, addresses; as the server had them. */
      readonly values: readonly string[];
      readonly aliases: readonly string[];
    }
  /** The name exists. */
  | { readonly status: 'none'; readonly aliases: readonly string[] }
  /** The name, or the last one that it is an alias of, does not exist. */
  | { readonly status: 'no_such_name'; readonly aliases: readonly string[] }
  /** A loop of CNAMEs, or more than 8. */
  | { readonly status: 'endless_alias'; readonly aliases: readonly string[] }
  | { readonly status: 'unavailable'; readonly why: Outage };

export interface TimedAnswer {
  readonly answer: DnsAnswer;
  /** For how long it is true; of an outage for no time. */
  readonly ttlSeconds: number;
}

/** Asks for the last alias where a server has not followed it itself. */
export async function follow(ask: Ask, { name, type }: Question, signal: AbortSignal): Promise<TimedAnswer> {
  const aliases: string[] = [];
  let ttlSeconds = Number.POSITIVE_INFINITY;
  for (let at = name; ; at = aliases.at(-1)!) {
    if (!isPlainText(at)) return unavailable('garbled');
    const statement = await ask({ name: at, type }, signal);
    if ('why' in statement) return unavailable(statement.why);
    aliases.push(...statement.aliases);
    ttlSeconds = Math.min(ttlSeconds, statement.ttlSeconds);
    if (isEndless([name, ...aliases])) return { answer: { status: 'endless_alias', aliases }, ttlSeconds };
    const { status } = statement;
    if (status === 'found') return { answer: { status, values: statement.values, aliases }, ttlSeconds };
    if (status !== 'alias') return { answer: { status, aliases }, ttlSeconds };
  }
}

function isEndless(names: readonly string[]): boolean {
  return names.length > 1 + MOST_ALIASES || new Set(names).size < names.length;
}

function unavailable(why: Outage): TimedAnswer {
  return { answer: { status: 'unavailable', why }, ttlSeconds: 0 };
}
