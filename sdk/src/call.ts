import { callError, type EverpostError } from './errors.js';
import { type OperationName, VERSION } from './generated/operations.js';
import { type ClientOptions, fromEnvironment, type KeyedCallOptions } from './options.js';

/** An operation as the table of operations has it. */
export interface Operation {
  readonly name: OperationName;
  readonly method: string;
  /** With `{names}` for parameters. */
  readonly path: string;
  /** What the body is sent as. */
  readonly body: 'json' | 'form' | 'text' | undefined;
  /** The names that its query may have. */
  readonly query: readonly string[];
  readonly takesKey: boolean;
  /** A second call changes nothing more. */
  readonly isRepeatable: boolean;
  /** The answer is given on as it comes. */
  readonly isRaw: boolean;
  /** The answer has `ok`, without which it is somebody else's. */
  readonly saysOk: boolean;
  readonly isPublic: boolean;
}

/** What one call says. */
export interface Call {
  readonly path: readonly (string | number)[];
  readonly body?: unknown;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly options?: KeyedCallOptions | undefined;
}

const DEFAULT_URL = 'http://127.0.0.1:3000';
const API_PATH = '/api/v1';
const IDEMPOTENCY_KEY = 'idempotency-key';
const MOST_KEY_LENGTH = 200;
const DEFAULT_TIMEOUT_MS = 60_000;
const DEFAULT_RETRIES = 3;
const DEFAULT_RATE_LIMIT_WAIT_MS = 60_000;
/** After what is no rate limit: whoever is asked to wait longer than this is told so instead. */
const MOST_WAIT_SECONDS = 60;
const FIRST_PAUSE_MS = 500;
const MOST_PAUSE_MS = 8_000;
/** A timer takes more for 1 ms. */
const MOST_TIMER_MS = 2 ** 31 - 1;

/** Calls operations: makes the request, tries again where that is safe, and makes errors of what is refused. */
export function caller(client: ClientOptions): (operation: Operation, call: Call) => Promise<unknown> {
  const base =
    addressOf(client.url)
      .replace(/\/+$/, '')
      .replace(/\/api\/v1$/, '') + API_PATH;
  const apiKey = keyOf(client.apiKey ?? fromEnvironment('EVERPOST_API_KEY'));
  if (keyIn(client.headers) !== undefined)
    throw new TypeError(`headers: ${IDEMPOTENCY_KEY} would be one key for all calls, which are different ones: give each call its own`);
  const usualTimeoutMs = timeoutOf(client.timeoutMs ?? DEFAULT_TIMEOUT_MS);
  const usualRetries = retriesOf(client.maxRetries ?? DEFAULT_RETRIES);
  const usualWaitMs = rateLimitWaitOf(client.rateLimitWaitMs ?? DEFAULT_RATE_LIMIT_WAIT_MS);

  return async (operation, call) => {
    const { options = {} } = call;
    const request = requestOf(operation, call, base, [authorization(operation, apiKey), client.headers, options.headers]);
    // Under a key the server repeats its first answer, and looks at no version again.
    const isSafe = operation.takesKey || (operation.isRepeatable && !namesVersion(call));
    const most = retriesOf(options.maxRetries ?? usualRetries);
    const timeoutMs = timeoutOf(options.timeoutMs ?? usualTimeoutMs);
    let waitMs = rateLimitWaitOf(options.rateLimitWaitMs ?? usualWaitMs);
    let failures = 0;
    for (let tried = 0; ; tried++) {
      const outcome = await attempt(operation, request, client.fetch ?? globalThis.fetch, timeoutMs, options.signal);
      if (!('error' in outcome)) return outcome.answer;
      const { error } = outcome;
      const asked = error.retryAfterSeconds;
      // A little more than was asked for, so that not all come back at once who were told the same. A server that asks for no pause gets the
      // usual one: all tries at once would only add to what it suffers from.
      let ms = asked ? asked * 1000 + stepMs(tried) * Math.random() : stepMs(failures) * (0.75 + Math.random() / 2);
      if (asked && error.status === 429 && most > 0) {
        if (asked * 1000 > waitMs) throw error;
        ms = Math.min(ms, waitMs);
        waitMs -= ms;
      } else if (failures++ >= most || !isWorthAnother(error, isSafe) || (asked ?? 0) > MOST_WAIT_SECONDS) throw error;
      await pause(ms, operation, options.signal);
    }
  };
}

/** Throws a TypeError for what is no number of tries. */
function retriesOf(maxRetries: number): number {
  if (maxRetries >= 0) return maxRetries;
  throw new TypeError(`maxRetries is ${maxRetries}: give 0 or more, or Infinity for no limit`);
}

/** At most what a timer takes; Infinity stays, and means none. Throws a TypeError for what is no time. */
function timeoutOf(timeoutMs: number): number {
  if (timeoutMs > 0) return timeoutMs === Infinity ? timeoutMs : Math.min(timeoutMs, MOST_TIMER_MS);
  throw new TypeError(`timeoutMs is ${timeoutMs}: give milliseconds above 0, or Infinity for no limit`);
}

/** Throws a TypeError for what is no time, as a wait for rate limits has it. */
function rateLimitWaitOf(rateLimitWaitMs: number): number {
  if (rateLimitWaitMs >= 0) return rateLimitWaitMs;
  throw new TypeError(`rateLimitWaitMs is ${rateLimitWaitMs}: give milliseconds, 0 to wait for none, or Infinity for no limit`);
}

interface Request {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: string | FormData | undefined;
}

type GivenHeaders = Readonly<Record<string, string>> | undefined;

function authorization({ name, isPublic }: Operation, apiKey: string | undefined): GivenHeaders {
  if (apiKey === undefined && !isPublic)
    throw new TypeError(`${name} needs an API key: new Everpost({ apiKey }), or the environment variable EVERPOST_API_KEY`);
  return apiKey === undefined || isPublic ? {} : { authorization: `Bearer ${apiKey}` };
}

/** Where Everpost is. Throws a TypeError that says where it is set wrong, without a password. */
function addressOf(given: string | undefined): string {
  const address = (given ?? fromEnvironment('EVERPOST_URL') ?? DEFAULT_URL).trim();
  const name = given === undefined ? 'EVERPOST_URL' : 'url';
  const shown = address.replace(/^([a-z]+:\/\/)?.*@/i, '$1…@');
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address))
    throw new TypeError(
      given === undefined
        ? `${name} is ${JSON.stringify(shown)}: set it to a whole address, as https://mail.example.com`
        : `${name} is ${JSON.stringify(shown)}: give a whole address, as new Everpost({ url: 'https://mail.example.com' }), or none for EVERPOST_URL`,
    );
  const { username, password } = new URL(address);
  if (username || password)
    throw new TypeError(`${name} is ${JSON.stringify(shown)}: leave out what stands before the @; a call has its API key alone`);
  return address;
}

/** Trimmed, since one that is read from a file ends with a line break. `Headers` would refuse others with the key in its words. */
function keyOf(given: string | undefined): string | undefined {
  const key = given?.trim();
  if (key !== undefined && !/^[!-~]*$/.test(key))
    throw new TypeError('the API key has characters that no key has, as a space or an ellipsis: copy it once more, whole');
  return key || undefined;
}

function requestOf(operation: Operation, { path, body, query, options = {} }: Call, base: string, given: readonly GivenHeaders[]): Request {
  const key = givenKey(operation, options) ?? (operation.takesKey && !hasOwnKey(operation, body) ? newKey() : undefined);
  const all = new Headers({ 'user-agent': `everpost-client/${VERSION}` });
  for (const headers of given) for (const [name, value] of Object.entries(headers ?? {})) all.set(name, value);
  if (key !== undefined) all.set(IDEMPOTENCY_KEY, key);
  const sent =
    operation.body === 'json' ? jsonOf(body ?? {}) : operation.body === 'form' ? formOf(body as object) : (body as string | undefined);
  if (operation.body === 'json') all.set('content-type', 'application/json');
  if (operation.body === 'text') all.set('content-type', 'message/rfc822');
  return {
    url: base + pathOf(operation, path) + queryOf(operation, query),
    method: operation.method,
    headers: all,
    body: operation.body && sent,
  };
}

/** The key that the caller has given beside the body. Throws a TypeError for one that the API would refuse, and where there is to be none. */
function givenKey({ name, takesKey }: Operation, { idempotencyKey, headers }: KeyedCallOptions): string | undefined {
  const key = idempotencyKey ?? keyIn(headers);
  if (key === undefined) return undefined;
  if (!takesKey) throw new TypeError(`${name} takes no idempotency key: leave it out; it would keep nothing from being done twice`);
  if (!/^[!-~]+$/.test(key) || key.length > MOST_KEY_LENGTH)
    throw new TypeError(
      `${name}: an idempotency key has 1 to ${MOST_KEY_LENGTH} visible ASCII characters, and no space: give the id of what the call is about`,
    );
  return key;
}

function keyIn(headers: GivenHeaders): string | undefined {
  return Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === IDEMPOTENCY_KEY)?.[1];
}

/** Emails may say their key themselves, which is the caller's then. */
function hasOwnKey({ name }: Operation, body: unknown): boolean {
  return (name === 'send' || name === 'sendBatch') && Boolean((body as { idempotencyKey?: unknown } | undefined)?.idempotencyKey);
}

/** One that was done is refused when it comes again: its version is another by then. */
function namesVersion({ body, query }: Call): boolean {
  return [body, query].some((part) => (part as { ifVersion?: unknown } | undefined)?.ifVersion !== undefined);
}

function newKey(): string {
  return globalThis.crypto.randomUUID();
}

function pathOf({ name, path }: Operation, values: readonly (string | number)[]): string {
  let at = 0;
  return path.replace(/\{(\w+)\}/g, (_, parameter: string) => {
    const value = values[at++];
    // An empty one would be another operation, and so would what a URL takes for a step up.
    if (value === undefined || value === null || value === '') throw new TypeError(`${name}: ${parameter} is missing`);
    if (value === '.' || value === '..') throw new TypeError(`${name}: ${parameter} cannot be ${JSON.stringify(value)}`);
    return encodeURIComponent(value);
  });
}

/** Of these JSON makes `{}`, whatever is in them. */
const WITHOUT_JSON = /^\[object ((?:Weak)?(?:Map|Set)|Promise)\]$/;

/**
 * As JSON. Throws a TypeError, with where it stands, for what JSON would make something else of: null of a number or a date that is none, so
 * that an email went at once, and nothing of a Map.
 */
function jsonOf(given: unknown, within = ''): string {
  const paths = new Map<unknown, string>();
  return JSON.stringify(given, function (this: Readonly<Record<string, unknown>>, name: string, value: unknown) {
    const above = paths.get(this) ?? within;
    const path = above && name ? `${above}.${name}` : above || name;
    const own = this[name];
    if (own instanceof Date) instantOf(path, own);
    if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError(`${path} is ${value}: give a finite number, or null`);
    if (typeof value === 'bigint') throw new TypeError(`${path} is a BigInt: give a number or a text`);
    const [, kind] = WITHOUT_JSON.exec(Object.prototype.toString.call(value)) ?? [];
    if (kind)
      throw new TypeError(
        `${path} is a ${kind}, which JSON has no form for: give ${kind === 'Promise' ? 'what it resolves to' : 'an object or a list'}`,
      );
    if (typeof value === 'object') paths.set(value, path);
    return value;
  });
}

/** Throws a TypeError for a date that is none. */
function instantOf(name: string, date: Date): string {
  if (Number.isNaN(date.getTime())) throw new TypeError(`${name} is an invalid Date: give one that is an instant`);
  return date.toISOString();
}

/** Throws a TypeError for a name that the operation does not know: the server would leave it out, and find more than was asked for. */
function queryOf({ name: called, query: names }: Operation, query: Call['query']): string {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== null);
  const unknown = given.find(([name]) => !names.includes(name));
  if (unknown)
    throw new TypeError(`${called}: its query has no ${unknown[0]}: it takes ${names.join(', ')}; options of the call come after it`);
  return given.length === 0
    ? ''
    : `?${new URLSearchParams(given.map(([name, value]) => [name, value instanceof Date ? instantOf(name, value) : String(value)]))}`;
}

/** Files last: who reads the form as it comes knows by then how to read them. */
function formOf(fields: object): FormData {
  const form = new FormData();
  const given = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  for (const [name, value] of given)
    if (!(value instanceof Blob)) form.append(name, typeof value === 'string' ? value : jsonOf(value, name));
  for (const [name, value] of given) if (value instanceof Blob) form.append(name, value, value instanceof File ? value.name : name);
  return form;
}

type Failed = { readonly error: EverpostError };
type Outcome = { readonly answer: unknown } | Failed;

async function attempt(
  operation: Operation,
  { url, ...request }: Request,
  fetch: typeof globalThis.fetch,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<Outcome> {
  const failed = (code: string, message: string, more: object = {}): Failed => ({
    error: callError({ operation: operation.name, code, message, ...more }),
  });
  const control = new AbortController();
  let isLate = false;
  const late = () => {
    isLate = true;
    control.abort();
  };
  const timer = timeoutMs === Infinity ? undefined : setTimeout(late, timeoutMs);
  const end = () => control.abort(signal?.reason);
  if (signal?.aborted) end();
  signal?.addEventListener('abort', end);
  const leave = () => signal?.removeEventListener('abort', end);
  let isStreamed = false;
  const aborted = () => failed('aborted', `${operation.name} was aborted`, { cause: signal?.reason });
  try {
    const { body, ...rest } = request;
    const response = await fetch(url, { ...rest, redirect: 'manual', signal: control.signal, ...(body === undefined ? {} : { body }) });
    if (response.ok && operation.isRaw) {
      isStreamed = response.body !== null;
      const broken = (cause: unknown) =>
        signal?.aborted
          ? aborted()
          : failed('connection_failed', `${operation.name}: the connection broke before the end of the answer from ${url}`, { cause });
      return { answer: withEnd(response, leave, (cause) => broken(cause).error) };
    }
    return await answerOf(response, operation, failed);
  } catch (cause) {
    if (signal?.aborted) return aborted();
    if (isLate) return failed('timed_out', `${operation.name}: no answer within ${timeoutMs} ms from ${url}`, { cause });
    return failed(
      'connection_failed',
      `${operation.name}: no answer from ${url}: is Everpost running there? EVERPOST_URL, or the option url, says where it is`,
      { cause },
    );
  } finally {
    clearTimeout(timer);
    // The caller may still end a stream that it reads.
    if (!isStreamed) leave();
  }
}

/** The answer, whose stream says when it is over, also by being cancelled, and breaks off with an error of the client's. */
function withEnd(response: Response, leave: () => void, brokenBy: (cause: unknown) => EverpostError): Response {
  const { body, url } = response;
  if (body === null) return response;
  // Made when it is read: an answer that nobody reads is let go of by the runtime as long as it is not locked.
  let reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>> | undefined;
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(control) {
        reader ??= body.getReader();
        try {
          const { done, value } = await reader.read();
          if (!done) return control.enqueue(value);
          control.close();
        } catch (cause) {
          control.error(brokenBy(cause));
        }
        leave();
      },
      cancel(reason) {
        leave();
        return (reader ?? body).cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return Object.defineProperty(new Response(stream, response), 'url', { value: url });
}

async function answerOf(
  response: Response,
  { saysOk }: Operation,
  failed: (code: string, message: string, more: object) => Outcome,
): Promise<Outcome> {
  const { status, headers } = response;
  const text = await response.text();
  const body = parsed(text) as { readonly ok?: unknown; readonly code?: unknown } | undefined;
  if (response.ok && body !== undefined && (body.ok === true || !saysOk)) return { answer: body };
  const facts = {
    status,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfterSeconds: secondsOf(headers.get('retry-after')),
  };
  if (response.ok || typeof body?.code !== 'string')
    return failed('unexpected_answer', `${status} with an answer that is not Everpost's: ${text.slice(0, 200)}`, facts);
  const { ok: _, error, code, ...fields } = body as Record<string, unknown> & { readonly code: string };
  return failed(code, String(error), { ...facts, fields });
}

/** Of `Retry-After` (RFC 9110, 10.2.3): seconds, or a date, which is rounded up so that no try comes before it. */
function secondsOf(retryAfter: string | null): number | undefined {
  if (retryAfter === null || retryAfter === '') return undefined;
  if (/^\d+(\.\d+)?$/.test(retryAfter)) return Number(retryAfter);
  const at = Date.parse(retryAfter);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1000));
}

function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** 429 and what is in progress was not carried out; after everything else it may have been, so that only what is safe goes again. */
function isWorthAnother({ code, status }: EverpostError, isSafe: boolean): boolean {
  if (code === 'aborted') return false;
  if (status === 429 || code === 'idempotency_in_progress') return true;
  return isSafe && (status === undefined || status === 408 || status >= 500);
}

/** Half a second, one, two …: from which a pause is drawn. */
function stepMs(tried: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** tried, MOST_PAUSE_MS);
}

async function pause(ms: number, { name }: Operation, signal: AbortSignal | undefined): Promise<void> {
  const isAborted = await new Promise<boolean>((resolve) => {
    const stop = () => {
      clearTimeout(timer);
      resolve(true);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', stop);
        resolve(false);
      },
      Math.min(ms, MOST_TIMER_MS),
    );
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
  if (isAborted) throw callError({ operation: name, code: 'aborted', message: `${name} was aborted`, cause: signal?.reason });
}
