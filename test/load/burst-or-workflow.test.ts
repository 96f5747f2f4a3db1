import type { Client } from '@temporalio/client';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebhookAttempt, WebhookDelivery } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { leaveToBursts } from '../../db/queries/webhooks/webhook-starts.ts';
import { row } from '../../db/rows.ts';
import { CHANGED_SIGNAL, TASK_QUEUES } from '../../workflows/contracts.ts';
import { untilBlocked } from '../support/blocked.ts';
import { eventually } from '../support/eventually.ts';
import { type HttpReceiver, startHttpReceiver } from '../support/http-receiver.ts';
import { database } from '../support/project.ts';
import { temporalClient, workflowHistory } from '../support/temporal.ts';
import { burstHandle, newEndpoint, rowInBurst } from '../support/webhooks.ts';

let receiver: HttpReceiver;
let client: Client;
let em: EntityManager;

beforeAll(async () => {
  receiver = await startHttpReceiver();
  client = await temporalClient();
  em = await database();
});
afterAll(() => receiver?.close());

test.each([
  [
    'is in flight',
    async (id: string) => {
      await em.fork().insert(WebhookAttempt, { delivery_id: id, token: uuidv7(), begun_at: new Date() });
    },
  ],
  [
    'is planned for later',
    async (id: string) => {
      await em.fork().nativeUpdate(WebhookDelivery, { id }, { next_attempt_at: new Date(Date.now() + 3_600_000) });
    },
  ],
  [
    'is settled',
    async (id: string) => {
      await em.fork().nativeUpdate(WebhookDelivery, { id }, { status: 'failed' });
    },
  ],
])('a delivery that %s is not left to a burst', async (_what, happens) => {
  const endpoint = await newEndpoint(receiver, { fields: { enabled: false } });
  await rowInBurst(em, endpoint);
  await em.fork().nativeUpdate(WebhookDelivery, { endpoint_id: endpoint.id }, { in_lane: false, attempts: 1 });
  const [delivery] = await endpoint.deliveries();
  await happens(delivery!.id);
  expect(await leaveToBursts(em.fork(), [delivery!.id])).toEqual(new Set());
  expect(await endpoint.deliveries()).toMatchObject([{ in_lane: false }]);
});

test('a burst that is asked for again while it ends looks once more', async () => {
  const endpoint = await newEndpoint(receiver);
  const handle = burstHandle(client, endpoint);
  const turns = async (): Promise<number> => {
    const { events } = await workflowHistory(client, handle.workflowId);
    return events.filter(({ eventType }) => eventType === 'EVENT_TYPE_ACTIVITY_TASK_SCHEDULED').length;
  };
  await (await database()).transactional(async (tx) => {
    // Its first turn waits for the endpoint's row.
    await row(tx, sql`select 1 from webhook_endpoints where id = ${endpoint.id} for update`);
    const input = { endpointId: endpoint.id, types: 'in words' };
    await client.workflow.start('webhookBurst', { workflowId: handle.workflowId, taskQueue: TASK_QUEUES.workflows, args: [input] });
    await untilBlocked(tx);
    await handle.signal(CHANGED_SIGNAL);
    await eventually(async () => {
      const { events } = await workflowHistory(client, handle.workflowId);
      const signal = events.findIndex(({ eventType }) => eventType === 'EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED');
      return signal >= 0 && events.slice(signal).some(({ eventType }) => eventType === 'EVENT_TYPE_WORKFLOW_TASK_COMPLETED');
    });
  });
  await handle.result();
  expect(await turns()).toBe(2);
});

test('an address that is none holds up no start of others', async () => {
  const endpoint = await newEndpoint(receiver, { fields: { url: 'no address' } });
  const other = await newEndpoint(receiver);
  await endpoint.happens();
  await other.happens();
  await other.all(1, 'delivered');
  const failed = await endpoint.becomes(({ status }) => status === 'failed', { timeoutMs: 60_000 });
  expect(failed.attempt_log).toHaveLength(6);
  expect(failed.attempt_log[0]?.error).toMatch(/^address: /);
  expect(await row(em.fork(), sql`select 1 from outbox where project_id = ${endpoint.project.id}`)).toBeUndefined();
});
