import { Context } from '@temporalio/activity';
import type { MikroORM } from '../db/orm.ts';
import { type SendDueDeps, sendDue } from '../usecases/sends/send-due.ts';
import type { DueInput, ScheduledReport } from '../workflows/contracts.ts';
import { withHeartbeats } from './heartbeats.ts';

export interface ScheduledActivityDeps extends SendDueDeps {
  readonly orm: MikroORM;
}

/** It sends for so long, then the workflow looks again. */
const TURN_MS = 30_000;

/** What the workflow of scheduled mails may ask for. */
export function createScheduledActivities(deps: ScheduledActivityDeps) {
  return {
    async sendDueMails({ projectId, retryNow }: DueInput): Promise<ScheduledReport> {
      const signal = Context.current().cancellationSignal;
      let made = { sent: 0, failed: 0 };
      const progress = (soFar: typeof made): void => {
        made = { ...soFar };
      };
      return withHeartbeats(
        () => sendDue(deps.orm.em.fork(), deps, projectId, { retryNow, milliseconds: TURN_MS, signal, progress }),
        () => made,
      );
    },
  };
}

export type ScheduledActivities = ReturnType<typeof createScheduledActivities>;
