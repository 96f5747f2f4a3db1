import type { Socket } from 'node:net';
import { Client, errors } from 'undici';
import type { AnswerAsItCame } from '../../domain/webhooks/shown-answer.ts';
import { AnswerLimit } from '../answer-limit.ts';
import { BodyBeginning } from './body-beginning.ts';
import { retryAfterSeconds } from './retry-after.ts';

/** An open connection, which serves one request at a time. */
export interface Connection {
  readonly client: Client;
  readonly socket: Socket;
  /** By the clock that was given. */
  readonly openedAt: number;
  /** What may have been read over the connection by the end of the answer. */
  readableBytes: number;
}

export interface Exchange {
  readonly url: URL;
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'GET';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Otherwise the server is told that this is the last request. */
  readonly mayBeKept: boolean;
  /** The answer's headers are held, and of its body so many bytes; undefined: nothing of both. */
  readonly answerBytes: number | undefined;
  /** For the answer's status; what is left of it also bounds the wait for the end of the body. */
  readonly timeoutMs: number;
  /** A clock in milliseconds. */
  readonly now: () => number;
}

export type Exchanged =
  | {
      readonly as: 'answered';
      readonly status: number;
      readonly retryAfterSeconds: number | undefined;
      readonly at: number;
      /** Nothing of the answer is still to come. */
      readonly isWhole: boolean;
      readonly content?: AnswerAsItCame | undefined;
    }
  /** No byte of the request was written. */
  | { readonly as: 'unsent' }
  | { readonly as: 'failed'; readonly message: string }
  | { readonly as: 'late'; readonly isSent: boolean };

/** How long a connection may be idle. Shorter than servers wait, so that few requests meet one that is just being closed. */
export const MAX_IDLE_MS = 2000;
/** A server that says `Keep-Alive: timeout=…` is believed, less this. */
const KEEP_ALIVE_MARGIN_MS = 1000;
/** Of all headers of an answer together, and of its trailers. */
const MAX_HEADER_BYTES = 16 * 1024;
/**
 * An answer is read to its end so that well-behaved servers see no broken connection, but not further than this, whatever it consists of:
 * status line, interim answers, headers, frames, body and trailers.
 */
const MAX_ANSWER_BYTES = 128 * 1024;
/** From the status to the end. */
const MAX_DROPPING_MS = 1000;
const TOO_LONG = 'ANSWER_TOO_LONG';
const NOT_HTTP = 'the answer is not HTTP as expected';

export function connectionOver(socket: Socket, { origin }: URL, openedAt: number): Connection {
  let isGiven = false;
  const client = new Client(origin, {
    // Once: it must never open a connection by itself, to wherever the name leads by then.
    connect: (_options, callback) => {
      const isFirst = !isGiven;
      isGiven = true;
      // Not before this function has returned: the client is not ready for it.
      queueMicrotask(() => (isFirst ? callback(null, socket) : callback(new Error('the connection is closed'), null)));
    },
    pipelining: 1,
    keepAliveTimeout: MAX_IDLE_MS,
    keepAliveMaxTimeout: MAX_IDLE_MS,
    keepAliveTimeoutThreshold: KEEP_ALIVE_MARGIN_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    // The one timer of an exchange covers both.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const connection: Connection = { client, socket, openedAt, readableBytes: 0 };
  // Not earlier: the client is the one that reads.
  client.once('connect', () =>
    socket.on('readable', () => {
      if (socket.bytesRead > connection.readableBytes) socket.destroy(Object.assign(new Error(), { code: TOO_LONG }));
    }),
  );
  return connection;
}

/** May be called for what is closed already. */
export function closeConnection({ client, socket }: Connection): void {
  socket.destroy();
  void client.destroy();
}

/** One request, written once at most. Never throws. A connection whose answer is not whole is closed. */
export async function exchange(connection: Connection, request: Exchange): Promise<Exchanged> {
  const exchanged = await sent(connection, request);
  if (exchanged.as !== 'answered' || !exchanged.isWhole) closeConnection(connection);
  return exchanged;
}

function sent(
  connection: Connection,
  { url, method, headers, body, mayBeKept, answerBytes, timeoutMs, now }: Exchange,
): Promise<Exchanged> {
  return new Promise((resolve) => {
    const until = now() + timeoutMs;
    let isSent = false;
    let answer: Extract<Exchanged, { as: 'answered' }> | undefined;
    const beginning = new BodyBeginning(answerBytes ?? 0);
    let answeredHeaders: AnswerAsItCame['headers'] = {};
    let limit = new AnswerLimit(timeoutMs, () => end({ as: 'late', isSent }));
    const end = (exchanged: Exchanged): void => {
      limit.clear();
      const hasContent = exchanged.as === 'answered' && answerBytes !== undefined;
      resolve(hasContent ? { ...exchanged, content: { headers: answeredHeaders, ...beginning.taken(exchanged.isWhole) } } : exchanged);
    };
    connection.readableBytes = connection.socket.bytesRead + MAX_ANSWER_BYTES;
    connection.client.dispatch(
      { path: url.pathname + url.search, method, headers, body: body ?? null, reset: !mayBeKept },
      {
        onRequestStart() {
          isSent = true;
        },
        onResponseStart(_controller, status, answered) {
          if (status < 200) return;
          const at = now();
          const begun = { as: 'answered', status, retryAfterSeconds: retryAfterSeconds(answered, Date.now()), at, isWhole: false } as const;
          answer = begun;
          answeredHeaders = answered;
          limit.clear();
          limit = new AnswerLimit(Math.max(0, Math.min(MAX_DROPPING_MS, until - at)), () => end(begun));
        },
        onResponseData(_controller, chunk) {
          beginning.add(chunk);
        },
        onResponseEnd() {
          if (answer) end({ ...answer, isWhole: true });
        },
        onResponseError(_controller, error) {
          end(answer ?? (isSent ? { as: 'failed', message: described(error) } : { as: 'unsent' }));
        },
      },
    );
  });
}

/** For the caller to read: without what the library tells of our side of the connection. */
function described(error: NodeJS.ErrnoException): string {
  const { code = error.name, message } = error;
  if (code === TOO_LONG) return `no status within the first ${MAX_ANSWER_BYTES / 1024} KB of the answer`;
  if (error instanceof errors.HeadersOverflowError) return `the answer has more than ${MAX_HEADER_BYTES / 1024} KB of headers`;
  if (error instanceof errors.HTTPParserError || error instanceof errors.ResponseContentLengthMismatchError) return NOT_HTTP;
  // The library has no other mark for an answer of a kind that was not asked for: 100, 101.
  if (error instanceof errors.SocketError) return message.startsWith('bad ') ? NOT_HTTP : 'the connection was closed without an answer';
  return `the connection failed (${code})`;
}
