import { setTimeout as sleep } from 'node:timers/promises';
import { isDeadlock } from './errors.ts';

const TRIES = 4;
/** Those that met each other must not meet again at once. */
const LONGEST_PAUSE_MS = 50;

/** PostgreSQL ends one of the transactions that wait for each other; the others go on, and so can this one then. */
export async function tryingDeadlocksAgain<T>(run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await run();
    } catch (error) {
      if (tries === TRIES || !isDeadlock(error)) throw error;
      await sleep(Math.random() * LONGEST_PAUSE_MS);
    }
  }
}
