import { isIP } from 'node:net';
import { createSecureContext, type SecureContext } from 'node:tls';
import { openConnection } from './connection.ts';
import { type Connection, connectionOver } from './exchange.ts';
import { isPublicAddress } from './public-address.ts';
import type { Resolve } from './resolve.ts';
import { createSharedLookUp, type SharedLookUp } from './shared-look-up.ts';
import { type AddressRules, hostOf } from './url-form.ts';

/** Why there is no connection; nothing was sent. Messages are public: they name no address that the caller did not write. */
export interface NotOpened {
  readonly refused: 'address' | 'dns' | 'tls' | 'network';
  readonly message: string;
}

export interface CheckedConnections {
  /** One of its own, to an address that is checked now. undefined: not in time. */
  open(url: URL, timeoutMs: number): Promise<Connection | NotOpened | undefined>;
  /** Gives up look-ups. */
  close(): void;
}

export interface CheckedConnectionsOptions extends AddressRules {
  readonly resolve: Resolve;
  /** Certificates to trust instead of the usual ones. */
  readonly ca: string | undefined;
  /** A clock in milliseconds that never goes back. */
  readonly now: () => number;
}

/**
 * A name is looked up for each connection, every address it has must be public unicast, and the connection goes to one of those very addresses,
 * so a name that changes its mind in between leads nowhere else. TLS is verified against the name.
 */
export function createCheckedConnections({ allowPrivate, resolve, ca, now }: CheckedConnectionsOptions): CheckedConnections {
  const lookUps = createSharedLookUp(resolve, now);
  let context: SecureContext | undefined;
  const trust = (): SecureContext => {
    context ??= createSecureContext(ca === undefined ? {} : { ca });
    return context;
  };
  return {
    async open(url, timeoutMs) {
      const signal = AbortSignal.timeout(Math.max(0, Math.ceil(timeoutMs)));
      const openedAt = now();
      const addresses = await addressesOf(hostOf(url), lookUps, signal);
      if (signal.aborted) return undefined;
      if (addresses.length === 0) return { refused: 'dns', message: 'the host name could not be looked up' };
      if (!allowPrivate && !addresses.every(isPublicAddress)) {
        return { refused: 'address', message: 'the host name leads to an address that is not public' };
      }
      const opened = await openConnection({ url, addresses, trust, signal });
      return opened && 'socket' in opened ? connectionOver(opened.socket, url, openedAt) : opened;
    },
    close: () => lookUps.close(),
  };
}

/** A literal address stands for itself. None: not found, or not in time. */
async function addressesOf(host: string, lookUps: SharedLookUp, signal: AbortSignal): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host];
  const gaveUp = Promise.withResolvers<readonly string[]>();
  const giveUp = (): void => gaveUp.resolve([]);
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    return await Promise.race([lookUps.addressesOf(host), gaveUp.promise]);
  } catch {
    return [];
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}
