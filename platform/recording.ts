import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseUnavailable } from '../db/errors.ts';
import { inBatches } from './batches.ts';
import type { Logger } from './logger.ts';
import { Outage } from './outage.ts';

const MOST = 500;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

/** Tries until it is written; `isWorthSplitting`: an error of a batch may be one outcome's alone, and is then thrown unless the database is away. */
export type UntilWritten = (write: () => Promise<void>, isWorthSplitting?: boolean) => Promise<void>;

/** `of`: whose outcomes these are, as the log names them. One line when the database goes away and one when all that waited is written, not one for each try. */
export function createUntilWritten(log: Logger, of: 'sends' | 'webhooks'): UntilWritten {
  const outage = new Outage();
  return async (write, isWorthSplitting = false) => {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(LONGEST_PAUSE_MS, pause * 2)) {
      try {
        await write();
        if (outage.end(performance.now())) log.info(`${of}.outcomes_recorded`);
        return;
      } catch (error) {
        if (isWorthSplitting && !isDatabaseUnavailable(error)) throw error;
        outage.refused(performance.now());
        if (outage.begin()) log.warn(`${of}.outcomes_waiting`, { reason: (error as Error).message });
        await sleep(pause);
      }
    }
  };
}

/**
 * Writes what comes at the same time together, by so many statements at once; resolves when the one that was given stands in the database.
 */
export function recordingTogether<T>(
  write: (batch: readonly T[]) => Promise<void>,
  untilWritten: UntilWritten,
  atOnce: number,
): (one: T) => Promise<void> {
  const close = async (batch: readonly T[]): Promise<undefined[]> => {
    await untilWritten(() => write(batch), batch.length > 1);
    return batch.map(() => undefined);
  };
  // All at once: each is tried until it is written, so none may wait for another.
  const closeBatch = inBatches(close, { most: MOST, atOnce, mayBeOnesAlone: () => true, aloneAtOnce: MOST });
  return async (one) => {
    await closeBatch([one]);
  };
}
