import { isGrpcServiceError, ServiceError } from '@temporalio/client';
import { RECONCILED_TYPES } from '../../activities/reconciled-types.ts';
import type { EntityManager } from '../../db/orm.ts';
import { findWorkflowRow, type WorkflowRow } from '../../db/queries/operations/workflow-rows.ts';
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

/** Which row: by its id, or by its workflow id, whose first part says of which type it is. */
export interface Asked {
  readonly id: string;
  readonly prefix: string | undefined;
}

/** `reason`: why nothing was done, or what goes on to hold it. */
export interface Retry extends Changed {
  readonly action: RetryAction;
  readonly reason?: string;
}

/** Throws AdminError when nothing has this id, or what has it is of another type. */
export async function retry(context: AdminContext, asked: Asked): Promise<Retry> {
  const em = await context.em();
  const { id } = asked;
  const row = await rowAskedFor(em, asked);
  const client = await context.temporal();
  const tried = row.inBurst && row.endpointId !== null ? await rowOf(em, row.endpointId) : row;
  const { action, why } = await asking(context, () => retryWorkflow(em, client, tried));
  const workflowId = workflowIdOf(tried);
  return { id, workflowId, action, ...(why === undefined ? {} : { reason: why }) };
}

/** What a burst that ended had waiting has `failed`. */
export interface Terminated extends Changed {
  readonly status: string;
  readonly failed?: number;
}

/**
 * Throws AdminError when nothing has this id, or what has it is of another type. To terminate what has ended is no error: it does not run,
 * which is what was wanted.
 */
export async function terminate(context: AdminContext, asked: Asked): Promise<Terminated> {
  const em = await context.em();
  const { id } = asked;
  const row = await rowAskedFor(em, asked);
  const client = await context.temporal();
  const wasOpen = row.workflowType === 'webhookBurst' || (await RECONCILED_TYPES[row.workflowType].openAmong(em, [id])).length > 0;
  const failed = await asking(context, () => terminateWorkflow(em, client, row));
  if (!wasOpen && !row.inBurst) context.note(`it had ended already: ${row.status}${row.reason === null ? '' : ` (${row.reason})`}`);
  const terminated = { id, workflowId: workflowIdOf(row), status: (await rowOf(em, id)).status };
  if (failed === undefined) return terminated;
  context.note(
    failed === 0
      ? 'nothing waited in this burst'
      : `${grouped(failed)} deliveries that waited in this burst have failed; POST /webhooks/${id}/deliveries/<deliveryId>/retry begins one again, and what happens from now on is delivered`,
  );
  return { ...terminated, failed };
}

const NAMES = {
  enrollment: 'an enrollment',
  campaign: 'a campaign',
  webhookDelivery: 'a delivery',
  webhookBurst: 'an endpoint',
  webhookRetry: 'a retry of failed deliveries',
  bulkEnrollment: 'a bulk enrollment',
  enrollmentAction: 'an action over runs',
  scheduledSends: 'a project',
  domainCheck: 'a sending domain',
  confirmation: 'a confirmation',
  contactImport: 'an import',
} as const;

async function rowAskedFor(em: EntityManager, { id, prefix }: Asked): Promise<WorkflowRow> {
  const row = await rowOf(em, id);
  const { workflowId } = RECONCILED_TYPES[row.workflowType];
  if (prefix !== undefined && `${prefix}/${id}` !== workflowId(id))
    throw new AdminError(`${prefix}/${id} is no workflow: ${id} is the id of ${NAMES[row.workflowType]}, ${workflowId(id)}`);
  return row;
}

async function rowOf(em: EntityManager, id: string): Promise<WorkflowRow> {
  const row = await findWorkflowRow(em, id);
  if (!row) throw new AdminError(`no enrollment, campaign, delivery, endpoint, retry or project has the id ${id}`);
  return row;
}

/** A delivery that waits in the burst of its endpoint has no other workflow. */
function workflowIdOf({ workflowType, id, inBurst, endpointId }: WorkflowRow): string {
  return inBurst && endpointId !== null
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
