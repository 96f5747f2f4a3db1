import { isGrpcServiceError, ServiceError } from '@temporalio/client';
import { RECONCILED_TYPES } from '../../activities/reconciled-types.ts';
import type { EntityManager } from '../../db/orm.ts';
import { findWorkflowRow, type WorkflowRow } from '../../db/queries/workflow-rows.ts';
import { type AdminContext, type Command, text, WrongUsage } from './command.ts';
import { projectOf } from './project-commands.ts';
import { retryWorkflow } from './retry-workflow.ts';
import { findStuck } from './stuck-workflows.ts';
import { terminateWorkflow } from './terminate-workflow.ts';
import { AdminError } from './values.ts';

const ID = 'enrollment|campaign|delivery id';

/** An id, or the workflow id that ends with it. */
function rowIdOf(argument: string): string {
  const id = /^(?:(?:enrollment|campaign|webhook|webhook-burst)\/)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i.exec(argument)?.[1];
  if (id === undefined) throw new WrongUsage(`"${argument}" is not the id of an enrollment, a campaign or a delivery`);
  return id.toLowerCase();
}

async function rowOf(em: EntityManager, id: string): Promise<WorkflowRow> {
  const row = await findWorkflowRow(em, id);
  if (!row) throw new AdminError(`no enrollment, campaign or delivery has the id ${id}`);
  return row;
}

/** A delivery that waits in the lane of its endpoint has no other workflow. */
function workflowIdOf({ workflowType, id, inLane, endpointId }: WorkflowRow): string {
  return inLane && endpointId !== null
    ? RECONCILED_TYPES.webhookBurst.workflowId(endpointId)
    : RECONCILED_TYPES[workflowType].workflowId(id);
}

/** A server that stops answering on the way is told in one line, too. */
async function asking<T>(context: AdminContext, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const cause = error instanceof ServiceError ? (error.cause ?? error) : error;
    if (!isGrpcServiceError(cause) && !(error instanceof ServiceError)) throw error;
    throw new AdminError(`Temporal did not do it: ${(cause as Error).message}`);
  } finally {
    context.progress('');
  }
}

const stuck: Command = {
  name: 'workflow stuck',
  args: [],
  options: { project: 'string' },
  usage: '[--project P]',
  async run(context, _args, options) {
    const slug = text(options, 'project', (value) => value);
    const em = await context.em();
    const project = slug === undefined ? undefined : await projectOf(em, slug);
    const client = await context.temporal();
    const { note, progress } = context;
    return asking(context, () => findStuck({ em, client, note, progress }, project));
  },
};

const retry: Command = {
  name: 'workflow retry',
  args: [ID],
  async run(context, [argument = '']) {
    const id = rowIdOf(argument);
    const em = await context.em();
    const row = await rowOf(em, id);
    const client = await context.temporal();
    const tried = row.inLane && row.endpointId !== null ? await rowOf(em, row.endpointId) : row;
    const { action, why } = await asking(context, () => retryWorkflow(em, client, tried));
    if (why !== undefined) context.note(`${workflowIdOf(row)}: ${why}`);
    return { id, workflowId: workflowIdOf(row), action };
  },
};

/** Terminating what has ended is no error: it does not run, which is what was wanted. */
const terminate: Command = {
  name: 'workflow terminate',
  args: [ID],
  async run(context, [argument = '']) {
    const id = rowIdOf(argument);
    const em = await context.em();
    const row = await rowOf(em, id);
    const client = await context.temporal();
    await asking(context, () => terminateWorkflow(em, client, row));
    return { id, workflowId: workflowIdOf(row), status: (await rowOf(em, id)).status };
  },
};

/** What an on-call engineer does about workflows: decisions.md 18. */
export const workflowCommands: readonly Command[] = [stuck, retry, terminate];
