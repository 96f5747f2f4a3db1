import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rows } from '../../../db/rows.ts';
import { freePort } from '../../../local/ports.ts';
import { eventually } from '../../support/eventually.ts';
import { guideBlocks } from '../../support/guide-blocks.ts';
import { type HttpReceiver, type ReceivedCall, startHttpReceiver } from '../../support/http-receiver.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { must } from '../../support/sequences.ts';
import { createEndpoint, deliveriesOf, deliveriesSettle } from '../../support/webhook-endpoints.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const SUBSCRIBED = { events: ['contact.subscribed'] } as const;

let project: TestProject;
let receiver: HttpReceiver;
beforeAll(async () => {
  project = await newProject();
  receiver = await startHttpReceiver();
});
afterAll(() => receiver.close());

const subscribe = async (name: string): Promise<string> => {
  const email = project.address(name);
  must(await project.api.post('/contacts', { email }), 200);
  return email;
};
const rotate = async (id: string, body?: object) => must(await project.api.post(`/webhooks/${id}/rotate`, body), 200);

/** The event, verified by the client of Svix and by the standard library. */
// biome-ignore lint/suspicious/noExplicitAny: the event as the receiver reads it
function verified(secret: string, { body, headers }: ReceivedCall): any {
  new SvixWebhook(secret).verify(body, { ...headers });
  return new Webhook(secret).verify(body, { ...headers });
}

describe('what arrives', () => {
  test('verifies with the standard library and with that of Svix, and nothing that was changed does', async () => {
    const { id, secret } = await createEndpoint(project, `${receiver.url}/signed?q=1`, SUBSCRIBED);
    const email = await subscribe('grüße');
    const [delivery] = await deliveriesSettle(project, id, 1);
    const [call] = receiver.calls('/signed') as [ReceivedCall];
    expect(verified(secret, call)).toEqual({
      id: delivery.payload.id,
      type: 'contact.subscribed',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      data: expect.objectContaining({ email }),
    });
    expect(call).toMatchObject({ method: 'POST', path: '/signed?q=1', headers: { 'content-type': 'application/json' } });
    expect(call.headers['webhook-id']).toBe(delivery.id);
    expect(Math.abs(Date.now() / 1000 - Number(call.headers['webhook-timestamp']))).toBeLessThan(300);
    for (const changed of [
      { ...call, body: call.body.replace('contact.', 'kontact.') },
      { ...call, headers: { ...call.headers, 'webhook-id': delivery.payload.id } },
      { ...call, headers: { ...call.headers, 'webhook-timestamp': String(Number(call.headers['webhook-timestamp']) + 1) } },
    ])
      expect(() => verified(secret, changed)).toThrow('No matching signature');
  });

  test('is signed anew at each attempt, with the time of that attempt', async () => {
    const { id, secret } = await createEndpoint(project, `${receiver.url}/anew`, SUBSCRIBED);
    // Attempts a second apart have different timestamps.
    receiver.answer('/anew', 500, 500, 500, 500);
    await subscribe('anew');
    await deliveriesSettle(project, id, 1);
    const calls = receiver.calls('/anew');
    for (const call of calls) verified(secret, call);
    expect(new Set(calls.map(({ headers }) => headers['webhook-signature'])).size).toBeGreaterThan(1);
    expect(new Set(calls.map(({ headers, body }) => headers['webhook-id'] + body)).size).toBe(1);
  });

  test('goes to each endpoint under an id of its own, as one event', async () => {
    const endpoints = [
      await createEndpoint(project, `${receiver.url}/each/1`, SUBSCRIBED),
      await createEndpoint(project, `${receiver.url}/each/2`, SUBSCRIBED),
      await createEndpoint(project, `${receiver.url}/each/3`, { events: ['email.sent'] }),
    ];
    await subscribe('each');
    for (const { id } of endpoints.slice(0, 2)) await deliveriesSettle(project, id, 1);
    const calls = receiver.calls('/each');
    expect(calls.map(({ path }) => path).sort()).toEqual(['/each/1', '/each/2']);
    expect(new Set(calls.map(({ headers }) => headers['webhook-id'])).size).toBe(2);
    expect(new Set(calls.map(({ body }) => body)).size).toBe(1);
  });

  test('can be signed with a text of the project, whose UTF-8 bytes are the key', async () => {
    const secret = 'unser Geheimnis für alle Fälle';
    const { id } = await createEndpoint(project, `${receiver.url}/text`, { ...SUBSCRIBED, secret });
    await subscribe('text');
    await deliveriesSettle(project, id, 1);
    const [{ body, headers }] = receiver.calls('/text') as [ReceivedCall];
    const webhook = new Webhook(new TextEncoder().encode(secret), { format: 'raw' });
    expect(webhook.verify(body, { ...headers })).toEqual(JSON.parse(body));
  });

  test('is what the receiver of docs/webhooks.md takes, and nothing else', async () => {
    const { code } = guideBlocks('webhooks').find(({ title }) => title === 'receiver.mjs')!;
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/`;
    const { id, secret } = await createEndpoint(project, url, SUBSCRIBED);
    const env = { PATH: process.env.PATH, WEBHOOK_SECRET: secret, PORT: String(port) };
    const program = spawn(process.execPath, ['--input-type=module', '--eval', code], {
      cwd: ROOT,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      let printed = '';
      program.stdout.on('data', (chunk: Buffer) => {
        printed += chunk.toString();
      });
      await eventually(async () => (await fetch(url, { method: 'POST', body: '{}' })).status === 400);
      const email = await subscribe('guide');
      expect(await deliveriesSettle(project, id, 1)).toMatchObject([{ status: 'delivered', response_status: 204 }]);
      await eventually(() => printed.includes('contact.subscribed') && printed.includes(email));
    } finally {
      program.kill();
    }
  });
});

describe('rotating the secret', () => {
  test('without an overlap the old one stops working at once, for events of before, too', async () => {
    const { id, secret } = await createEndpoint(project, `${receiver.url}/rotated`, SUBSCRIBED);
    receiver.answer('/rotated', 500);
    const gate = Promise.withResolvers<void>();
    receiver.holdUp('/rotated', gate.promise);
    await subscribe('rotated');
    await eventually(() => receiver.calls('/rotated').length === 1);
    const { endpoint, secret: fresh } = await rotate(id);
    expect(endpoint).toEqual({ id, url: `${receiver.url}/rotated`, ...SUBSCRIBED, enabled: true, created_at: expect.any(String) });
    gate.resolve();
    await deliveriesSettle(project, id, 1);
    const [before, after] = receiver.calls('/rotated') as [ReceivedCall, ReceivedCall];
    verified(secret, before);
    verified(fresh, after);
    expect(() => verified(secret, after)).toThrow('No matching signature');
  });

  test('within an overlap receivers with either secret verify, and after it only those with the new one', async () => {
    const { id, secret } = await createEndpoint(project, `${receiver.url}/overlap`, SUBSCRIBED);
    const { secret: second } = await rotate(id, { overlapHours: 72 });
    await subscribe('overlap-1');
    await deliveriesSettle(project, id, 1);
    const [both] = receiver.calls('/overlap') as [ReceivedCall];
    expect(both.headers['webhook-signature']?.split(' ')).toHaveLength(2);
    for (const known of [secret, second]) verified(known, both);
    await rows(await database(), sql`update webhook_endpoints set previous_secret_until = now() where id = ${id}`);
    await subscribe('overlap-2');
    await deliveriesSettle(project, id, 2);
    const past = receiver.calls('/overlap')[1]!;
    verified(second, past);
    expect(() => verified(secret, past)).toThrow('No matching signature');
    // The overlap is with the one before, and a rotation without one ends it.
    const { secret: third } = await rotate(id, { overlapHours: 1 });
    const { secret: fourth } = await rotate(id, {});
    must(await project.api.post(`/webhooks/${id}/ping`), 200);
    const last = receiver.calls('/overlap').at(-1)!;
    verified(fourth, last);
    for (const old of [second, third]) expect(() => verified(old, last)).toThrow('No matching signature');
  });

  test.each([{ overlapHours: -1 }, { overlapHours: 72.5 }, { overlapHours: '1' }])('%j is refused', async (body) => {
    const { id, secret } = await createEndpoint(project, `${receiver.url}/refused`);
    expect(await project.api.post(`/webhooks/${id}/rotate`, body)).toMatchObject({ status: 422, body: { code: 'invalid_request' } });
    must(await project.api.post(`/webhooks/${id}/ping`), 200);
    verified(secret, receiver.calls('/refused').at(-1)!);
    must(await project.api.delete(`/webhooks/${id}`), 200);
  });
});

describe('a ping', () => {
  const ping = async (id: string) => must(await project.api.post(`/webhooks/${id}/ping`), 200);

  test('is signed like an event, also while the endpoint is disabled, and is not recorded', async () => {
    const { id, secret } = await createEndpoint(project, `${receiver.url}/ping`, { events: ['campaign.completed'] });
    must(await project.api.call('PATCH', `/webhooks/${id}`, { enabled: false }), 200);
    expect(await ping(id)).toEqual({ ok: true, delivered: true, responseStatus: 200 });
    const [call] = receiver.calls('/ping') as [ReceivedCall];
    const event = verified(secret, call);
    expect(event).toEqual({ id: expect.any(String), type: 'webhook.ping', timestamp: expect.any(String), data: { endpoint_id: id } });
    expect(call.headers['webhook-id']).not.toBe(event.id);
    await ping(id);
    expect(new Set(receiver.calls('/ping').map(({ headers }) => headers['webhook-id'])).size).toBe(2);
    expect(await deliveriesOf(project, id)).toEqual([]);
    expect(await rows(await database(), sql`select 1 from webhook_events where type = 'webhook.ping'`)).toEqual([]);
  });

  test.each([204, 299, 301, 404, 410, 500])('answered with %i says so, and is made once', async (status) => {
    const { id } = await createEndpoint(project, `${receiver.url}/ping-${status}`, { events: ['campaign.completed'] });
    receiver.answer(`/ping-${status}`, status);
    expect(await ping(id)).toEqual({ ok: true, delivered: status < 300, responseStatus: status });
    expect(receiver.calls(`/ping-${status}`)).toHaveLength(1);
  });

  test('that never completes has no status, and tells nothing of the network', async () => {
    for (const url of [
      `http://127.0.0.1:${await freePort()}/`,
      'https://nobody.invalid/',
      `${receiver.url.replace('http:', 'https:')}/tls`,
    ]) {
      const { id } = await createEndpoint(project, url, { events: ['campaign.completed'] });
      expect(await ping(id)).toEqual({ ok: true, delivered: false, responseStatus: null });
    }
  });

  test('has no more places than a few at one endpoint, and none that hangs takes those of others', async () => {
    const { id } = await createEndpoint(project, `${receiver.url}/hangs`, { events: ['campaign.completed'] });
    const other = await createEndpoint(project, `${receiver.url}/quick`, { events: ['campaign.completed'] });
    const gate = Promise.withResolvers<void>();
    receiver.holdUp('/hangs', gate.promise);
    const hanging = Array.from({ length: 4 }, () => ping(id));
    await eventually(() => receiver.calls('/hangs').length === 4);
    const refused = await project.api.post(`/webhooks/${id}/ping`);
    expect([refused.status, refused.body.code, Number(refused.headers.get('retry-after'))]).toEqual([429, 'rate_limited', 5]);
    expect(await ping(other.id)).toMatchObject({ delivered: true });
    gate.resolve();
    expect(await Promise.all(hanging)).toEqual(Array(4).fill({ ok: true, delivered: true, responseStatus: 200 }));
    expect(await ping(id)).toMatchObject({ delivered: true });
  });

  test('has ten seconds in all', async () => {
    const { id } = await createEndpoint(project, `${receiver.url}/slow`, { events: ['campaign.completed'] });
    const gate = Promise.withResolvers<void>();
    receiver.holdUp('/slow', gate.promise);
    expect(await ping(id)).toEqual({ ok: true, delivered: false, responseStatus: null });
    gate.resolve();
  });
});
