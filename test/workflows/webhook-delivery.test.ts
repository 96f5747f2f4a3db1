import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { v7 as uuidv7 } from 'uuid';
import { WebhookDelivery, type WebhookDeliveryRow, WebhookEndpoint } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { createVault } from '../../domain/crypto.ts';
import { sealedOf } from '../../domain/sealed.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { type HttpReceiver, startHttpReceiver } from '../support/http-receiver.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { must } from '../support/sequences.ts';

let em: EntityManager;
let receiver: HttpReceiver;
const secret = `whsec_${randomBytes(32).toString('base64')}`;

beforeAll(async () => {
  em = await database();
  receiver = await startHttpReceiver();
});
afterAll(() => receiver.close());

/** A project with an endpoint for what becomes of its contacts. */
async function listen(path: string): Promise<{ project: TestProject; endpoint: string }> {
  const project = await newProject();
  const id = uuidv7();
  const vault = createVault(Buffer.from(testEnvironment().secretKey, 'base64'));
  const sealed = vault.seal(Buffer.from(secret), sealedOf.endpointSecret(id));
  await em.insert(WebhookEndpoint, {
    id,
    project_id: project.id,
    url: `${receiver.url}${path}`,
    sealed_secret: sealed,
    events: ['contact.subscribed'],
  });
  return { project, endpoint: id };
}

async function deliveriesOf(endpointId: string): Promise<WebhookDeliveryRow[]> {
  return (await database()).find(WebhookDelivery, { endpoint_id: endpointId }, { orderBy: { place: 'asc' } });
}

test('an event arrives signed, and its delivery is recorded', async () => {
  const { project, endpoint } = await listen('/first');
  must(await project.api.post('/contacts', { email: 'first@to.example' }), 200);
  await eventually(async () => (await deliveriesOf(endpoint))[0]?.status === 'delivered');
  const [call, ...more] = receiver.calls('/first');
  expect(more).toEqual([]);
  const body = new Webhook(secret).verify(call!.body, call!.headers as Record<string, string>) as Record<string, unknown>;
  expect(body).toMatchObject({ type: 'contact.subscribed', data: { email: 'first@to.example' } });
  const [delivery] = await deliveriesOf(endpoint);
  expect(delivery).toMatchObject({ status: 'delivered', attempts: 1, response_status: 200 });
  expect(delivery?.attempt_log).toMatchObject([{ series: 1, number: 1, status: 200, error: null }]);
});

test('a refused event is attempted again until it is taken, with the same id and body', async () => {
  const { project, endpoint } = await listen('/again');
  receiver.answer('/again', 500, 503);
  must(await project.api.post('/contacts', { email: 'again@to.example' }), 200);
  await eventually(async () => (await deliveriesOf(endpoint))[0]?.status === 'delivered');
  const calls = receiver.calls('/again');
  expect(calls).toHaveLength(3);
  expect(new Set(calls.map(({ headers, body }) => `${headers['webhook-id']} ${body}`)).size).toBe(1);
  const [delivery] = await deliveriesOf(endpoint);
  expect(delivery?.attempt_log.map(({ number, status }) => [number, status])).toEqual([
    [1, 500],
    [2, 503],
    [3, 200],
  ]);
});

test('an event that is refused six times is failed', async () => {
  const { project, endpoint } = await listen('/never');
  receiver.answer('/never', 500, 500, 500, 500, 500, 500);
  must(await project.api.post('/contacts', { email: 'never@to.example' }), 200);
  await eventually(async () => (await deliveriesOf(endpoint))[0]?.status === 'failed', { timeoutMs: 60_000 });
  expect(receiver.calls('/never')).toHaveLength(6);
});

test('many events at once go through the lane of their endpoint, each once', async () => {
  const { project, endpoint } = await listen('/many');
  const contacts = Array.from({ length: 600 }, (_, index) => ({ email: `many-${index}@to.example` }));
  must(await project.api.post('/contacts', contacts), 200);
  await eventually(async () => (await deliveriesOf(endpoint)).every(({ status }) => status === 'delivered'), { timeoutMs: 60_000 });
  expect(await deliveriesOf(endpoint)).toHaveLength(600);
  const ids = receiver.calls('/many').map(({ headers }) => headers['webhook-id']);
  // Not a connection for each.
  expect(receiver.calls('/many').every(({ headers }) => headers.connection === 'keep-alive')).toBe(true);
  expect(ids).toHaveLength(600);
  expect(new Set(ids).size).toBe(600);
  await eventually(async () => !(await (await database()).findOneOrFail(WebhookEndpoint, { id: endpoint })).has_lane);
});
