import type { Client } from '@temporalio/client';
import type { MikroORM } from '../db/orm.ts';
import { sumUpCampaignCounts } from '../db/queries/campaigns/campaigns.ts';
import { sumUpContactCounts } from '../db/queries/contacts/contact-list.ts';
import { pendingStarts, signalWorkflows } from '../db/queries/operations/outbox.ts';
import { findProgress, PASSES, saveProgress } from '../db/queries/operations/reconcile-progress.ts';
import { sumUpSendCounts } from '../db/queries/sends/send-stats.ts';
import { dropDeliveries } from '../db/queries/webhooks/webhook-endpoints.ts';
import { inParallel } from '../platform/in-parallel.ts';
import type { Logger } from '../platform/logger.ts';
import type { Metrics } from '../platform/metrics/metrics.ts';
import { closingOf, describeWorkflow } from '../platform/temporal/workflow-state.ts';
import { checkCampaignCounts } from '../usecases/campaigns/check-campaign-counts.ts';
import { finishCutOffErasures } from '../usecases/contacts/erase-contact.ts';
import { type PrunePlaces, pruneExpired } from '../usecases/operations/prune-expired.ts';
import type { Closing, KnownPasses, Pass, Reconciled, WorkflowType } from '../workflows/contracts.ts';
import { RECONCILED_TYPES, type ReconciledType } from './reconciled-types.ts';

export interface ReconcileDeps {
  readonly orm: MikroORM;
  readonly client: Client;
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'campaignsUnbalanced'>;
  readonly now: () => Date;
  readonly newId: () => string;
  /** How many open rows of each type one pass compares; 1,000 when omitted. */
  readonly batchSize?: number;
}

/** By so much clocks may differ, and the list of workflows be behind. */
const OVERLAP_MS = 10 * 60_000;
/** Open rows of one type that one pass compares: some 20 questions a second to Temporal. */
const BATCH = 1_000;
/** Those of them that are compared before it looks at the clock. */
const COMPARED_AT_ONCE = 200;
/** Closed workflows that are listed at once. */
const LISTED_AT_ONCE = 1_000;
const ASKED_AT_ONCE = 10;
/** What is left over is the next pass's, which begins in time only if this and PRUNE_MS are less than its pace (domain/operations/reconcile-pace.ts). */
const PASS_MS = 25_000;

/** What is left over is the next pass's. */
const PRUNE_MS = 15_000;
/** Of deliveries of deleted endpoints: some 100,000, in a few seconds. */
const DROPPED_BATCHES = 50;

/** A cancelled workflow ends its own row; of those that the API cancels there may be a million. */
const CLOSED = '"Terminated", "Failed", "TimedOut"';
/** What only the row of a database that was restored does not know. */
const CLOSED_BEFORE_RESTORE = `${CLOSED}, "Completed", "Canceled"`;

/** Workflows that one transaction asks to read their rows again. */
const SIGNALLED_AT_ONCE = 5_000;

/** Where a workflow stands. */
type State =
  | { readonly is: 'open' | 'missing' }
  | { readonly is: 'closed'; readonly runId: string; readonly closing: Closing; readonly closedAt: Date | undefined };

/** A workflow that had closed has begun again before its row was settled. */
const BEGUN_AGAIN = new Error('the workflow has begun again');

/** Of a batch's rows, those that the log names. */
const TOLD = 20;

/** What the reconcile workflow may ask for. */
export function createReconcileActivities({ orm, client, log, metrics, now, newId, batchSize = BATCH }: ReconcileDeps) {
  const prunePlaces: PrunePlaces = new Map();

  const stateOf = async (workflowId: string): Promise<State> => {
    const found = await describeWorkflow(client, workflowId);
    if (!found) return { is: 'missing' };
    const closing = closingOf(found);
    return closing ? { is: 'closed', runId: found.runId, closing, closedAt: found.closeTime } : { is: 'open' };
  };

  /**
   * Ends the row of a workflow that has closed. An operator may reset it after it was looked at, and the row may be locked for seconds: so it is
   * looked at once more when all is written, which is why this call alone is made within a transaction. Whether the row was open still.
   */
  const settle = async (
    type: ReconciledType,
    id: string,
    { runId, closing, closedAt }: Extract<State, { is: 'closed' }>,
  ): Promise<boolean> =>
    orm.em
      .fork()
      .transactional(async (tx) => {
        if (!(await type.settle(tx, id, closing, now(), closedAt))) return false;
        const again = await stateOf(type.workflowId(id));
        if (again.is === 'open' || (again.is === 'closed' && again.runId !== runId)) throw BEGUN_AGAIN;
        return true;
      })
      .catch((error: unknown) => {
        if (error === BEGUN_AGAIN) return false;
        throw error;
      });

  const tell = (event: string, count: number, workflowIds: readonly string[]): void => {
    if (count > 0) log.warn(event, { count, workflowIds: workflowIds.slice(0, TOLD) });
  };

  /** Compares these open rows with their workflows, and settles or starts. Throws only when Temporal answers about none of them. */
  const compare = async (type: ReconciledType, rowIds: readonly string[]): Promise<Reconciled> => {
    const em = orm.em.fork();
    const missing: string[] = [];
    const settled: string[] = [];
    let failed = 0;
    let reason: unknown;
    // Before Temporal is asked: a start that is dispatched between the two questions would else be one that is lost.
    const onTheirWay = await pendingStarts(em, rowIds.map(type.workflowId));
    await inParallel(ASKED_AT_ONCE, rowIds, async (id) => {
      try {
        const workflowId = type.workflowId(id);
        const state = await stateOf(workflowId);
        const isOnItsWay = onTheirWay.has(workflowId);
        if (state.is === 'missing') {
          if (!isOnItsWay) missing.push(id);
        } else if (state.is === 'closed' && !(type.mayBeginAgain && isOnItsWay) && (await settle(type, id, state))) settled.push(id);
      } catch (error) {
        failed++;
        reason = error;
      }
    });
    if (failed > 0 && failed === rowIds.length) throw reason;
    if (failed > 0) log.warn('reconcile.rows_failed', { failed, error: reason });
    const started = missing.length === 0 ? 0 : await em.transactional((tx) => type.start(tx, missing));
    tell('reconcile.settled', settled.length, settled.map(type.workflowId));
    tell('reconcile.started', started, missing.map(type.workflowId));
    return { settled: settled.length, started, failed };
  };

  /**
   * The rows of workflows that have closed since the watermark, the latest first. The watermark moves when all of them were compared: what
   * happened while no worker ran is found, too.
   */
  const settleClosed = async (workflowType: WorkflowType, { until, deadline }: Time, closed: string): Promise<Reconciled> => {
    const type = RECONCILED_TYPES[workflowType];
    const em = orm.em.fork();
    const startedAt = now();
    const watermark = (await findProgress(em, workflowType))?.closed_until;
    const since = watermark ? ` AND CloseTime > "${watermark.toISOString()}"` : '';
    const query = `WorkflowType = "${workflowType}" AND ExecutionStatus IN (${closed})${since}`;
    let total = NOTHING;
    /** Whether all of it was compared; some of it is, however late it is. */
    const settleBatch = async (batch: Set<string>): Promise<boolean> => {
      const open = await type.openAmong(em, [...batch]);
      batch.clear();
      for (let at = 0; at < open.length; at += COMPARED_AT_ONCE) {
        if (at > 0 && Date.now() > until) return false;
        total = sum(total, await compare(type, open.slice(at, at + COMPARED_AT_ONCE)));
      }
      return true;
    };
    const isThrough = await client.withDeadline(deadline, async () => {
      const batch = new Set<string>();
      for await (const { workflowId } of client.workflow.list({ query, pageSize: LISTED_AT_ONCE })) {
        const id = type.rowIdOf(workflowId);
        if (id) batch.add(id);
        if (batch.size >= LISTED_AT_ONCE && !(await settleBatch(batch))) return false;
        if (Date.now() > until) {
          await settleBatch(batch);
          return false;
        }
      }
      return settleBatch(batch);
    });
    if (!isThrough || total.failed > 0) return total;
    const reached = new Date(startedAt.getTime() - OVERLAP_MS);
    if (!watermark || reached > watermark) await saveProgress(em, workflowType, { closed_until: reached });
    return total;
  };

  /**
   * The next batch of open rows, whatever became of their workflows; after the last one the first comes again. That all compared at last are
   * without workflows says that Temporal has lost them, so those after them follow at once.
   */
  const compareNextBatches = async (workflowType: WorkflowType, { until }: Time): Promise<Reconciled> => {
    const type = RECONCILED_TYPES[workflowType];
    const em = orm.em.fork();
    const most = Math.min(batchSize, COMPARED_AT_ONCE);
    let total = NOTHING;
    let compared = 0;
    let isLost = true;
    for (
      let after = (await findProgress(em, workflowType))?.compared_to ?? null;
      (isLost || compared < batchSize) && Date.now() < until;
    ) {
      const batch = await type.batchOfOpen(em, after, most);
      const result = await compare(type, batch);
      total = sum(total, result);
      compared += batch.length;
      const isLast = batch.length < most;
      after = isLast ? null : (batch.at(-1) ?? null);
      await saveProgress(em, workflowType, { compared_to: after });
      if (after === null) break;
      isLost = result.started === batch.length;
    }
    return total;
  };

  /**
   * Passes are counted in both databases. The workflow knows of a pass that PostgreSQL does not, or the reverse: one of them was restored to
   * an earlier state. Then workflows wait for what their rows do not wait for, so each is asked to read its row again; so it is where the
   * workflow is a new one and cannot tell.
   */
  const countPass = async (known: KnownPasses | undefined): Promise<Pick<Pass, 'pass' | 'isAfterRestore'>> => {
    const em = orm.em.fork();
    const last = (await findProgress(em, PASSES))?.pass ?? 0;
    const isAfterRestore = known ? last < known.ended || last > known.begun : last > 0;
    if (isAfterRestore) {
      if (known) log.warn('reconcile.database_restored', { last, ...known });
      else log.warn('reconcile.begun_anew', { last, reason: 'its run before was ended, by an operator or with all of Temporal' });
      for (const type of Object.values(RECONCILED_TYPES)) await signalOpen(type);
    }
    const pass = Math.max(last, known?.begun ?? 0) + 1;
    await saveProgress(em, PASSES, { pass });
    return { pass, isAfterRestore };
  };

  const signalOpen = async (type: ReconciledType): Promise<void> => {
    const em = orm.em.fork();
    for (let after: string | null = null; ; ) {
      const batch: string[] = await type.batchOfOpen(em, after, SIGNALLED_AT_ONCE);
      if (batch.length > 0) await em.transactional((tx) => signalWorkflows(tx, batch.map(type.workflowId)));
      if (batch.length < SIGNALLED_AT_ONCE) return;
      after = batch.at(-1) as string;
    }
  };

  return {
    /**
     * Makes rows and workflows agree: ends the rows of workflows that were terminated or closed in another way that no row knows of, and
     * starts the workflows of rows that have none. A bounded part; asked again and again it gets round. `known`: omitted by a workflow
     * that has seen no pass yet.
     */
    async reconcileRows(known?: KnownPasses): Promise<Pass> {
      const deadline = Date.now() + PASS_MS;
      const passed = await countPass(known);
      const closed = passed.isAfterRestore ? CLOSED_BEFORE_RESTORE : CLOSED;
      let total = NOTHING;
      // What an operator ended goes first, of every type: comparing takes all the time that it gets.
      for (const [place, type] of TYPES.entries()) total = sum(total, await settleClosed(type, timeOf(deadline, place), closed));
      for (const [place, type] of TYPES.entries()) total = sum(total, await compareNextBatches(type, timeOf(deadline, place)));
      return { ...total, ...passed };
    },

    /**
     * Forgets what is kept for a time only (domain/operations/retention.ts), contacts whose erasure was cut off and what deleted endpoints have left, and
     * sums up what grows; before that it says which campaigns' counts do not add up. With it a pass is finished.
     */
    async forgetExpired(): Promise<void> {
      await pruneExpired(orm.em.fork(), { now: now(), limitMs: PRUNE_MS, places: prunePlaces });
      await finishCutOffErasures(orm.em.fork(), now(), newId);
      for (let batch = 0; batch < DROPPED_BATCHES; batch++) if (!(await orm.em.fork().transactional(dropDeliveries))) break;
      await checkCampaignCounts(orm.em.fork(), { log, metrics });
      await sumUpContactCounts(orm.em.fork());
      await sumUpCampaignCounts(orm.em.fork());
      await sumUpSendCounts(orm.em.fork());
      await saveProgress(orm.em.fork(), PASSES, { passed_at: now() });
    },
  };
}

const TYPES = Object.keys(RECONCILED_TYPES) as WorkflowType[];

/** What one type has of a pass, as epoch milliseconds: `until` it may begin with more, at the `deadline` of the pass what it has begun is broken off. */
interface Time {
  readonly until: number;
  readonly deadline: number;
}

/** An equal part of what is left, so that much to do for one type leaves time to those after it. */
function timeOf(deadline: number, place: number): Time {
  return { until: Date.now() + Math.max(0, deadline - Date.now()) / (TYPES.length - place), deadline };
}

const NOTHING: Reconciled = { settled: 0, started: 0, failed: 0 };

function sum(a: Reconciled, b: Reconciled): Reconciled {
  return { settled: a.settled + b.settled, started: a.started + b.started, failed: a.failed + b.failed };
}

export type ReconcileActivities = ReturnType<typeof createReconcileActivities>;
