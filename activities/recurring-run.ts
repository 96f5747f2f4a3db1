import { Context } from '@temporalio/activity';
import type { MikroORM } from '../db/orm.ts';
import { type RunDeps, runRecurring } from '../usecases/campaigns/run-recurring.ts';
import type { RecurringRunInput, RecurringRunReport } from '../workflows/contracts.ts';

const HEARTBEAT_MS = 2_000;

/** What the workflow of a recurring campaign's run may ask for. */
export function createRecurringRunActivities({ orm, ...deps }: RunDeps & { readonly orm: MikroORM }) {
  return {
    /** Each instant has one outcome: done again after a crash, or asked for by somebody else, it makes nothing twice. Its heartbeats tell that the process lives. */
    async makeDueCampaign({ recurringId }: RecurringRunInput): Promise<RecurringRunReport> {
      const context = Context.current();
      const timer = setInterval(() => context.heartbeat(), HEARTBEAT_MS);
      try {
        return await runRecurring(orm.em.fork(), deps, recurringId);
      } finally {
        clearInterval(timer);
      }
    },
  };
}

export type RecurringRunActivities = ReturnType<typeof createRecurringRunActivities>;
