import { setTimeout as sleep } from 'node:timers/promises';

export interface Patience {
  readonly timeoutMs?: number;
  /** By default 50, and less often the longer it takes: each look takes time of all processes that it asks. */
  readonly everyMs?: number;
}

const FIRST_MS = 50;
const LAST_MS = 200;
/** Of the time so far. */
const PART_OF_WAIT = 1 / 40;

/**
 * Calls until it returns something other than undefined, null or false without throwing, and answers with that. At the deadline
 * it throws the last error, or says what it waited for.
 */
export async function eventually<T>(
  attempt: () => T | Promise<T>,
  { timeoutMs = 30_000, everyMs }: Patience = {},
): Promise<Exclude<NonNullable<T>, false>> {
  const begun = Date.now();
  const deadline = begun + timeoutMs;
  let last: unknown = new Error(`nothing after ${timeoutMs} ms: ${attempt.toString()}`);
  while (Date.now() < deadline) {
    try {
      const value = await attempt();
      if (value !== undefined && value !== null && value !== false) return value as Exclude<NonNullable<T>, false>;
    } catch (error) {
      last = error;
    }
    await sleep(everyMs ?? Math.min(LAST_MS, Math.max(FIRST_MS, (Date.now() - begun) * PART_OF_WAIT)));
  }
  throw last;
}
