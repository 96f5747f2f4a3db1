import { setTimeout as sleep } from 'node:timers/promises';

export interface Patience {
  /** Of time in which this machine ran. */
  readonly timeoutMs?: number;
  /** By default 50, and less often the longer it takes: each look takes time of all processes that it asks. */
  readonly everyMs?: number;
}

const FIRST_MS = 50;
const LAST_MS = 200;
/** Of the time so far. */
const PART_OF_WAIT = 1 / 40;
/** A look that took longer stood still with the machine, and so did whom it asked: it counts as so much. */
const LONGEST_LOOK_MS = 5_000;

/**
 * Calls until it returns something other than undefined, null or false without throwing, and answers with that. When the time is
 * over it throws the last error, or says what it waited for.
 */
export async function eventually<T>(
  attempt: () => T | Promise<T>,
  { timeoutMs = 30_000, everyMs }: Patience = {},
): Promise<Exclude<NonNullable<T>, false>> {
  let waitedMs = 0;
  let last: unknown = new Error(`nothing after ${timeoutMs} ms: ${attempt.toString()}`);
  while (waitedMs < timeoutMs) {
    const begun = Date.now();
    try {
      const value = await attempt();
      if (value !== undefined && value !== null && value !== false) return value as Exclude<NonNullable<T>, false>;
    } catch (error) {
      last = error;
    }
    await sleep(everyMs ?? Math.min(LAST_MS, Math.max(FIRST_MS, waitedMs * PART_OF_WAIT)));
    waitedMs += Math.min(LONGEST_LOOK_MS, Date.now() - begun);
  }
  throw last;
}
