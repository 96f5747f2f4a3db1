import type { EntityManager } from '../db/orm.ts';
import { withdrawSend } from '../db/queries/sends/send-intents.ts';
import type { SendClosing } from '../db/queries/sends/send-outcomes.ts';
import { recordingTogether, type UntilWritten } from '../platform/recording.ts';
import type { SubmissionJournal } from './journal/submission-journal.ts';
import type { SandboxReports } from './sandbox-reports.ts';
import { type ReportBounce, writeSendOutcomes } from './write-outcomes.ts';

/**
 * What became of mails that were submitted. It is known here alone until it is recorded, so whatever the database says it is tried until
 * the process ends.
 */
export interface Outcomes {
  /** Resolves when the outcome stands in the database. */
  record(closing: ProjectClosing): Promise<void>;
  /** Takes back an intent of this process that surely reached nobody. `openedAt` null: the answer to its opening was lost. */
  withdraw(sendId: string, openedAt: Date | null): Promise<void>;
  /** Leaves an intent that may have been submitted, and goes again under its key. */
  leave(sendId: string): void;
}

/** With the project whose send it is. */
export interface ProjectClosing extends SendClosing {
  readonly projectId: string;
}

export function createOutcomes(
  em: EntityManager,
  untilWritten: UntilWritten,
  journal: Pick<SubmissionJournal, 'id' | 'recorded'>,
  reportBounce: ReportBounce,
  reports: Pick<SandboxReports, 'applySoon'>,
): Outcomes {
  const record = recordingTogether<ProjectClosing>(
    {
      write: async (batch) => reports.applySoon(await writeSendOutcomes(em, batch, reportBounce)),
      ownerOf: ({ projectId }) => projectId,
      atOnce: 2,
    },
    untilWritten,
  );
  return {
    async record(closing) {
      await record(closing);
      journal.recorded(closing.id);
    },
    // The row stands; whoever asks for it again finds what the journal says of it.
    leave: () => undefined,
    withdraw: (sendId, openedAt) => untilWritten(() => withdrawSend(em, sendId, openedAt ? { at: openedAt } : { journal: journal.id })),
  };
}
