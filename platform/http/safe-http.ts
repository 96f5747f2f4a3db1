import { isIP } from 'node:net';
import { exchange } from './exchange.ts';
import { isPublicAddress } from './public-address.ts';
import { type Resolve, resolveAnyName, resolvePublicName } from './resolve.ts';
import { type AddressRules, checkUrlForm, hostOf } from './url-form.ts';

export interface SafeRequest {
  readonly url: string;
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'GET';
  /** Those that belong to the connection, Host and Content-Length among them, are left out. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** For everything: looking up the name, connecting, sending, and the answer's status. */
  readonly timeoutSeconds: number;
}

/** Why no answer came: the address may not be called, or it could not be found, reached, trusted, or waited for. */
export type RefusedBy = 'address' | 'dns' | 'timeout' | 'tls' | 'network';

/** Messages are public: they name no address that the caller did not write. */
export type SafeAnswer =
  | { readonly ok: true; readonly status: number; readonly retryAfterSeconds: number | undefined }
  | { readonly ok: false; readonly refused: RefusedBy; readonly message: string };

export interface SafeHttp {
  /** Never throws. Any status is an answer; redirects are not followed, and bodies of answers are dropped. */
  request(request: SafeRequest): Promise<SafeAnswer>;
}

export interface SafeHttpOptions extends AddressRules {
  readonly resolve?: Resolve;
  /** Certificates to trust instead of the usual ones. */
  readonly ca?: string;
}

/**
 * HTTP to addresses that callers name. A name is looked up once, every address it has must be public unicast, and the
 * connection goes to one of those very addresses, so a name that changes its mind in between leads nowhere else:
 * decisions.md 11.6. TLS is verified against the name; proxies of the environment are not used.
 */
export function createSafeHttp({
  allowPrivate,
  resolve = allowPrivate ? resolveAnyName : resolvePublicName,
  ca,
}: SafeHttpOptions): SafeHttp {
  return {
    async request(request) {
      const problem = checkUrlForm(request.url, { allowPrivate });
      if (problem !== undefined) return { ok: false, refused: 'address', message: problem };
      const url = new URL(request.url);
      const signal = AbortSignal.timeout(Math.ceil(request.timeoutSeconds * 1000));
      const addresses = await addressesOf(hostOf(url), resolve, signal);
      if (addresses === undefined) {
        return signal.aborted ? tooLate(request) : { ok: false, refused: 'dns', message: 'the host name could not be looked up' };
      }
      if (!allowPrivate && !addresses.every(isPublicAddress)) {
        return { ok: false, refused: 'address', message: 'the host name leads to an address that is not public' };
      }
      return (await exchange({ ...request, url, addresses, signal, ca })) ?? tooLate(request);
    },
  };
}

function tooLate({ timeoutSeconds }: SafeRequest): SafeAnswer {
  return { ok: false, refused: 'timeout', message: `no answer within ${timeoutSeconds} seconds` };
}

/** A literal address stands for itself. undefined: none found, or not in time. */
async function addressesOf(host: string, resolve: Resolve, signal: AbortSignal): Promise<readonly string[] | undefined> {
  if (isIP(host) !== 0) return [host];
  const gaveUp = Promise.withResolvers<undefined>();
  const giveUp = (): void => gaveUp.resolve(undefined);
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    const addresses = await Promise.race([resolve(host, signal), gaveUp.promise]);
    return addresses?.length ? addresses : undefined;
  } catch {
    return undefined;
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}
