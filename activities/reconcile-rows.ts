import type { Client } from '@temporalio/client';
import type { MikroORM } from '../db/orm.ts';
import { pendingStarts, signalWorkflows } from '../db/queries/operations/outbox.ts';
import { findProgress, PASSES, saveProgress } from '../db/queries/operations/reconcile-progress.ts';
import type { Closing } from '../domain/operations/closing.ts';
import { inParallel } from '../platform/in-parallel.ts';
import type { Logger } from '../platform/logger.ts';
import { closingOf, describeWorkflow } from '../platform/temporal/workflow-state.ts';
import type { KnownPasses, Pass, Reconciled, WorkflowType } from '../workflows/contracts.ts';
import { RECONCILED_TYPES, type ReconciledType } from './reconciled-types.ts';

export interface RowReconcilerDeps {
  readonly orm: MikroORM;
  readonly client: Client;
  readonly log: Logger;
  readonly now: () => Date;
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
/** Workflows that one transaction asks to read their rows again. */
const SIGNALLED_AT_ONCE = 5_000;
/** Of a batch's rows, those that the log names. */
const TOLD = 20;

/** Where a workflow stands. */
type State =
  | { readonly is: 'open' | 'missing' }
  | { readonly is: 'closed'; readonly runId: string; readonly closing: Closing; readonly closedAt: Date | undefined };

/** A workflow that had closed has begun again before its row was settled. */
const BEGUN_AGAIN = new Error('the workflow has begun again');
/** What one type has of a pass, as epoch milliseconds: `until` it may begin with more, at the `deadline` of the pass what it has begun is broken off. */
export interface Time {
  readonly until: number;
  readonly deadline: number;
}

export const NOTHING: Reconciled = { settled: 0, started: 0, failed: 0 };

export function sum(a: Reconciled, b: Reconciled): Reconciled {
  return { settled: a.settled + b.settled, started: a.started + b.started, failed: a.failed + b.failed };
}

/** Makes rows and workflows agree, part by part. */
export class RowReconciler {
  readonly #deps: RowReconcilerDeps;

  constructor(deps: RowReconcilerDeps) {
    this.#deps = deps;
  }

  async #stateOf(workflowId: string): Promise<State> {
    const found = await describeWorkflow(this.#deps.client, workflowId);
    if (!found) return { is: 'missing' };
    const closing = closingOf(found);
    return closing ? { is: 'closed', runId: found.runId, closing, closedAt: found.closeTime } : { is: 'open' };
  }

  /**
   * Ends the row of a workflow that has closed. An operator may reset it after it was looked at, and the row may be locked for seconds: so it is
   * looked at once more when all is written, which is why this call alone is made within a transaction. Whether the row was open still.
   */
  async #settle(type: ReconciledType, id: string, { runId, closing, closedAt }: Extract<State, { is: 'closed' }>): Promise<boolean> {
    const { orm, now } = this.#deps;
    try {
      return await orm.em.fork().transactional(async (tx) => {
        if (!(await type.settle(tx, id, closing, now(), closedAt))) return false;
        const again = await this.#stateOf(type.workflowId(id));
        if (again.is === 'open' || (again.is === 'closed' && again.runId !== runId)) throw BEGUN_AGAIN;
        return true;
      });
    } catch (error) {
      if (error === BEGUN_AGAIN) return false;
      throw error;
    }
  }

  #tell(event: string, count: number, workflowIds: readonly string[]): void {
    if (count > 0) this.#deps.log.warn(event, { count, workflowIds: workflowIds.slice(0, TOLD) });
  }

  /** Compares these open rows with their workflows, and settles or starts. Throws only when Temporal answers about none of them. */
  async #compare(type: ReconciledType, rowIds: readonly string[]): Promise<Reconciled> {
    const em = this.#deps.orm.em.fork();
    const missing: string[] = [];
    const settled: string[] = [];
    let failed = 0;
    let reason: unknown;
    // Before Temporal is asked: a start that is dispatched between the two questions would else be one that is lost.
    const onTheirWay = await pendingStarts(em, rowIds.map(type.workflowId));
    await inParallel(ASKED_AT_ONCE, rowIds, async (id) => {
      try {
        const workflowId = type.workflowId(id);
        const state = await this.#stateOf(workflowId);
        const isOnItsWay = onTheirWay.has(workflowId);
        if (state.is === 'missing') {
          if (!isOnItsWay) missing.push(id);
        } else if (
          state.is === 'closed' &&
          !((type.mayBeginAgain || type.mayBeRetried) && isOnItsWay) &&
          (await this.#settle(type, id, state))
        )
          settled.push(id);
      } catch (error) {
        failed++;
        reason = error;
      }
    });
    if (failed > 0 && failed === rowIds.length) throw reason;
    if (failed > 0) this.#deps.log.warn('reconcile.rows_failed', { failed, error: reason });
    const started = missing.length === 0 ? 0 : await em.transactional((tx) => type.start(tx, missing));
    this.#tell('reconcile.settled', settled.length, settled.map(type.workflowId));
    this.#tell('reconcile.started', started, missing.map(type.workflowId));
    return { settled: settled.length, started, failed };
  }

  /**
   * The rows of workflows that have closed since the watermark, the latest first. The watermark moves when all of them were compared: what
   * happened while no worker ran is found, too.
   */
  async settleClosed(workflowType: WorkflowType, { until, deadline }: Time, closed: string): Promise<Reconciled> {
    const { orm, client, now } = this.#deps;
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
        total = sum(total, await this.#compare(type, open.slice(at, at + COMPARED_AT_ONCE)));
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
  }

  /**
   * The next batch of open rows, whatever became of their workflows; after the last one the first comes again. That all compared at last are
   * without workflows says that Temporal has lost them, so those after them follow at once.
   */
  async compareNextBatches(workflowType: WorkflowType, { until }: Time): Promise<Reconciled> {
    const { orm, batchSize = BATCH } = this.#deps;
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
      const result = await this.#compare(type, batch);
      total = sum(total, result);
      compared += batch.length;
      const isLast = batch.length < most;
      after = isLast ? null : (batch.at(-1) ?? null);
      await saveProgress(em, workflowType, { compared_to: after });
      if (after === null) break;
      isLost = result.started === batch.length;
    }
    return total;
  }

  /**
   * Passes are counted in both databases. The workflow knows of a pass that PostgreSQL does not, or the reverse: one of them was restored to
   * an earlier state. Then workflows wait for what their rows do not wait for, so each is asked to read its row again; so it is where the
   * workflow is a new one and cannot tell.
   */
  async countPass(known: KnownPasses | undefined): Promise<Pick<Pass, 'pass' | 'isAfterRestore'>> {
    const { orm, log } = this.#deps;
    const em = orm.em.fork();
    const last = (await findProgress(em, PASSES))?.pass ?? 0;
    const isAfterRestore = known ? last < known.ended || last > known.begun : last > 0;
    if (isAfterRestore) {
      if (known) log.warn('reconcile.database_restored', { last, ...known });
      else log.warn('reconcile.begun_anew', { last, reason: 'its run before was ended, by an operator or with all of Temporal' });
      for (const type of Object.values(RECONCILED_TYPES)) await this.#signalOpen(type);
    }
    const pass = Math.max(last, known?.begun ?? 0) + 1;
    await saveProgress(em, PASSES, { pass });
    return { pass, isAfterRestore };
  }

  async #signalOpen(type: ReconciledType): Promise<void> {
    const em = this.#deps.orm.em.fork();
    for (let after: string | null = null; ; ) {
      const batch: string[] = await type.batchOfOpen(em, after, SIGNALLED_AT_ONCE);
      if (batch.length > 0) await em.transactional((tx) => signalWorkflows(tx, batch.map(type.workflowId)));
      if (batch.length < SIGNALLED_AT_ONCE) return;
      after = batch.at(-1) as string;
    }
  }
}
