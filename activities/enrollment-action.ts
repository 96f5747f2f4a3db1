import { Context } from '@temporalio/activity';
import type { MikroORM } from '../db/orm.ts';
import { endAction } from '../db/queries/sequences/enrollment-actions.ts';
import { actInPortions } from '../usecases/sequences/act-on-runs.ts';
import type { Moving } from '../usecases/sequences/move-run.ts';
import type { ActionInput, ActionReport } from '../workflows/contracts.ts';

export interface ActionActivityDeps {
  readonly orm: MikroORM;
  readonly webhookNodeRetryBaseSeconds: number;
  readonly now: () => Date;
  readonly newId: () => string;
}

/** It works for so long, then the workflow shows how far it is, and others have their turn. */
const TURN_MS = 5_000;

/** What the workflow of an action over many runs may ask for. */
export function createActionActivities({ orm, webhookNodeRetryBaseSeconds, now, newId }: ActionActivityDeps) {
  const moving = (): Moving => ({ now: now(), newId, firstRetrySeconds: webhookNodeRetryBaseSeconds });
  return {
    /** Each portion is one transaction that says how far it is, so a turn that is broken off goes on there. */
    async actOnRuns({ actionId }: ActionInput): Promise<ActionReport> {
      const context = Context.current();
      const signal = AbortSignal.any([context.cancellationSignal, AbortSignal.timeout(TURN_MS)]);
      return actInPortions(orm.em.fork(), actionId, { signal, moving, progress: (soFar) => context.heartbeat(soFar) });
    },

    /** Cancelled in Temporal: what was done stays so. */
    async actionCancelled({ actionId }: ActionInput): Promise<void> {
      await orm.em.fork().transactional((tx) => endAction(tx, actionId, 'cancelled'));
    },
  };
}

export type ActionActivities = ReturnType<typeof createActionActivities>;
