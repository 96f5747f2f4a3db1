import http from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { retryAfterSeconds } from './retry-after.ts';
import type { SafeAnswer, SafeRequest } from './safe-http.ts';

export interface Exchange extends Omit<SafeRequest, 'url'> {
  readonly url: URL;
  /** Checked; the connection goes to one of these. */
  readonly addresses: readonly string[];
  /** Ends the exchange. */
  readonly signal: AbortSignal;
  readonly ca?: string | undefined;
}

/** An answer's body is read to its end so that well-behaved servers see no broken connection, but not further than this. */
const MAX_DROPPED_BYTES = 64 * 1024;
const MAX_DROPPING_MS = 1000;

/** What the connection decides by itself; Host would also replace the name that TLS is verified against. */
const OF_THE_CONNECTION = new Set(
  'host content-length transfer-encoding connection keep-alive proxy-authorization proxy-connection te trailer upgrade expect'.split(' '),
);

// Connections are not kept: one that was checked for one request never serves another. Nor are TLS sessions.
const agents = { 'http:': new http.Agent({ keepAlive: false }), 'https:': new https.Agent({ keepAlive: false, maxCachedSessions: 0 }) };

/** One request over a connection of its own. undefined: the signal ended it before there was a status. */
export function exchange({ url, method, headers, body, addresses, signal, ca }: Exchange): Promise<SafeAnswer | undefined> {
  return new Promise((resolve) => {
    const isSecure = url.protocol === 'https:';
    let phase: 'network' | 'tls' = 'network';
    let isAnswered = false;
    const fail = (message: string): void => {
      if (!isAnswered) resolve(signal.aborted ? undefined : { ok: false, refused: phase, message });
    };
    const request = open();
    if (!request) return;
    request.on('socket', (socket) => {
      if (!isSecure) return;
      socket.once('connect', () => {
        phase = 'tls';
      });
      socket.once('secureConnect', () => {
        phase = 'network';
      });
    });
    request.on('error', (error: NodeJS.ErrnoException) =>
      fail(`${phase === 'tls' ? 'no trusted connection' : 'the connection failed'} (${error.code ?? error.name})`),
    );
    request.on('close', () => fail('the connection was closed without an answer'));
    request.on('response', (response) => {
      isAnswered = true;
      dropBody(response, () => {
        resolve({ ok: true, status: response.statusCode ?? 0, retryAfterSeconds: retryAfterSeconds(response.headers, Date.now()) });
        request.destroy();
      });
    });
    request.end(body);

    function open(): http.ClientRequest | undefined {
      try {
        return (isSecure ? https : http).request(url, {
          method,
          headers: requestHeaders(headers, body),
          agent: agents[isSecure ? 'https:' : 'http:'],
          lookup: pinnedTo(addresses),
          signal,
          ...(ca === undefined ? {} : { ca }),
        });
      } catch {
        fail('the request has a header that cannot be sent');
        return undefined;
      }
    }
  });
}

function requestHeaders(headers: Readonly<Record<string, string>>, body: string | undefined): Record<string, string | number> {
  const given = Object.entries(headers).filter(([name]) => !OF_THE_CONNECTION.has(name.toLowerCase()));
  return {
    'user-agent': 'Everpost',
    ...Object.fromEntries(given.map(([name, value]) => [name.toLowerCase(), value])),
    ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
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

/** Calls back, perhaps more than once, when the body has ended or is too long or too slow to read on. */
function dropBody(response: http.IncomingMessage, done: () => void): void {
  let length = 0;
  const timer = setTimeout(done, MAX_DROPPING_MS);
  const finish = (): void => {
    clearTimeout(timer);
    done();
  };
  response.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > MAX_DROPPED_BYTES) finish();
  });
  response.on('error', finish);
  response.on('close', finish);
}
