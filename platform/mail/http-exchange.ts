import http from 'node:http';
import https from 'node:https';
import { AnswerLimit } from '../answer-limit.ts';
import { unreadEnd } from './mail-octets.ts';
import { NOT_NOTED } from './stopped.ts';

export interface HttpRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | StreamedBody | LateBody;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  /** Asked when a connection is free: a request that is stopped then is not made. */
  readonly isStopped?: (() => boolean) | undefined;
  /** Called when a connection is free and nothing is written to it yet; false: nothing must be. */
  readonly submitting?: (() => boolean) | undefined;
}

/** A body that is read while it is written. */
export interface StreamedBody {
  readonly length: number;
  /** Throws UnreadPart before the last of them when they are not what they were to be. */
  octets(): AsyncIterable<Uint8Array>;
}

/** A body that is made up when a connection is free for it. */
export interface LateBody {
  /** undefined: there is nothing to be written any more, and the request is stopped. */
  take(): Uint8Array | undefined;
}

/** How one POST to a provider's API ended. Messages are public. */
export type HttpExchange =
  | { readonly end: 'answered'; readonly status: number; readonly headers: http.IncomingHttpHeaders; readonly body: string }
  /** mayHaveArrived: a connection stood when it failed, so the request may have been carried out. */
  | { readonly end: 'broken'; readonly mayHaveArrived: boolean; readonly message: string }
  /** A part of its body could not be read, and its end was not written: surely not carried out. */
  | { readonly end: 'unread'; readonly isGone: boolean; readonly message: string }
  /** It was stopped, and not made. */
  | { readonly end: 'stopped' };

export interface HttpPoster {
  post(request: HttpRequest): Promise<HttpExchange>;
  close(): void;
}

/** Above the length of any answer that a mail API documents, that about 500 mails included. */
const MAX_ANSWER = 4 * 1024 * 1024;
/** Below what load balancers keep idle connections for, so that they are rarely closed under a request. */
const IDLE_MS = 15_000;

/** POSTs over kept-open connections, telling trouble before the submission from trouble after it; fetch cannot. */
export function createHttpPoster(maxConnections: number): HttpPoster {
  const options = { keepAlive: true, maxSockets: maxConnections, timeout: IDLE_MS };
  const agents = { 'http:': new http.Agent(options), 'https:': new https.Agent(options) };
  return {
    post: (request) => post(request, request.url.protocol === 'https:' ? agents['https:'] : agents['http:']),
    close() {
      agents['http:'].destroy();
      agents['https:'].destroy();
    },
  };
}

function post({ url, headers, body, deadline, isStopped, submitting }: HttpRequest, agent: http.Agent): Promise<HttpExchange> {
  return new Promise((resolve) => {
    let mayHaveArrived = false;
    let isAnswered = false;
    const giveUp = (exchange: HttpExchange): void => {
      limit.clear();
      resolve(exchange);
      request.destroy();
    };
    const broken = (message: string): void => giveUp({ end: 'broken', mayHaveArrived, message });
    const client = url.protocol === 'https:' ? https : http;
    const isStreamed = typeof body === 'object' && 'octets' in body;
    const isLate = typeof body === 'object' && 'take' in body;
    const length = isLate ? {} : { 'content-length': isStreamed ? body.length : Buffer.byteLength(body) };
    const request = client.request(url, { method: 'POST', agent, headers: { ...headers, ...length } });
    const limit = new AnswerLimit(Math.max(deadline - Date.now(), 1), () => broken('the mail provider did not answer in time'));
    request.once('socket', (socket) => {
      if (isStopped?.()) return giveUp({ end: 'stopped' });
      if (Date.now() >= deadline) return broken('the mail provider did not answer in time');
      // The end of a request makes it one.
      if (isStreamed) {
        const ending = (): boolean => {
          if (submitting && !submitting()) {
            broken(NOT_NOTED);
            return false;
          }
          mayHaveArrived = true;
          return true;
        };
        const isOver = (): boolean => request.destroyed || isAnswered;
        void writeStreamed(request, body, { isOver, ending }).then((unread) => unread && giveUp(unread));
        return;
      }
      if (submitting && !submitting()) return broken(NOT_NOTED);
      if (isLate) {
        const taken = body.take();
        if (!taken) return giveUp({ end: 'stopped' });
        request.setHeader('content-length', taken.length);
        request.end(taken);
      }
      // A connection that another request has just left is connected, and is not said to be used again.
      mayHaveArrived = !socket.connecting;
      if (mayHaveArrived) return;
      const connected = (): void => {
        mayHaveArrived = true;
      };
      const event = url.protocol === 'https:' ? 'secureConnect' : 'connect';
      socket.once(event, connected);
      request.once('close', () => socket.off(event, connected));
    });
    request.on('error', (error: NodeJS.ErrnoException) =>
      broken(`the connection to the mail provider failed (${error.code ?? error.message})`),
    );
    request.on('response', (response) => {
      isAnswered = true;
      const chunks: Buffer[] = [];
      let length = 0;
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        length += chunk.length;
        if (length > MAX_ANSWER) broken('the answer of the mail provider is too long');
      });
      response.on('error', () => broken('the answer of the mail provider broke off'));
      response.on('end', () => {
        limit.clear();
        // Of a body that was answered before its end the rest is not written, so that its connection is of no more use.
        if (!request.writableEnded) request.destroy();
        resolve({
          end: 'answered',
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString('utf8'),
        });
      });
    });
    if (!isStreamed && !isLate) request.end(body);
  });
}

/** How far a request has come whose body is streamed. */
interface StreamedRequest {
  /** It has failed, or was answered already. */
  isOver(): boolean;
  /** All but the last octets are written; false: they must not be. */
  ending(): boolean;
}

/** undefined: all of it is written, or it is over. */
async function writeStreamed(
  request: http.ClientRequest,
  body: StreamedBody,
  { isOver, ending }: StreamedRequest,
): Promise<Extract<HttpExchange, { end: 'unread' }> | undefined> {
  const write = (octets: Uint8Array): Promise<boolean> => new Promise((resolve) => request.write(octets, (error) => resolve(!error)));
  let last: Uint8Array | undefined;
  try {
    for await (const octets of body.octets()) {
      if (isOver() || (last && !(await write(last)))) return undefined;
      last = octets;
    }
  } catch (error) {
    return unreadEnd(error);
  }
  if (!isOver() && ending()) request.end(last);
  return undefined;
}

/** The object that a JSON text holds; undefined when it is none. */
export function readObject(text: string): Readonly<Record<string, unknown>> | undefined {
  return asObject(readJson(text));
}

/** The array that a JSON text holds; undefined when it is none. */
export function readArray(text: string): readonly unknown[] | undefined {
  const value = readJson(text);
  return Array.isArray(value) ? value : undefined;
}

/** A value of JSON as an object; undefined when it is none. */
export function asObject(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
