import { lookup, Resolver } from 'node:dns/promises';

/** Every address of a name; none, or a rejection, when it has none or nobody can say. May give up when the signal fires. */
export type Resolve = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

/**
 * Asks name servers (the system's unless others are given, as `address:port`) without the thread pool that file reads share, so that
 * names which nobody answers for hold up nothing else.
 */
export function nameServerResolve(servers?: readonly string[]): Resolve {
  return async (name, signal) => {
    const resolver = new Resolver();
    if (servers) resolver.setServers(servers);
    const cancel = (): void => resolver.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
      return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  };
}

/** Asks the operating system, which also knows localhost and the hosts file. */
export const resolveAnyName: Resolve = async (name) => (await lookup(name, { all: true })).map(({ address }) => address);
