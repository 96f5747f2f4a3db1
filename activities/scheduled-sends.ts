import { Context } from '@temporalio/activity';
import type { MikroORM } from '../db/orm.ts';
import { type SendDueDeps, sendDue } from '../usecases/sends/send-due.ts';
import type { DueInput, ScheduledReport } from '../workflows/contracts.ts';

export interface ScheduledActivityDeps extends SendDueDeps {
  readonly orm: MikroORM;
}

/** It sends for so long, then the workflow looks again. */
const TURN_MS = 30_000;
const HEARTBEAT_MS = 2_000;

/** What the workflow of scheduled mails may ask for. */
export function createScheduledActivities(deps: ScheduledActivityDeps) {
  return {
    /** Its heartbeats tell that the process lives. */
    async sendDueMails({ projectId, retryNow }: DueInput): Promise<ScheduledReport> {
      const context = Context.current();
      let made = { sent: 0, failed: 0 };
      const timer = setInterval(() => context.heartbeat(made), HEARTBEAT_MS);
      try {
        return await sendDue(deps.orm.em.fork(), deps, projectId, {
          retryNow,
          milliseconds: TURN_MS,
          signal: context.cancellationSignal,
          progress(soFar) {
            made = { ...soFar };
          },
        });
      } finally {
        clearInterval(timer);
      }
    },
  };
}

export type ScheduledActivities = ReturnType<typeof createScheduledActivities>;
