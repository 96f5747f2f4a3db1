import { isGrpcServiceError, ServiceError } from '@temporalio/client';
import { RECONCILED_TYPES } from '../../activities/reconciled-types.ts';
import type { EntityManager } from '../../db/orm.ts';
import { findWorkflowRow, type WorkflowRow } from '../../db/queries/workflow-rows.ts';
import { grouped } from '../../domain/shown-text.ts';
import type { AdminContext } from './command.ts';
import { type RetryAction, retryWorkflow } from './retry-workflow.ts';
import { findStuck, type StuckWorkflow } from './stuck-workflows.ts';
import { terminateWorkflow } from './terminate-workflow.ts';
import { AdminError } from './values.ts';

/** Of one project, or of all. */
export async function listStuck(
  context: AdminContext,
  project: { readonly id: string; readonly slug: string } | undefined,
): Promise<StuckWorkflow[]> {
  const { note, progress } = context;
  const [em, client] = [await context.em(), await context.temporal()];
  return asking(context, () => findStuck({ em, client, note, progress }, project));
}

export interface Changed {
  readonly id: string;
  readonly workflowId: string;
}

/** Throws AdminError when nothing has this id. Why nothing was done is said beside the answer. */
export async function retry(context: AdminContext, id: string): Promise<Changed & { readonly action: RetryAction }> {
  const em = await context.em();
  const row = await rowOf(em, id);
  const client = await context.temporal();
  const tried = row.inLane && row.endpointId !== null ? await rowOf(em, row.endpointId) : row;
  const { action, why } = await asking(context, () => retryWorkflow(em, client, tried));
  const workflowId = workflowIdOf(tried);
  if (why !== undefined) context.note(`${workflowId}: ${why}`);
  return { id, workflowId, action };
}

/** What a lane that ended had waiting has `failed`. */
export interface Terminated extends Changed {
  readonly status: string;
  readonly failed?: number;
}

/** Throws AdminError when nothing has this id. To terminate what has ended is no error: it does not run, which is what was wanted. */
export async function terminate(context: AdminContext, id: string): Promise<Terminated> {
  const em = await context.em();
  const row = await rowOf(em, id);
  const client = await context.temporal();
  const failed = await asking(context, () => terminateWorkflow(em, client, row));
  const terminated = { id, workflowId: workflowIdOf(row), status: (await rowOf(em, id)).status };
  if (failed === undefined) return terminated;
  context.note(
    failed === 0
      ? 'nothing waited in this lane'
      : `${grouped(failed)} deliveries that waited in this lane have failed; POST /webhooks/${id}/deliveries/<deliveryId>/retry begins one again, and what happens from now on is delivered`,
  );
  return { ...terminated, failed };
}

async function rowOf(em: EntityManager, id: string): Promise<WorkflowRow> {
  const row = await findWorkflowRow(em, id);
  if (!row) throw new AdminError(`no enrollment, campaign, delivery or endpoint has the id ${id}`);
  return row;
}

/** A delivery that waits in the lane of its endpoint has no other workflow. */
function workflowIdOf({ workflowType, id, inLane, endpointId }: WorkflowRow): string {
  return inLane && endpointId !== null
    ? RECONCILED_TYPES.webhookBurst.workflowId(endpointId)
    : RECONCILED_TYPES[workflowType].workflowId(id);
}

/** A server that stops answering on the way is told in one line, too. */
async function asking<T>({ progress }: AdminContext, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const cause = error instanceof ServiceError ? (error.cause ?? error) : error;
    if (!isGrpcServiceError(cause) && !(error instanceof ServiceError)) throw error;
    throw new AdminError(`Temporal did not do it: ${(cause as Error).message}`);
  } finally {
    progress('');
  }
}
