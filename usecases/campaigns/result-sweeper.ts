import type { MikroORM } from '../../db/orm.ts';
import { campaignsToCount } from '../../db/queries/campaigns/kept-results.ts';
import { every, type Repeating } from '../../platform/every.ts';
import type { Logger } from '../../platform/logger.ts';
import { countAndKeep } from './campaign-results.ts';

export interface ResultSweeperDeps {
  readonly orm: MikroORM;
  readonly log: Logger;
}

const EVERY_MS = 15_000;
const AT_ONCE = 100;

/** Counts the results of large campaigns now and then, and those of all when they are to stay as they are. Any number of processes may run one. */
export function startResultSweeper({ orm, log }: ResultSweeperDeps): Repeating {
  const sweep = async (stopping: AbortSignal): Promise<void> => {
    for (const due of await campaignsToCount(orm.em.fork(), AT_ONCE)) {
      if (stopping.aborted) return;
      try {
        await countAndKeep(orm.em.fork(), due);
      } catch (error) {
        // It comes again with the next look.
        log.warn('campaign.results_not_counted', { campaignId: due.id, error });
      }
    }
  };
  return every(EVERY_MS, sweep, (error) => log.warn('campaign.results_not_read', { error }));
}
