import { setTimeout as sleep } from 'node:timers/promises';
import { badDataMessage, isDatabaseUnavailable } from '../db/errors.ts';
import { type BatchLimits, inKeyedBatches } from './batches.ts';
import type { Logger } from './logger.ts';
import { Outage } from './outage.ts';

const MOST = 500;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

/** Tries until it is written. */
export type UntilWritten = (write: () => Promise<void>) => Promise<void>;

/** `of`: whose outcomes these are, as the log names them. One line when the database goes away and one when all that waited is written, not one for each try. */
export function createUntilWritten(log: Logger, of: 'sends' | 'webhooks'): UntilWritten {
  const outage = new Outage();
  return async (write) => {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(LONGEST_PAUSE_MS, pause * 2)) {
      try {
        await write();
        if (outage.end(performance.now())) log.info(`${of}.outcomes_recorded`);
        return;
      } catch (error) {
        outage.refused(performance.now());
        if (outage.begin()) log.warn(`${of}.outcomes_waiting`, { reason: (error as Error).message });
        await sleep(pause);
      }
    }
  };
}

/** What is recorded together. */
export interface Together<T> extends Pick<BatchLimits, 'gathering'> {
  readonly write: (batch: readonly T[]) => Promise<void>;
  /** Whose it is: a row of one owner that is locked holds up no other's. */
  readonly ownerOf: (one: T) => string;
  /** Statements of one owner. */
  readonly atOnce: number;
}

/**
 * Writes what comes at the same time and is of one owner together; resolves when the one that was given stands in the database. What may be the
 * fault of one is tried by itself, and then again with whatever comes next.
 */
export function recordingTogether<T>({ write, ownerOf, ...limits }: Together<T>, untilWritten: UntilWritten): (one: T) => Promise<void> {
  const writeBatch = async (batch: readonly T[]): Promise<undefined[]> => {
    await write(batch);
    return batch.map(() => undefined);
  };
  const writeTogether = inKeyedBatches(writeBatch, ownerOf, {
    most: MOST,
    ...limits,
    mayBeOnesAlone: (error) => !isDatabaseUnavailable(error),
    isOnesOwn: (error) => badDataMessage(error) !== undefined,
  });
  return (one) => untilWritten(() => writeTogether(one));
}
