import type { MikroORM } from '../db/orm.ts';
import { type RunDeps, runRecurring } from '../usecases/campaigns/run-recurring.ts';
import type { RecurringRunInput, RecurringRunReport } from '../workflows/contracts.ts';
import { withHeartbeats } from './heartbeats.ts';

/** What the workflow of a recurring campaign's run may ask for. */
export function createRecurringRunActivities({ orm, ...deps }: RunDeps & { readonly orm: MikroORM }) {
  return {
    /** Each instant has one outcome: done again after a crash, or asked for by somebody else, it makes nothing twice. */
    makeDueCampaign: ({ recurringId }: RecurringRunInput): Promise<RecurringRunReport> =>
      withHeartbeats(() => runRecurring(orm.em.fork(), deps, recurringId)),
  };
}

export type RecurringRunActivities = ReturnType<typeof createRecurringRunActivities>;
