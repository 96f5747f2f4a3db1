import { setTimeout as sleep } from 'node:timers/promises';

export interface Patience {
  readonly timeoutMs?: number;
  readonly everyMs?: number;
}

/**
 * Calls until it returns something other than undefined, null or false without throwing, and answers with that. At the deadline
 * it throws the last error, or says what it waited for.
 */
export async function eventually<T>(
  attempt: () => T | Promise<T>,
  { timeoutMs = 15_000, everyMs = 50 }: Patience = {},
): Promise<Exclude<NonNullable<T>, false>> {
  const deadline = Date.now() + timeoutMs;
  let last: unknown = new Error(`nothing after ${timeoutMs} ms: ${attempt.toString()}`);
  while (Date.now() < deadline) {
    try {
      const value = await attempt();
      if (value !== undefined && value !== null && value !== false) return value as Exclude<NonNullable<T>, false>;
    } catch (error) {
      last = error;
    }
    await sleep(everyMs);
  }
  throw last;
}
