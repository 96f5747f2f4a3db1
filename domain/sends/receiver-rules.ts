import { receiverGroup } from './receiver-group.ts';

/** What an installation sets of a receiver: domains that are its own beside those that are known, and how fast it gets mails. */
export interface ReceiverRule {
  /** The name of a known one (domain/sends/receiver-group.ts), or of another. */
  readonly receiver: string;
  /** Each with all below it. */
  readonly domains?: readonly string[] | undefined;
  readonly ratePerSecond?: number | undefined;
  readonly connections?: number | undefined;
}

/** Who gets mail for a domain: as the rules say, by the nearest domain above it that one has, else as it is known. */
export function receiverGroups(rules: readonly ReceiverRule[]): (domain: string) => string {
  const own = new Map(rules.flatMap(({ receiver, domains = [] }) => domains.map((domain) => [domain, receiver] as const)));
  if (own.size === 0) return receiverGroup;
  return (domain) => {
    for (let name = domain; name !== ''; name = name.slice(name.indexOf('.') + 1 || name.length)) {
      const receiver = own.get(name);
      if (receiver !== undefined) return receiver;
    }
    return receiverGroup(domain);
  };
}
