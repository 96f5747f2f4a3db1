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

export function createOutcomes(em: EntityManager, log: Logger): Outcomes {
  let areWaiting = false;
  /** `isWorthSplitting`: an error of a page may be one outcome's alone; alone it is tried like the others. */
  const untilWritten = async (write: () => Promise<void>, isWorthSplitting = false): Promise<void> => {
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
  const close = async (page: readonly SendClosing[]): Promise<undefined[]> => {
    await untilWritten(() => closeMany(em, page), page.length > 1);
    return page.map(() => undefined);
  };
  const closePage = inPages(close, { most: MOST, atOnce: 2, mayBeOnesAlone: () => true });
  return {
    async record(closing) {
      await closePage([closing]);
    },
    withdraw: (sendId, openedAt) => untilWritten(() => withdrawSend(em, sendId, openedAt)),
  };
}
