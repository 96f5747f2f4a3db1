import net, { isIP, type LookupFunction, type Socket } from 'node:net';
import tls, { type SecureContext } from 'node:tls';
import { hostOf } from './url-form.ts';

export interface Destination {
  readonly url: URL;
  /** Checked; the connection goes to one of these. */
  readonly addresses: readonly string[];
  /** Whom to trust; asked for https only. */
  readonly trust: () => SecureContext;
  /** Ends the attempt, but not a connection that stands. */
  readonly signal: AbortSignal;
}

export type Opened = { readonly socket: Socket } | { readonly refused: 'network' | 'tls'; readonly message: string };

/** A connection of its own, for https with a name that was verified: no session of an earlier one is resumed. undefined: the signal ended it. */
export function openConnection({ url, addresses, trust, signal }: Destination): Promise<Opened | undefined> {
  return new Promise((resolve) => {
    const isSecure = url.protocol === 'https:';
    let refused: 'network' | 'tls' = 'network';
    const host = hostOf(url);
    const to = {
      host,
      port: url.port === '' ? (isSecure ? 443 : 80) : Number(url.port),
      lookup: pinnedTo(addresses),
      autoSelectFamily: true,
      noDelay: true,
    };
    const socket = isSecure ? tls.connect({ ...to, ...verified(host), secureContext: trust() }) : net.connect(to);
    const settle = (opened: Opened | undefined): void => {
      signal.removeEventListener('abort', giveUp);
      if (!opened || 'refused' in opened) socket.destroy();
      resolve(opened);
    };
    const giveUp = (): void => settle(undefined);
    if (signal.aborted) return giveUp();
    signal.addEventListener('abort', giveUp);
    if (isSecure) {
      socket.once('connect', () => {
        refused = 'tls';
      });
    }
    socket.once(isSecure ? 'secureConnect' : 'connect', () => settle({ socket }));
    // It stays: an error that comes when nothing else listens must not end the process.
    socket.on('error', (error: NodeJS.ErrnoException) =>
      settle({
        refused,
        message: `${refused === 'tls' ? 'no trusted connection' : 'the connection failed'} (${error.code ?? error.name})`,
      }),
    );
  });
}

/** Says what could be a default: neither the environment nor a later default may turn the check off. */
function verified(host: string): tls.ConnectionOptions {
  return {
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
    ...(isIP(host) === 0 ? { servername: host.replace(/\.$/, '') } : {}),
  };
}

/** Answers with the checked addresses instead of asking again. */
function pinnedTo(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_name, { all }, callback) => {
    if (all) callback(null, found);
    else callback(null, found[0]?.address ?? '', found[0]?.family);
  };
}
