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

/** Asks for the last alias where a server has not followed it itself. */
export async function follow(ask: Ask, { name, type }: Question, signal: AbortSignal): Promise<DnsAnswer> {
  const aliases: string[] = [];
  for (let at = name; ; at = aliases.at(-1)!) {
    if (!isPlainText(at)) return unavailable('garbled');
    const statement = await ask({ name: at, type }, signal);
    if ('why' in statement) return unavailable(statement.why);
    aliases.push(...statement.aliases);
    if (isEndless([name, ...aliases])) return { status: 'endless_alias', aliases };
    const { status } = statement;
    if (status === 'found') return { status, values: statement.values, aliases };
    if (status !== 'alias') return { status, aliases };
  }
}

function isEndless(names: readonly string[]): boolean {
  return names.length > 1 + MOST_ALIASES || new Set(names).size < names.length;
}

function unavailable(why: Outage): DnsAnswer {
  return { status: 'unavailable', why };
}
