import { type Client, type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client';
import { RECONCILED_TYPES } from '../../activities/reconciled-types.ts';
import type { EntityManager } from '../../db/orm.ts';
import { enqueue, startNow } from '../../db/queries/operations/outbox.ts';
import type { WorkflowRow } from '../../db/queries/operations/workflow-rows.ts';
import { Refusal } from '../../domain/errors.ts';
import { CAP_PATIENCE_MS } from '../../domain/sends/submission-times.ts';
import { HOLD_REASONS, type HoldReason } from '../../domain/sequences/waiting-for.ts';
import { retryActivitiesNow, taskProblem } from '../../platform/temporal/workflow-problem.ts';
import { closingOf, describeWorkflow } from '../../platform/temporal/workflow-state.ts';
import { retryDelivery } from '../../usecases/webhooks/retry-delivery.ts';
import { RETRY_NOW_SIGNAL, SEARCH_ATTRIBUTES } from '../../workflows/contracts.ts';

/**
 * `signalled`: it tries at once what it waited to try again. `started`: its workflow, which did not exist, starts. `restarted`: a failed
 * delivery has a fresh set of attempts. `none`: nothing was done.
 */
export type RetryAction = 'signalled' | 'started' | 'restarted' | 'none';

export interface Retried {
  readonly action: RetryAction;
  /** Why nothing was done, or what goes on to hold it. */
  readonly why?: string;
}

/** Lets the workflow of a row try again now. What a sequence asks to wait for is waited for all the same. */
export async function retryWorkflow(em: EntityManager, client: Client, row: WorkflowRow): Promise<Retried> {
  const { workflowType, id, projectId } = row;
  const { workflowId: idOf, openAmong, mayBeginAgain, start } = RECONCILED_TYPES[workflowType];
  const workflowId = idOf(id);
  if ((await openAmong(em, [id])).length === 0) return retrySettled(em, row);
  const description = await describeWorkflow(client, workflowId);
  const closing = description && closingOf(description);
  if (closing && !mayBeginAgain)
    return {
      action: 'none',
      why: `its workflow is closed (${closing}), and a worker that runs settles the row within a minute; a reset in Temporal Web lets it go on`,
    };
  if (!description || closing) {
    await em.transactional(async (tx) => {
      await start(tx, [id]);
      await startNow(tx, workflowId);
      await enqueue(tx, projectId, [{ workflowId, message: { kind: 'signal', signal: RETRY_NOW_SIGNAL } }]);
    });
    return { action: 'started' };
  }
  const failing = await taskProblem(client, description);
  if (failing) return { action: 'none', why: failing.problem };
  const waits = waitsByDesign(row, description);
  if (waits) return { action: 'none', why: waits };
  try {
    await client.workflow.getHandle(workflowId).signal(RETRY_NOW_SIGNAL);
    await retryActivitiesNow(client, description);
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return { action: 'none', why: 'its workflow ended meanwhile' };
    throw error;
  }
  const held = workflowType === 'enrollment' ? heldStill(row) : undefined;
  return { action: 'signalled', ...(held === undefined ? {} : { why: held }) };
}

/** The hold of a run that ends with its cause, and not by a retry: it only looks for that once more. */
function heldStill({ reason }: WorkflowRow): string | undefined {
  const heldBy = HOLD_REASONS.find((one) => reason === `held:${one}`);
  const cause = heldBy && ENDS_WITH[heldBy];
  return cause && `it is held by ${heldBy}: ${cause}; the retry has it look once more, and does not end that`;
}

/** undefined: of a provider that is away, since it is tried at once; of too many steps, since the run goes on by itself within a minute. */
const ENDS_WITH: Readonly<Record<HoldReason, string | undefined>> = {
  paused: 'it goes on when its sequence is active',
  project_suspended: 'it goes on when the project is resumed',
  email_unverified: "it goes on when the owner's address is verified",
  send_window: 'it goes on by itself when its send window opens',
  frequency_cap: `it goes on by itself when its contact may have a mail again, and is skipped after ${CAP_PATIENCE_MS / 3_600_000} hours`,
  provider_unavailable: undefined,
  too_many_steps: undefined,
};

/**
 * What a retry would not end: a wait that the sequence asks for, and that of a disabled endpoint's deliveries. A wait that is over is none: a
 * signal has the run read its row again, and go on.
 */
function waitsByDesign(
  { workflowType, wakesAt }: WorkflowRow,
  { raw, searchAttributes }: WorkflowExecutionDescription,
): string | undefined {
  if ((raw.pendingActivities ?? []).length > 0) return undefined;
  const state = searchAttributes[SEARCH_ATTRIBUTES.state]?.[0];
  const isOver = wakesAt !== null && wakesAt.getTime() <= Date.now();
  if (workflowType === 'enrollment' && state === 'waiting' && !isOver)
    return 'it waits for what its sequence asks for, which a retry does not end';
  if (workflowType === 'webhookDelivery' && state === 'held') return 'its endpoint is disabled: it goes on when that is enabled';
  return undefined;
}

async function retrySettled(em: EntityManager, { id, projectId, endpointId, status, reason }: WorkflowRow): Promise<Retried> {
  if (status === 'failed' && endpointId !== null) {
    try {
      await em.transactional((tx) => retryDelivery(tx, { projectId, endpointId, id }));
    } catch (error) {
      if (error instanceof Refusal) return { action: 'none', why: error.message };
      throw error;
    }
    return { action: 'restarted' };
  }
  return { action: 'none', why: `it is ${status}${reason ? ` (${reason})` : ''}: there is nothing to retry` };
}
