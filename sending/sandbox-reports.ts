import type { Logger } from '../platform/logger.ts';

/** Applies a kept report, once, however many do so at the same time. */
export type ApplyReport = (eventId: string) => Promise<unknown>;

/** Reports of mails that have not left, which stand in the database with the outcomes. */
export interface SandboxReports {
  /** Applies these at once, one after the other. Those that come while many wait are left to the sweeper of all reports, and so is what fails. */
  applySoon(eventIds: readonly string[]): void;
  /** Resolves when what has begun has ended; nothing further begins. */
  close(): Promise<void>;
}

/** More than a test waits for. Whoever sends so many at once has no eye on each. */
const MOST_WAITING = 200;

export function createSandboxReports(apply: ApplyReport, log: Pick<Logger, 'debug'>): SandboxReports {
  const waiting: string[] = [];
  let applying: Promise<void> | undefined;
  const applyAll = async (): Promise<void> => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift())
      await apply(id).catch((error: unknown) => log.debug('sandbox.report_left', { id, error }));
    applying = undefined;
  };
  return {
    applySoon(eventIds) {
      waiting.push(...eventIds.slice(0, Math.max(0, MOST_WAITING - waiting.length)));
      if (waiting.length > 0) applying ??= applyAll();
    },
    async close() {
      waiting.length = 0;
      await applying;
    },
  };
}
