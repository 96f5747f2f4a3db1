import type { Client } from '@temporalio/client';
import type { MikroORM } from '../db/orm.ts';
import { batchOfOpenRecurring, type OpenRecurring } from '../db/queries/campaigns/recurring-schedules.ts';
import { enqueue, recurringSchedule } from '../db/queries/operations/outbox.ts';
import { findProgress, saveProgress } from '../db/queries/operations/reconcile-progress.ts';
import { inParallel } from '../platform/in-parallel.ts';
import type { Logger } from '../platform/logger.ts';
import { describeSchedule, isPausedByOperator } from '../platform/temporal/recurring-schedules.ts';
import { type Reconciled, recurringScheduleId } from '../workflows/contracts.ts';

export interface ScheduleReconcilerDeps {
  readonly orm: MikroORM;
  readonly client: Client;
  readonly log: Logger;
}

/** In reconcile_progress: schedules are of no type of workflow. */
const SCHEDULES = 'recurringSchedule';
/** By so much a run may be late by itself: its schedule starts it within seconds, and its campaign is made in one transaction. */
const OVERDUE_MS = 60_000;
const COMPARED_AT_ONCE = 200;
const ASKED_AT_ONCE = 10;
const ASK_DEADLINE_MS = 5_000;
/** Of those that are put right, so many are named in the log. */
const TOLD = 20;

/**
 * Makes schedules agree with the recurring campaigns that they are of, batch by batch until the time is over; after the last one the first comes again. One that
 * is missing is made, one whose row is paused is paused, and one that has not started what is due does so. What an operator has paused stays so.
 */
export async function compareSchedules({ orm, client, log }: ScheduleReconcilerDeps, until: number): Promise<Reconciled> {
  const em = orm.em.fork();
  const total = { settled: 0, started: 0, failed: 0 };
  while (Date.now() < until) {
    const after = (await findProgress(em, SCHEDULES))?.compared_to ?? null;
    const batch = await batchOfOpenRecurring(em, after, { overdueMs: OVERDUE_MS, limit: COMPARED_AT_ONCE });
    const wrong: OpenRecurring[] = [];
    await inParallel(ASKED_AT_ONCE, batch, async (recurring) => {
      try {
        if (await isWrong(client, recurring)) wrong.push(recurring);
      } catch (error) {
        total.failed++;
        log.warn('reconcile.rows_failed', { failed: 1, error });
      }
    });
    await em.transactional(async (tx) => {
      for (const { id, project_id } of wrong) await enqueue(tx, project_id, [recurringSchedule(id)], { isBulk: true });
    });
    total.started += wrong.length;
    const workflowIds = wrong.slice(0, TOLD).map(({ id }) => recurringScheduleId(id));
    if (wrong.length > 0) log.warn('reconcile.started', { count: wrong.length, workflowIds });
    const isLast = batch.length < COMPARED_AT_ONCE;
    await saveProgress(em, SCHEDULES, { compared_to: isLast ? null : (batch.at(-1)?.id ?? null) });
    if (isLast) break;
  }
  return total;
}

async function isWrong(client: Client, { id, status, isOverdue }: OpenRecurring): Promise<boolean> {
  const schedule = await client.withDeadline(Date.now() + ASK_DEADLINE_MS, () => describeSchedule(client, id));
  if (!schedule) return true;
  if (isPausedByOperator(schedule)) return false;
  return isOverdue || schedule.state.paused !== (status === 'paused');
}
