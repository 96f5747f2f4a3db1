import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { row, rows } from '../../../db/rows.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { listenForEvents } from '../../support/webhook-events.ts';

const told = async (events: Awaited<ReturnType<typeof listenForEvents>>) =>
  (await events()).map(({ type, data }) => `${type} ${(data as { email: string }).email}`);
const countAll = async ({ id }: TestProject) =>
  (await row(await database(), sql<{ count: number }>`select count(*) as count from webhook_events where project_id = ${id}`))?.count;

test('contact.subscribed is told on insert as subscribed and on every move into it, contact.unsubscribed on every move into it', async () => {
  const project = await newProject();
  const events = await listenForEvents(project);
  const upsert = (body: unknown) => project.api.post('/contacts', body);
  const created = (
    await upsert([{ email: 'a@x.example' }, { email: 'b@x.example', status: 'pending' }, { email: 'c@x.example', status: 'unsubscribed' }])
  ).body.contacts;
  expect(await told(events)).toEqual(['contact.subscribed a@x.example']);
  expect((await events())[0]?.data).toEqual(created[0]);
  await upsert({ email: 'a@x.example', firstName: 'Anna' });
  await upsert({ email: 'b@x.example', status: 'subscribed' });
  await upsert({ email: 'a@x.example', status: 'unsubscribed' });
  await upsert({ email: 'a@x.example', status: 'subscribed' });
  await upsert({ email: 'a@x.example', status: 'subscribed', resubscribe: true });
  await upsert({ email: 'a@x.example', status: 'bounced' });
  await project.api.post(`/contacts/${created[1].id}/unsubscribe`);
  await project.api.post(`/contacts/${created[1].id}/unsubscribe`);
  expect((await told(events)).slice(1)).toEqual([
    'contact.subscribed b@x.example',
    'contact.unsubscribed a@x.example',
    'contact.subscribed a@x.example',
    'contact.unsubscribed b@x.example',
  ]);
});

test('an endpoint that is not enabled is told nothing, also where another one is', async () => {
  const project = await newProject();
  await listenForEvents(project, { events: ['email.sent'] });
  const events = await listenForEvents(project, { enabled: false });
  await project.api.post('/contacts', { email: 'a@x.example' });
  expect(await told(events)).toEqual([]);
});

test('an array that is refused tells nothing', async () => {
  const project = await newProject();
  const events = await listenForEvents(project);
  const answer = await project.api.post('/contacts', [{ email: 'a@x.example' }, { email: 'b@x.example', brand: 'unknown' }]);
  expect(answer.status).toBe(422);
  expect(await events()).toEqual([]);
});

test('nothing is kept that no enabled endpoint wants', async () => {
  const project = await newProject();
  const create = () => project.api.post('/contacts', { email: project.address() });
  await create();
  expect(await countAll(project)).toBe(0);
  await listenForEvents(project);
  const em = await database();
  await rows(em, sql`update webhook_endpoints set events = array['email.sent'] where project_id = ${project.id}`);
  await create();
  expect(await countAll(project)).toBe(0);
  await rows(em, sql`update webhook_endpoints set events = array['contact.subscribed'] where project_id = ${project.id}`);
  await create();
  expect(await countAll(project)).toBe(1);
  await rows(em, sql`update webhook_endpoints set enabled = false where project_id = ${project.id}`);
  await create();
  expect(await countAll(project)).toBe(1);
});

test('whether anybody listens stays known when endpoints come and go at once', async () => {
  const project = await newProject();
  await Promise.all(Array.from({ length: 4 }, () => listenForEvents(project)));
  const em = await database();
  const hears = async () =>
    (await row(em, sql<{ has_webhooks: boolean }>`select has_webhooks from projects where id = ${project.id}`))?.has_webhooks;
  const endpoints = await rows(em, sql<{ id: string }>`select id from webhook_endpoints where project_id = ${project.id}`);
  await Promise.all([
    ...endpoints.map(async ({ id }) => rows(await database(), sql`delete from webhook_endpoints where id = ${id}`)),
    listenForEvents(project),
  ]);
  expect(await hears()).toBe(true);
  await rows(em, sql`delete from webhook_endpoints where project_id = ${project.id}`);
  expect(await hears()).toBe(false);
});
