import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseUnavailable } from '../db/errors.ts';
import type { EntityManager } from '../db/orm.ts';
import { withdrawSend } from '../db/queries/send-intents.ts';
import { closeMany, type SendClosing } from '../db/queries/send-outcomes.ts';
import type { Logger } from '../platform/logger.ts';
import { inPages } from '../platform/pages.ts';

/**
 * What became of mails that were handed over. It is known here alone until it is recorded, so whatever the database says it is tried until
 * the process ends.
 */
export interface Outcomes {
  /** Resolves when the outcome stands in the database. */
  record(closing: SendClosing): Promise<void>;
  /** Takes back an intent that surely reached nobody. */
  withdraw(sendId: string, openedAt: Date): Promise<void>;
}

const MOST = 500;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

/** Tries until it is written; `isWorthSplitting`: an error of a page may be one outcome's alone, and is then thrown unless the database is away. */
export type UntilWritten = (write: () => Promise<void>, isWorthSplitting?: boolean) => Promise<void>;

/** One line when the database goes away and one when all that waited is written, not one for each try. */
export function createUntilWritten(log: Logger): UntilWritten {
  let areWaiting = false;
  return async (write, isWorthSplitting = false) => {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(LONGEST_PAUSE_MS, pause * 2)) {
      try {
        await write();
        if (areWaiting) log.info('sends.outcomes_recorded');
        areWaiting = false;
        return;
      } catch (error) {
        if (isWorthSplitting && !isDatabaseUnavailable(error)) throw error;
        if (!areWaiting) log.warn('sends.outcomes_waiting', { error });
        areWaiting = true;
        await sleep(pause);
      }
    }
  };
}

/**
 * Writes what comes at the same time together, by so many statements at once; resolves when the one that was given stands in the database.
 */
export function recordingTogether<T>(
  write: (page: readonly T[]) => Promise<void>,
  untilWritten: UntilWritten,
  atOnce: number,
): (one: T) => Promise<void> {
  const close = async (page: readonly T[]): Promise<undefined[]> => {
    await untilWritten(() => write(page), page.length > 1);
    return page.map(() => undefined);
  };
  const closePage = inPages(close, { most: MOST, atOnce, mayBeOnesAlone: () => true });
  return async (one) => {
    await closePage([one]);
  };
}

export function createOutcomes(em: EntityManager, untilWritten: UntilWritten): Outcomes {
  return {
    record: recordingTogether((page) => closeMany(em, page), untilWritten, 2),
    withdraw: (sendId, openedAt) => untilWritten(() => withdrawSend(em, sendId, openedAt)),
  };
}
