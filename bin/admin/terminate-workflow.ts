import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { RECONCILED_TYPES } from '../../activities/reconciled-types.ts';
import type { EntityManager } from '../../db/orm.ts';
import { dropMessages } from '../../db/queries/operations/outbox.ts';
import type { WorkflowRow } from '../../db/queries/operations/workflow-rows.ts';
import { failInBurst } from '../../db/queries/webhooks/webhook-starts.ts';
import { failBurst } from '../../usecases/webhooks/fail-burst.ts';

/**
 * Ends the workflow of a row, and settles the row at once as reconcile would within a minute. Of what has ended nothing changes. Returns how
 * many deliveries of a burst have failed with it.
 */
export async function terminateWorkflow(
  em: EntityManager,
  client: Client,
  { workflowType, id, inBurst }: WorkflowRow,
): Promise<number | undefined> {
  const { workflowId: idOf, settle } = RECONCILED_TYPES[workflowType];
  if (inBurst && (await em.transactional((tx) => failInBurst(tx, id)))) return undefined;
  const workflowId = idOf(id);
  try {
    await client.workflow.getHandle(workflowId).terminate('terminated by the admin command');
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
  return em.transactional(async (tx) => {
    // A start on its way would keep a delivery open. One that arrives all the same finds the row settled, and ends.
    await dropMessages(tx, workflowId);
    if (workflowType === 'webhookBurst') return (await failBurst(tx, id)) ?? 0;
    await settle(tx, id, 'terminated', new Date());
    return undefined;
  });
}
