import type { EntityManager } from '../db/orm.ts';
import { withdrawSend } from '../db/queries/send-intents.ts';
import { closeMany, type SendClosing } from '../db/queries/send-outcomes.ts';
import { recordingTogether, type UntilWritten } from '../platform/recording.ts';

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

export function createOutcomes(em: EntityManager, untilWritten: UntilWritten): Outcomes {
  return {
    record: recordingTogether((page) => closeMany(em, page), untilWritten, 2),
    withdraw: (sendId, openedAt) => untilWritten(() => withdrawSend(em, sendId, openedAt)),
  };
}
