import { sumUpCampaignCounts } from '../db/queries/campaigns/campaigns.ts';
import { sumUpContactGrowth } from '../db/queries/contacts/contact-growth.ts';
import { sumUpContactCounts } from '../db/queries/contacts/contact-list.ts';
import { databaseNow } from '../db/queries/operations/database-now.ts';
import { PASSES, saveProgress } from '../db/queries/operations/reconcile-progress.ts';
import { sumUpReputation } from '../db/queries/sends/reputation.ts';
import { sumUpSendCounts } from '../db/queries/sends/send-stats.ts';
import { dropDeliveries } from '../db/queries/webhooks/webhook-endpoints.ts';
import type { Metrics } from '../platform/metrics/metrics.ts';
import { checkCampaignCounts } from '../usecases/campaigns/check-campaign-counts.ts';
import { finishCutOffErasures } from '../usecases/contacts/erase-contact.ts';
import { type PrunePlaces, pruneExpired } from '../usecases/operations/prune-expired.ts';
import type { KnownPasses, Pass, WorkflowType } from '../workflows/contracts.ts';
import { NOTHING, RowReconciler, type RowReconcilerDeps, sum, type Time } from './reconcile-rows.ts';
import { compareSchedules } from './reconcile-schedules.ts';
import { RECONCILED_TYPES } from './reconciled-types.ts';

export interface ReconcileDeps extends RowReconcilerDeps {
  readonly metrics: Pick<Metrics, 'campaignsUnbalanced'>;
  readonly newId: () => string;
}

/** What is left over is the next pass's, which begins in time only if this and PRUNE_MS are less than its pace (domain/operations/reconcile-pace.ts). */
const PASS_MS = 25_000;
/** For the schedules of recurring campaigns, of which there are few. */
const SCHEDULES_MS = 4_000;
/** What is left over is the next pass's. */
const PRUNE_MS = 15_000;
/** Of deliveries of deleted endpoints: some 100,000, in a few seconds. */
const DROPPED_BATCHES = 50;
/** A cancelled workflow ends its own row; of those that the API cancels there may be a million. */
const CLOSED = '"Terminated", "Failed", "TimedOut"';
/** What only the row of a database that was restored does not know. */
const CLOSED_BEFORE_RESTORE = `${CLOSED}, "Completed", "Canceled"`;

/** What the reconcile workflow may ask for. */
export function createReconcileActivities(deps: ReconcileDeps) {
  const { orm, log, metrics, now, newId } = deps;
  const rows = new RowReconciler(deps);
  const prunePlaces: PrunePlaces = new Map();
  return {
    /**
     * Makes rows and workflows agree: ends the rows of workflows that were terminated or closed in another way that no row knows of, and
     * starts the workflows of rows that have none. A bounded part; asked again and again it gets round. `known`: omitted by a workflow
     * that has seen no pass yet.
     */
    async reconcileRows(known?: KnownPasses): Promise<Pass> {
      const deadline = Date.now() + PASS_MS;
      const passed = await rows.countPass(known);
      const closed = passed.isAfterRestore ? CLOSED_BEFORE_RESTORE : CLOSED;
      let total = NOTHING;
      // What an operator ended goes first, of every type: comparing takes all the time that it gets.
      for (const [place, type] of TYPES.entries()) total = sum(total, await rows.settleClosed(type, timeOf(deadline, place), closed));
      total = sum(total, await compareSchedules(deps, Math.min(deadline, Date.now() + SCHEDULES_MS)));
      for (const [place, type] of TYPES.entries()) total = sum(total, await rows.compareNextBatches(type, timeOf(deadline, place)));
      return { ...total, ...passed };
    },

    /**
     * Forgets what is kept for a time only (domain/operations/retention.ts), contacts whose erasure was cut off and what deleted endpoints have left, and
     * sums up what grows; before that it says which campaigns' counts do not add up. With it a pass is finished.
     */
    async forgetExpired(): Promise<void> {
      await pruneExpired(orm.em.fork(), { now: now(), limitMs: PRUNE_MS, places: prunePlaces });
      await finishCutOffErasures(orm.em.fork(), await databaseNow(orm.em.fork()), newId);
      for (let batch = 0; batch < DROPPED_BATCHES; batch++) if (!(await orm.em.fork().transactional(dropDeliveries))) break;
      await checkCampaignCounts(orm.em.fork(), { log, metrics });
      await sumUpContactCounts(orm.em.fork());
      await sumUpContactGrowth(orm.em.fork());
      await sumUpCampaignCounts(orm.em.fork());
      await sumUpSendCounts(orm.em.fork());
      await sumUpReputation(orm.em.fork());
      await saveProgress(orm.em.fork(), PASSES, { passed_at: now() });
    },
  };
}

const TYPES = Object.keys(RECONCILED_TYPES) as WorkflowType[];

/** An equal part of what is left, so that much to do for one type leaves time to those after it. */
function timeOf(deadline: number, place: number): Time {
  return { until: Date.now() + Math.max(0, deadline - Date.now()) / (TYPES.length - place), deadline };
}

export type ReconcileActivities = ReturnType<typeof createReconcileActivities>;
