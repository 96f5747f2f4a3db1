/** How a client calls, and whom. */
export interface ClientOptions {
  /** A key of the project, `ep_live_…` or `ep_test_…`; the environment variable EVERPOST_API_KEY when omitted. */
  readonly apiKey?: string;
  /** Where Everpost is; the environment variable EVERPOST_URL when omitted, else http://127.0.0.1:3000, the address of `npm start`. */
  readonly url?: string;
  /** How often a call that fails is tried again, where that is safe: 3 when omitted. With 0 it is tried once, whatever the answer. */
  readonly maxRetries?: number;
  /**
   * How long a call waits in all for the rate limit, as `Retry-After` of 429 asks, before it throws: 60,000 when omitted, 0 for not at all,
   * Infinity for no limit. These tries do not count as `maxRetries`.
   */
  readonly rateLimitWaitMs?: number;
  /** How long each try may take: 60,000 when omitted, Infinity for no limit. Of a streamed answer until it begins. */
  readonly timeoutMs?: number;
  /** Beside those of the client, with every call. */
  readonly headers?: Readonly<Record<string, string>>;
  /** In place of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
}

/** Of one call. */
export interface CallOptions {
  /** Ends the call, its pauses between tries included. */
  readonly signal?: AbortSignal;
  /** In place of the client's. */
  readonly timeoutMs?: number;
  /** In place of the client's. */
  readonly maxRetries?: number;
  /** In place of the client's. */
  readonly rateLimitWaitMs?: number;
  /** Beside the client's; one of the same name counts. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Of one call of an operation that takes an idempotency key. */
export interface KeyedCallOptions extends CallOptions {
  /** The same key with the same payload does its work once. Made by the client when omitted. */
  readonly idempotencyKey?: string;
}

/** What is not said by the caller comes from the environment, where there is one. */
export function fromEnvironment(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Readonly<Record<string, string | undefined>> } };
  return process?.env?.[name] || undefined;
}
