import type { AnswerAsItCame } from '../../domain/webhooks/shown-answer.ts';
import { createCheckedConnections, type NotOpened } from './checked-connections.ts';
import { type Connection, type Exchange, type Exchanged, exchange } from './exchange.ts';
import { createKeptConnections } from './kept-connections.ts';
import { requestHeaders } from './request-headers.ts';
import { nameServerResolve, type Resolve, resolveAnyName } from './resolve.ts';
import { type AddressRules, checkUrlForm } from './url-form.ts';

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
  /** The answer's headers come with it, and so many bytes of its body; nothing of both when omitted. */
  readonly answerBytes?: number | undefined;
}

/** Why no answer came: the address may not be called, or it could not be found, reached, trusted, or waited for. */
export type RefusedBy = 'address' | 'dns' | 'timeout' | 'tls' | 'network';

/** Messages are public: they name no address that the caller did not write. */
export type SafeAnswer = { /** From the call to the status, or to the failure. */ readonly milliseconds: number } & (
  | {
      readonly ok: true;
      readonly status: number;
      readonly retryAfterSeconds: number | undefined;
      /** Where `answerBytes` asked for it. */
      readonly content?: AnswerAsItCame | undefined;
    }
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
   * Never throws. Any status is an answer; redirects are not followed, and of an answer's body no more is held than `answerBytes`.
   * At most one request is written: what was written over a connection that then failed is not repeated.
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

type Answered = Extract<Exchanged, { as: 'answered' }>;
/** undefined: not in time, before anything was sent. */
type NotAnswered = Exclude<Exchanged, Answered> | NotOpened | undefined;

/**
 * HTTP to addresses that callers name: docs/contract/webhooks.md 5. A connection is used again for the same origin only, and for half a minute
 * at most, so a name that leads elsewhere is checked again. Proxies of the environment are not used.
 */
export function createSafeHttp({
  allowPrivate,
  resolve = allowPrivate ? resolveAnyName : nameServerResolve(),
  ca,
  now = () => performance.now(),
}: SafeHttpOptions): SafeHttp {
  const connections = createCheckedConnections({ allowPrivate, resolve, ca, now });
  const kept = createKeptConnections(now);

  const send = async (key: string | undefined, request: Omit<Exchange, 'timeoutMs'>, until: number): Promise<Answered | NotAnswered> => {
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
    const opened = await connections.open(request.url, until - now());
    return opened && 'client' in opened ? over(opened) : opened;
  };

  return {
    async request({ url: text, method, headers: given, body, timeoutSeconds, keepFor, answerBytes }) {
      const start = now();
      const failed = (failure: Failure): SafeAnswer => ({ ok: false, ...failure, milliseconds: Math.round(now() - start) });
      const problem = checkUrlForm(text, { allowPrivate });
      if (problem !== undefined) return failed(notSent('address', problem));
      const headers = requestHeaders(given);
      if (!headers) return failed(notSent('network', 'the request has a header that cannot be sent'));
      const url = new URL(text);
      const key = keepFor === undefined ? undefined : `${url.origin} ${keepFor}`;
      const request = { url, method, headers, body, mayBeKept: key !== undefined, answerBytes, now };
      const sent = await send(key, request, start + timeoutSeconds * 1000);
      if (!isAnswered(sent)) return failed(failureOf(sent, timeoutSeconds));
      const { status, retryAfterSeconds, content } = sent;
      return { ok: true, status, retryAfterSeconds, content, milliseconds: Math.round(sent.at - start) };
    },
    close() {
      connections.close();
      kept.close();
    },
  };
}

function isAnswered(sent: Answered | NotAnswered): sent is Answered {
  return sent !== undefined && 'as' in sent && sent.as === 'answered';
}

/** What a caller is told of a request that was not answered, of which the receiver may have had a part. */
function failureOf(sent: NotAnswered, timeoutSeconds: number): Failure {
  const late = (mayHaveArrived: boolean): Failure => ({
    refused: 'timeout',
    message: `no answer within ${timeoutSeconds} seconds`,
    mayHaveArrived,
  });
  if (!sent) return late(false);
  if ('refused' in sent) return notSent(sent.refused, sent.message);
  switch (sent.as) {
    case 'late':
      return late(sent.isSent);
    case 'unsent':
      return notSent('network', 'the connection was closed without an answer');
    case 'failed':
      return { refused: 'network', message: sent.message, mayHaveArrived: true };
    default:
      return sent satisfies never;
  }
}

function notSent(refused: RefusedBy, message: string): Failure {
  return { refused, message, mayHaveArrived: false };
}
