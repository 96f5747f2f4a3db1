import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { row } from '../../../db/rows.ts';
import { testEnvironment } from '../../support/environment.ts';
import { eventually } from '../../support/eventually.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { createEndpoint, deliveriesSettle } from '../../support/webhook-endpoints.ts';

async function listen({ api }: TestProject, body: object = {}): Promise<{ id: string; secret: string }> {
  const answer = await api.post('/webhooks/listeners', body);
  expect(answer.status).toBe(201);
  return { id: answer.body.listener.id, secret: answer.body.secret };
}

// biome-ignore lint/suspicious/noExplicitAny: tests reach into it
async function next({ api }: TestProject, id: string, body: object = {}): Promise<any[]> {
  const answer = await api.post(`/webhooks/listeners/${id}/next`, { waitSeconds: 0, ...body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body.deliveries;
}

const signUp = ({ api }: TestProject, email: string) => api.post('/contacts', { email, status: 'subscribed' });
const emailsOf = (deliveries: readonly { body: string }[]) => deliveries.map(({ body }) => JSON.parse(body).data.email);

describe('a listener', () => {
  test('fetches what happens since it is there, in order, signed as an endpoint would have it, until it is told as done', async () => {
    const project = await newProject();
    await signUp(project, 'before@example.com');
    const { id, secret } = await listen(project, { events: ['contact.subscribed'] });
    expect(await next(project, id)).toEqual([]);
    for (const email of ['a@example.com', 'b@example.com', 'c@example.com']) await signUp(project, email);
    const first = await next(project, id, { limit: 2 });
    expect(emailsOf(first)).toEqual(['a@example.com', 'b@example.com']);
    for (const { id: webhookId, headers, body, event_type } of first) {
      expect(headers['webhook-id']).toBe(webhookId);
      expect(new Webhook(secret).verify(body, headers)).toMatchObject({ type: event_type });
      expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow();
    }
    // What is handed out is not handed out again at once, but again when it is not told as done for a while.
    expect(emailsOf(await next(project, id))).toEqual(['c@example.com']);
    expect(await next(project, id, { done: [first[0].id] })).toEqual([]);
    const em = await database();
    await row(em, sql`update listener_deliveries set handed_out_until = now() - interval '1 second' where listener_id = ${id}`);
    const again = await next(project, id);
    expect(emailsOf(again)).toEqual(['b@example.com', 'c@example.com']);
    expect(again[0].headers['webhook-id']).toBe(first[1].id);
    expect(again[0].body).toBe(first[1].body);
    expect(await next(project, id, { done: again.map((one) => one.id) })).toEqual([]);
  });

  test('shows what its receiver answered as deliveries to an endpoint are shown, the latest only, and hands it out no more', async () => {
    const project = await newProject();
    const { id } = await listen(project, { events: ['contact.subscribed'] });
    for (const email of ['a@example.com', 'b@example.com', 'c@example.com']) await signUp(project, email);
    const [first, second, third] = await next(project, id);
    const answers = [
      { id: first.id, status: 204, milliseconds: 12 },
      { id: second.id, status: null, error: 'ECONNREFUSED' },
    ];
    expect(await next(project, id, { done: [first.id, second.id], answers })).toEqual([]);
    // The first answer counts, and another listener has nothing to say of it.
    const other = await listen(project);
    await next(project, other.id, { answers: [{ id: third.id, status: 500 }] });
    await next(project, id, { answers: [{ id: first.id, status: 500 }] });
    const em = await database();
    await row(
      em,
      sql`update listener_deliveries set handed_out_until = now() - interval '1 second' where listener_id = ${id} and attempt is null`,
    );
    expect((await next(project, id)).map((one) => one.id)).toEqual([third.id]);
    const reader = await project.newKey(['webhooks:read']);
    const path = `/webhooks/listeners/${id}/deliveries`;
    const { deliveries } = (await reader.api.get(path)).body;
    expect(deliveries).toMatchObject([
      { id: third.id, status: 'pending', attempt_log: [] },
      { id: second.id, status: 'failed', attempt_log: [{ series: 1, number: 1, status: null, error: 'ECONNREFUSED', milliseconds: null }] },
      { id: first.id, status: 'delivered', payload: JSON.parse(first.body), attempt_log: [{ status: 204, error: null, milliseconds: 12 }] },
    ]);
    expect((await (await newProject()).api.get(path)).status).toBe(404);
    await row(
      em,
      sql`insert into listener_deliveries (listener_id, event_id) select ${id}, ${deliveries[2].payload.id} from generate_series(1, 201)`,
    );
    const many: { id: string }[] = [];
    for (let page: { id: string }[] = await next(project, id); page.length > 0; page = await next(project, id)) many.push(...page);
    await next(project, id, { answers: many.map((one) => ({ id: one.id, status: 200 })) });
    const kept = await row(
      em,
      sql<{ count: number }>`select count(*) as count from listener_deliveries where listener_id = ${id} and attempt is not null`,
    );
    expect([many.length, kept?.count]).toEqual([201, 200]);
  });

  test('is told at once of what happens while it waits', async () => {
    const project = await newProject();
    const { id } = await listen(project);
    const waiting = next(project, id, { waitSeconds: 20 });
    await signUp(project, 'now@example.com');
    expect(emailsOf(await waiting)).toContain('now@example.com');
  });

  test('changes nothing of what endpoints get, and is no endpoint', async () => {
    const project = await newProject();
    const endpoint = await createEndpoint(project, `${testEnvironment().receiverUrl}/200`, { events: ['contact.subscribed'] });
    const { id } = await listen(project, { events: ['contact.subscribed'] });
    await signUp(project, 'both@example.com');
    const [delivery] = await deliveriesSettle(project, endpoint.id, 1);
    const [fetched] = await next(project, id);
    expect(JSON.parse(fetched.body)).toEqual(delivery.payload);
    expect(fetched.id).not.toBe(delivery.id);
    const { webhooks } = (await project.api.get('/webhooks')).body;
    expect(webhooks.map((webhook: { id: string }) => webhook.id)).toEqual([endpoint.id]);
    expect((await project.api.get(`/webhooks/${id}/deliveries`)).status).toBe(404);
  });

  test('is over when nobody asks for a while, makes room then, and costs nothing any more', async () => {
    const project = await newProject();
    const em = await database();
    const listeners: { id: string }[] = [];
    for (let made = 0; made < 10; made++) listeners.push(await listen(project));
    expect((await project.api.post('/webhooks/listeners', {})).body).toMatchObject({ code: 'too_many_webhooks' });
    await row(em, sql`update webhook_listeners set heard_at = now() - interval '121 seconds' where project_id = ${project.id}`);
    await signUp(project, 'nobody@example.com');
    expect(await row(em, sql`select 1 from webhook_events where project_id = ${project.id}`)).toBeUndefined();
    const { id } = await listen(project);
    expect((await project.api.post(`/webhooks/listeners/${listeners[0]?.id}/next`, { waitSeconds: 0 })).status).toBe(404);
    await signUp(project, 'somebody@example.com');
    expect(emailsOf(await next(project, id))).toContain('somebody@example.com');
    expect((await project.api.delete(`/webhooks/listeners/${id}`)).status).toBe(200);
    expect((await project.api.post(`/webhooks/listeners/${id}/next`, { waitSeconds: 0 })).status).toBe(404);
    expect(await row(em, sql`select 1 from listener_deliveries where listener_id = ${id}`)).toBeUndefined();
    await eventually(async () =>
      expect(await row(em, sql`select 1 from projects where id = ${project.id} and has_webhooks`)).toBeUndefined(),
    );
  });

  test('is of its project alone, and needs the scope that changes webhooks', async () => {
    const project = await newProject();
    const other = await newProject();
    const { id } = await listen(project);
    await signUp(project, 'mine@example.com');
    expect((await other.api.post(`/webhooks/listeners/${id}/next`, { waitSeconds: 0 })).status).toBe(404);
    expect((await other.api.delete(`/webhooks/listeners/${id}`)).status).toBe(404);
    const [own] = await next(project, id);
    const theirs = await listen(other);
    await next(other, theirs.id, { done: [own.id] });
    const em = await database();
    expect(await row(em, sql`select 1 from listener_deliveries where id = ${own.id}`)).toBeDefined();
    const reader = await project.newKey(['webhooks:read']);
    expect((await reader.api.post('/webhooks/listeners', {})).status).toBe(403);
    expect((await reader.api.post(`/webhooks/listeners/${id}/next`, { waitSeconds: 0 })).status).toBe(403);
    for (const body of [{ waitSeconds: 26 }, { limit: 51 }, { limit: 0 }, { done: ['x'] }])
      expect((await project.api.post(`/webhooks/listeners/${id}/next`, body)).body.code).toBe('invalid_request');
  });

  test('is handed nothing of a person who was erased meanwhile', async () => {
    const project = await newProject();
    const { id } = await listen(project, { events: ['contact.subscribed'] });
    const { contacts } = (await signUp(project, 'gone@example.com')).body;
    expect((await project.api.delete(`/contacts/${contacts[0].id}`)).status).toBe(200);
    const [left] = await next(project, id);
    expect(left.body).not.toContain('gone@example.com');
    expect(JSON.parse(left.body).data).toEqual({ erased: true });
  });
});
