import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, expect, test } from 'vitest';
import { WebhookDelivery, type WebhookDeliveryRow, WebhookEndpoint, WebhookEvent } from '../../../db/entities/index.ts';
import type { EntityManager } from '../../../db/orm.ts';
import { dropDeliveries } from '../../../db/queries/webhooks/webhook-endpoints.ts';
import { row, rows } from '../../../db/rows.ts';
import { pruneExpired } from '../../../usecases/operations/prune-expired.ts';
import { deleteEndpoint } from '../../../usecases/webhooks/delete-endpoint.ts';
import { retryDelivery } from '../../../usecases/webhooks/retry-delivery.ts';
import { burstWorkflowId, CHANGED_SIGNAL, deliveryWorkflowId } from '../../../workflows/contracts.ts';
import { untilBlocked } from '../../support/blocked.ts';
import { bareProject, ownDatabase } from '../../support/own-database.ts';

const DAY_MS = 86_400_000;
const NOW = new Date('2026-06-01T12:00:00Z');

let em: EntityManager;
let project: { id: string };
beforeAll(async () => {
  em = (await ownDatabase()).em.fork();
  project = await bareProject(em);
});

async function bareEndpoint(fields: { has_lane?: boolean } = {}): Promise<string> {
  const id = uuidv7();
  await em.insert(WebhookEndpoint, {
    id,
    project_id: project.id,
    url: 'https://x.example/',
    events: null,
    sealed_secret: Buffer.of(1),
    ...fields,
  });
  return id;
}

const idAt = (at: Date): string => uuidv7({ msecs: at.getTime() });
const daysAgo = (days: number): Date => new Date(NOW.getTime() - days * DAY_MS);

/** An event with a delivery in each of these states. */
async function told(at: Date, endpointId: string, ...statuses: readonly WebhookDeliveryRow['status'][]): Promise<string> {
  const event = idAt(at);
  await em.insert(WebhookEvent, { id: event, project_id: project.id, type: 'email.sent', data: {}, created_at: at });
  for (const status of statuses)
    await em.insert(WebhookDelivery, {
      id: idAt(at),
      project_id: project.id,
      endpoint_id: endpointId,
      event_id: event,
      status,
      created_at: at,
      next_attempt_at: at,
    });
  return event;
}

const statusesOf = async (eventId: string) => {
  const found = await rows(
    em,
    sql<{ status: string | null }>`
      select d.status from webhook_events v left join webhook_deliveries d on d.event_id = v.id where v.id = ${eventId} order by d.status`,
  );
  return found.map(({ status }) => status);
};

test('outgoing events go with their deliveries 30 days after the last attempt, and none that is pending', async () => {
  const endpoint = await bareEndpoint();
  const old = await told(daysAgo(30.01), endpoint, 'delivered', 'failed');
  const unheard = await told(daysAgo(30.01), endpoint);
  const held = await told(daysAgo(200), endpoint, 'pending', 'delivered');
  const late = await told(daysAgo(200), endpoint, 'delivered', 'failed');
  await rows(em, sql`update webhook_deliveries set next_attempt_at = ${daysAgo(29.99)} where event_id = ${late} and status = 'failed'`);
  const young = await told(daysAgo(29.99), endpoint, 'delivered', 'failed', 'pending');
  await pruneExpired(em.fork(), { now: NOW });
  expect(await statusesOf(old)).toEqual([]);
  expect(await statusesOf(unheard)).toEqual([]);
  expect(await statusesOf(held)).toEqual(['pending']);
  expect(await statusesOf(late)).toEqual(['failed']);
  expect(await statusesOf(young)).toEqual(['delivered', 'failed', 'pending']);
});

test('a delivery that is begun again while it expires stays', async () => {
  const endpointId = await bareEndpoint();
  const event = await told(daysAgo(91), endpointId, 'failed');
  const { id } = (await row(em, sql<{ id: string }>`select id from webhook_deliveries where event_id = ${event}`))!;
  const { expiring } = await em.fork().transactional(async (tx) => {
    await retryDelivery(tx, { projectId: project.id, endpointId, id });
    const started = pruneExpired(em.fork(), { now: NOW });
    await untilBlocked(tx);
    return { expiring: started };
  });
  await expiring;
  expect(await statusesOf(event)).toEqual(['pending']);
});

test('an attempt whose delivery is gone is forgotten after a day', async () => {
  const endpoint = await bareEndpoint();
  const event = await told(daysAgo(2), endpoint, 'pending');
  const begin = (id: string, at: Date) =>
    rows(em, sql`insert into webhook_attempts (delivery_id, token, begun_at) values (${id}, ${uuidv7()}, ${at})`);
  const { id } = (await row(em, sql<{ id: string }>`select id from webhook_deliveries where event_id = ${event}`))!;
  const [orphan, youngOrphan] = [uuidv7(), uuidv7()];
  await begin(id, daysAgo(2));
  await begin(orphan, daysAgo(1.01));
  await begin(youngOrphan, daysAgo(0.99));
  await pruneExpired(em.fork(), { now: NOW });
  const left = await rows(em, sql<{ delivery_id: string }>`select delivery_id from webhook_attempts`);
  expect(left.map(({ delivery_id }) => delivery_id).sort()).toEqual([id, youngOrphan].sort());
});

test('what a deleted endpoint leaves is dropped some at a time, and each workflow of it is told', async () => {
  const [endpoint, other] = [await bareEndpoint({ has_lane: true }), await bareEndpoint()];
  const event = await told(NOW, other, 'pending');
  await rows(
    em,
    sql`insert into webhook_deliveries (project_id, endpoint_id, event_id, status, in_lane)
        select ${project.id}, ${endpoint}, ${event}, (array['delivered', 'failed', 'pending', 'pending'])[n % 4 + 1], n % 4 = 3
        from generate_series(1, 12000) n`,
  );
  const pending = await rows(
    em,
    sql<{ id: string }>`select id from webhook_deliveries where endpoint_id = ${endpoint} and status = 'pending' and not in_lane`,
  );
  expect(pending).toHaveLength(3000);
  await rows(em, sql`delete from outbox`);
  const left = async () =>
    (await row(em, sql<{ count: number }>`select count(*) as count from webhook_deliveries where endpoint_id = ${endpoint}`))!.count;
  expect(await em.fork().transactional((tx) => deleteEndpoint(tx, project.id, endpoint))).toBe(true);
  for (let before = 12_000, now = await left(); before > 0; before = now, now = await left()) {
    expect(before - now).toBeLessThanOrEqual(4_000);
    if (now > 0) expect(before - now).toBeGreaterThan(0);
    expect(await em.fork().transactional(dropDeliveries)).toBe(true);
  }
  expect(await em.fork().transactional(dropDeliveries)).toBe(false);
  const signalled = await rows(em, sql<{ workflow_id: string; message: unknown }>`select workflow_id, message from outbox`);
  expect(signalled.map(({ workflow_id }) => workflow_id).sort()).toEqual(
    [burstWorkflowId(endpoint), ...pending.map(({ id }) => deliveryWorkflowId(id))].sort(),
  );
  for (const { message } of signalled) expect(message).toEqual({ kind: 'signal', signal: CHANGED_SIGNAL });
  expect(await statusesOf(event)).toEqual(['pending']);
});
