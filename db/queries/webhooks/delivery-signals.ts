import { sql } from 'kysely';
import type { EntityManager } from '../../orm.ts';
import { noteMessages } from '../../outbox-signal.ts';
import { row } from '../../rows.ts';
import { signallingDeliveries } from '../operations/outbox.ts';
import { HAS_WORKFLOW } from './burst-or-workflow.ts';

/**
 * Makes the workflows of an endpoint's pending deliveries read again whether it is enabled. An attempt that finds its endpoint disabled holds only
 * after `isEndpointEnabled`, so that it is seen here or sees the change.
 */
export async function signalHeldDeliveries(tx: EntityManager, endpointId: string): Promise<void> {
  const signalled = await row(
    tx,
    sql<{ count: number }>`
      with deliveries as materialized (
        select d.id, d.project_id from webhook_deliveries d where d.endpoint_id = ${endpointId} and ${HAS_WORKFLOW}
      ), written as (${signallingDeliveries('deliveries')} returning 1)
      select count(*) as count from written`,
  );
  if (signalled && signalled.count > 0) noteMessages(tx);
}
