import { onTestFinished } from 'vitest';
import { createDns, type Dns } from '../../../platform/dns/dns.ts';
import { nameServerOf } from '../../../platform/dns/name-server.ts';
import { type NameServerDouble, nameServer, type Say } from '../../support/name-server.ts';

/** More than any answer on loopback takes. */
const LONG_MS = 60_000;

export interface Asking {
  readonly dns: Dns;
  readonly servers: readonly NameServerDouble[];
  /** Of the first server. */
  readonly asked: readonly string[];
}

/** A resolver and its servers, each of which says what it is to. */
export async function asking(says: Say | readonly Say[], { timeoutMs = LONG_MS } = {}): Promise<Asking> {
  const servers = await Promise.all([says].flat().map(nameServer));
  onTestFinished(() => {
    for (const server of servers) server.close();
  });
  return {
    dns: createDns({ servers: servers.map(({ address }) => nameServerOf(address)!), timeoutMs }),
    servers,
    asked: servers[0]!.asked,
  };
}
