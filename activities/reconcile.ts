import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import type { MikroORM } from '../db/orm.ts';
import { sumUpContactCounts } from '../db/queries/contact-list.ts';
import { activeEnrollments, endEnrollment } from '../db/queries/enrollments.ts';
import { deleteExpired } from '../db/queries/expired.ts';
import type { Logger } from '../platform/logger.ts';
import { enrollmentIdOf } from '../workflows/contracts.ts';

export interface ReconcileDeps {
  readonly orm: MikroORM;
  readonly client: Client;
  readonly log: Logger;
  readonly now: () => Date;
}

/** Runs come every minute; a few that were missed are made up for. */
const LOOK_BACK_MINUTES = 15;

/** What the reconcile workflow may ask for. */
export function createReconcileActivities({ orm, client, log, now }: ReconcileDeps) {
  /** Closed and not running again: a reset closes one run and opens the next under the same id. */
  const isGone = async ({ workflowId, runId }: WorkflowExecutionInfo): Promise<boolean> => {
    const latest = await client.workflow.getHandle(workflowId).describe();
    return latest.runId === runId && latest.status.name !== 'RUNNING';
  };

  return {
    /** Ends the rows of enrollments whose workflow was terminated, or closed in another way that no row knows of. Returns how many. */
    async settleClosedWorkflows(): Promise<number> {
      const em = orm.em.fork();
      const since = new Date(now().getTime() - LOOK_BACK_MINUTES * 60_000).toISOString();
      const query = `WorkflowType = "enrollment" AND ExecutionStatus IN ("Terminated", "Failed", "TimedOut", "Canceled") AND CloseTime > "${since}"`;
      const closed = new Map<string, WorkflowExecutionInfo>();
      for await (const execution of client.workflow.list({ query }))
        closed.set(execution.workflowId, closed.get(execution.workflowId) ?? execution);
      const ids = [...closed.keys()].flatMap((workflowId) => enrollmentIdOf(workflowId) ?? []);
      let settled = 0;
      for (const { id, workflow_id } of await activeEnrollments(em, ids)) {
        const execution = closed.get(workflow_id);
        if (!execution || !(await isGone(execution))) continue;
        const reason = execution.status.name === 'CANCELLED' ? 'cancelled' : 'terminated';
        if (await em.transactional((tx) => endEnrollment(tx, id, reason, now()))) settled++;
      }
      if (settled > 0) log.warn('enrollments.settled_after_workflow', { count: settled });
      return settled;
    },

    /** Forgets what is kept for a time only (decisions.md 9.1 and 14), and sums up what grows. */
    async forgetExpired(): Promise<void> {
      await deleteExpired(orm.em.fork(), now());
      await sumUpContactCounts(orm.em.fork());
    },
  };
}

export type ReconcileActivities = ReturnType<typeof createReconcileActivities>;
