import { isIP } from 'node:net';
import { createSecureContext, type SecureContext } from 'node:tls';
import { openConnection } from './connection.ts';
import { type Connection, connectionOver, type Exchange, type Exchanged, exchange } from './exchange.ts';
import { createKeptConnections } from './kept-connections.ts';
import { isPublicAddress } from './public-address.ts';
import { requestHeaders } from './request-headers.ts';
import { nameServerResolve, type Resolve, resolveAnyName } from './resolve.ts';
import { createSharedLookUp, type SharedLookUp } from './shared-look-up.ts';
import { type AddressRules, checkUrlForm, hostOf } from './url-form.ts';

export interface SafeRequest {
  readonly url: string;
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'GET';
  /** Those that belong to the connection, Host and Content-Length among them, are left out. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** For everything: looking up the name, connecting, sending, and the answer's status. */
  readonly timeoutSeconds: number;
  /**
   * For whom the connection may be kept and used again: the id of a project. Nobody else's request goes over it, so that what one tenant
   * and a receiver do to a connection meets no other tenant. Without it the request has a connection of its own.
   */
  readonly keepFor?: string | undefined;
}

/** Why no answer came: the address may not be called, or it could not be found, reached, trusted, or waited for. */
export type RefusedBy = 'address' | 'dns' | 'timeout' | 'tls' | 'network';

/** Messages are public: they name no address that the caller did not write. */
export type SafeAnswer = { /** From the call to the status, or to the failure. */ readonly milliseconds: number } & (
  | { readonly ok: true; readonly status: number; readonly retryAfterSeconds: number | undefined }
  | {
      readonly ok: false;
      readonly refused: RefusedBy;
      readonly message: string;
      /** false: no byte of the request was written. true: nobody knows, the receiver may have taken it. */
      readonly mayHaveArrived: boolean;
    }
);

export interface SafeHttp {
  /**
   * Never throws. Any status is an answer; redirects are not followed, and bodies of answers are dropped. At most one request is
   * written: what was written over a connection that then failed is not repeated.
   */
  request(request: SafeRequest): Promise<SafeAnswer>;
  /** Closes idle connections at once and the others after their request, and gives up look-ups. Idle ones hold up no process that ends. */
  close(): void;
}

export interface SafeHttpOptions extends AddressRules {
  readonly resolve?: Resolve;
  /** Certificates to trust instead of the usual ones. */
  readonly ca?: string;
  /** A clock in milliseconds that never goes back. */
  readonly now?: () => number;
}

type Failure = Omit<Extract<SafeAnswer, { ok: false }>, 'milliseconds' | 'ok'>;

/**
 * HTTP to addresses that callers name. A name is looked up for each connection, every address it has must be public unicast, and the
 * connection goes to one of those very addresses, so a name that changes its mind in between leads nowhere else: docs/contract/webhooks.md 5.
 * A connection is used again for the same origin only, and for half a minute at most, so a name that leads elsewhere is checked again.
 * TLS is verified against the name; proxies of the environment are not used.
 */
export function createSafeHttp({
  allowPrivate,
  resolve = allowPrivate ? resolveAnyName : nameServerResolve(),
  ca,
  now = () => performance.now(),
}: SafeHttpOptions): SafeHttp {
  const lookUps = createSharedLookUp(resolve, now);
  const kept = createKeptConnections(now);
  let context: SecureContext | undefined;
  const trust = (): SecureContext => {
    context ??= createSecureContext(ca === undefined ? {} : { ca });
    return context;
  };

  /** A connection of its own to an address that is checked now. undefined: not in time. */
  const open = async (url: URL, timeoutMs: number): Promise<Connection | Failure | undefined> => {
    const signal = AbortSignal.timeout(Math.max(0, Math.ceil(timeoutMs)));
    const openedAt = now();
    const addresses = await addressesOf(hostOf(url), lookUps, signal);
    if (signal.aborted) return undefined;
    if (addresses.length === 0) return notSent('dns', 'the host name could not be looked up');
    if (!allowPrivate && !addresses.every(isPublicAddress)) {
      return notSent('address', 'the host name leads to an address that is not public');
    }
    const opened = await openConnection({ url, addresses, trust, signal });
    if (opened && 'refused' in opened) return notSent(opened.refused, opened.message);
    return opened && connectionOver(opened.socket, url, openedAt);
  };

  /** undefined: not in time, before anything was sent. */
  const send = async (
    key: string | undefined,
    request: Omit<Exchange, 'timeoutMs'>,
    until: number,
  ): Promise<Exchanged | Failure | undefined> => {
    const over = async (connection: Connection): Promise<Exchanged> => {
      const exchanged = await exchange(connection, { ...request, timeoutMs: until - now() });
      if (key !== undefined) kept.put(key, connection);
      return exchanged;
    };
    for (let connection = key && kept.take(key); connection; connection = key && kept.take(key)) {
      const exchanged = await over(connection);
      // Closed by the server before a byte was written: as if it had not been kept.
      if (exchanged.as !== 'unsent') return exchanged;
    }
    const opened = await open(request.url, until - now());
    return opened && 'client' in opened ? over(opened) : opened;
  };

  return {
    async request({ url: text, method, headers: given, body, timeoutSeconds, keepFor }) {
      const start = now();
      const failed = (failure: Failure): SafeAnswer => ({ ok: false, ...failure, milliseconds: Math.round(now() - start) });
      const problem = checkUrlForm(text, { allowPrivate });
      if (problem !== undefined) return failed(notSent('address', problem));
      const headers = requestHeaders(given);
      if (!headers) return failed(notSent('network', 'the request has a header that cannot be sent'));
      const url = new URL(text);
      const key = keepFor === undefined ? undefined : `${url.origin} ${keepFor}`;
      const request = { url, method, headers, body, mayBeKept: key !== undefined, now };
      const sent = await send(key, request, start + timeoutSeconds * 1000);
      const late = (mayHaveArrived: boolean): SafeAnswer =>
        failed({ refused: 'timeout', message: `no answer within ${timeoutSeconds} seconds`, mayHaveArrived });
      if (!sent) return late(false);
      if ('refused' in sent) return failed(sent);
      switch (sent.as) {
        case 'answered':
          return { ok: true, status: sent.status, retryAfterSeconds: sent.retryAfterSeconds, milliseconds: Math.round(sent.at - start) };
        case 'late':
          return late(sent.isSent);
        case 'unsent':
          return failed(notSent('network', 'the connection was closed without an answer'));
        case 'failed':
          return failed({ refused: 'network', message: sent.message, mayHaveArrived: true });
        default:
          return sent satisfies never;
      }
    },
    close() {
      lookUps.close();
      kept.close();
    },
  };
}

function notSent(refused: RefusedBy, message: string): Failure {
  return { refused, message, mayHaveArrived: false };
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
