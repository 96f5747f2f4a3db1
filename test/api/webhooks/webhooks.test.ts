import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebhookEndpoint } from '../../../db/entities/index.ts';
import { row } from '../../../db/rows.ts';
import { MOST_ENDPOINTS } from '../../../domain/webhooks/endpoint.ts';
import { WEBHOOK_EVENT_TYPES } from '../../../domain/webhooks/event-types.ts';
import { type ApiHere, startApiHere } from '../../support/api-here.ts';
import { untilBlocked } from '../../support/blocked.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { must } from '../../support/sequences.ts';
import { createEndpoint } from '../../support/webhook-endpoints.ts';

const URL_OF_OURS = 'https://hooks.example/in?a=b';
const OWN_SECRET = `whsec_${Buffer.alloc(24, 5).toString('base64')}`;

let project: TestProject;
beforeAll(async () => {
  project = await newProject();
});

const create = (body: object, by = project) => by.api.post('/webhooks', body);
const patch = (id: string, body: object, by = project) => by.api.call('PATCH', `/webhooks/${id}`, body);
const storedOf = async (id: string) => (await database()).findOneOrFail(WebhookEndpoint, { id });

describe('an endpoint', () => {
  test('is created with its secret, which nothing tells again', async () => {
    const { status, body } = await create({ url: URL_OF_OURS });
    expect(status).toBe(201);
    expect(body).toEqual({
      ok: true,
      endpoint: { id: expect.any(String), url: URL_OF_OURS, events: null, enabled: true, created_at: expect.stringMatching(/Z$/) },
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
    const { id } = body.endpoint;
    const others = [
      must(await project.api.get('/webhooks'), 200),
      must(await patch(id, { events: ['email.sent'] }), 200),
      must(await project.api.get(`/webhooks/${id}/deliveries`), 200),
    ];
    expect(JSON.stringify(others)).not.toMatch(/secret|whsec_/);
    expect((await storedOf(id)).sealed_secret.toString()).not.toContain('whsec_');
  });

  test('is listed newest first, to any key, in its own project only', async () => {
    const own = await newProject();
    const ids = [(await createEndpoint(own, URL_OF_OURS)).id, (await createEndpoint(own, URL_OF_OURS)).id];
    const reader = await own.newKey(['contacts:read']);
    const { webhooks } = must(await reader.api.get('/webhooks'), 200);
    expect(webhooks.map(({ id }: { id: string }) => id)).toEqual(ids.reverse());
  });

  test.each([
    [undefined, null],
    [null, null],
    [[], null],
    [
      ['email.sent', 'contact.subscribed', 'email.sent'],
      ['email.sent', 'contact.subscribed'],
    ],
    [[...WEBHOOK_EVENT_TYPES], [...WEBHOOK_EVENT_TYPES]],
  ])('with the events %j is told of %j', async (events, stored) => {
    const { endpoint } = must(await create({ url: URL_OF_OURS, events }), 201);
    expect(endpoint.events).toEqual(stored);
    must(await patch(endpoint.id, { events: ['email.opened'] }), 200);
    expect(must(await patch(endpoint.id, events === undefined ? {} : { events }), 200).endpoint.events).toEqual(
      events === undefined ? ['email.opened'] : stored,
    );
  });

  test.each([OWN_SECRET, 'a text of my own, 16 to 128'])('may have a secret of its own: %s', async (secret) => {
    expect(must(await create({ url: URL_OF_OURS, secret }), 201).secret).toBe(secret);
  });

  test.each([
    [{ events: ['email.sent', 'email.read'] }, 'events[1]'],
    [{ events: ['webhook.ping'] }, 'events[0]'],
    [{ events: 'email.sent' }, 'events'],
    [{ events: Array(101).fill('email.sent') }, 'events'],
    [{ secret: 'too short' }, 'secret'],
    [{ secret: 's'.repeat(129) }, 'secret'],
    [{ secret: 'whsec_not-base64' }, 'secret'],
    [{ url: undefined }, 'url'],
    [{ url: '' }, 'url'],
    [{ url: 'hooks.example' }, 'url'],
    [{ url: 'ftp://hooks.example/' }, 'url'],
    [{ url: 'https://user:password@hooks.example/' }, 'url'],
    [{ url: `https://hooks.example/${'x'.repeat(2048)}` }, 'url'],
  ])('%j is refused as invalid_request', async (part, path) => {
    const { status, body } = await create({ url: URL_OF_OURS, ...part });
    expect([status, body.code, body.issues[0].path]).toEqual([422, 'invalid_request', path]);
    if (path.startsWith('events[')) for (const name of WEBHOOK_EVENT_TYPES) expect(body.error).toContain(name);
  });

  test('changes only in what is given', async () => {
    const { id } = await createEndpoint(project, URL_OF_OURS, { events: ['email.sent'] });
    const before = must(await patch(id, {}), 200).endpoint;
    expect(must(await patch(id, { url: 'https://other.example/' }), 200).endpoint).toEqual({ ...before, url: 'https://other.example/' });
    expect(must(await patch(id, { enabled: false, url: null }), 200).endpoint).toMatchObject({ enabled: false, events: ['email.sent'] });
    expect((await patch(id, { url: 'nothing' })).body).toMatchObject({ code: 'invalid_request', issues: [{ path: 'url' }] });
    expect((await patch(id, { enabled: 'no' })).status).toBe(422);
    expect(must(await patch(id, { enabled: true }), 200).endpoint.enabled).toBe(true);
  });

  test('changed by two calls at once has what both have given', async () => {
    const { id } = await createEndpoint(project, URL_OF_OURS);
    const { changing } = await (await database()).transactional(async (tx) => {
      await row(tx, sql`select 1 from webhook_endpoints where id = ${id} for update`);
      const both = [patch(id, { url: 'https://other.example/' }), patch(id, { events: ['email.sent'] })];
      await untilBlocked(tx, both.length);
      return { changing: both };
    });
    for (const answer of await Promise.all(changing)) must(answer, 200);
    expect(await storedOf(id)).toMatchObject({ url: 'https://other.example/', events: ['email.sent'] });
  });

  test('that is deleted is gone for every route', async () => {
    const { id } = await createEndpoint(project, URL_OF_OURS);
    expect(must(await project.api.delete(`/webhooks/${id}`), 200)).toEqual({ ok: true, id, deleted: true });
    const answers = [
      await patch(id, {}),
      await project.api.delete(`/webhooks/${id}`),
      await project.api.get(`/webhooks/${id}/deliveries`),
      await project.api.post(`/webhooks/${id}/rotate`),
      await project.api.post(`/webhooks/${id}/ping`),
      await project.api.post(`/webhooks/${id}/deliveries/${uuidv7()}/retry`),
    ];
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(answers.map(() => [404, 'not_found']));
  });
});

test('a project has no more endpoints than it may, also when the last two are made at once', async () => {
  const own = await newProject();
  for (let made = 0; made < MOST_ENDPOINTS - 1; made++) await createEndpoint(own, URL_OF_OURS);
  const em = await database();
  const both = await em.transactional(async (tx) => {
    await row(tx, sql`select 1 from projects where id = ${own.id} for no key update`);
    const started = [create({ url: URL_OF_OURS }, own), create({ url: URL_OF_OURS }, own)];
    await untilBlocked(tx, started.length);
    return started;
  });
  const answers = await Promise.all(both);
  expect(answers.map(({ status, body }) => body.code ?? status).sort()).toEqual([201, 'too_many_webhooks']);
  expect(answers.find(({ status }) => status !== 201)).toMatchObject({ status: 422, body: { error: expect.stringContaining('100') } });
  expect(must(await own.api.get('/webhooks'), 200).webhooks).toHaveLength(MOST_ENDPOINTS);
});

describe('where private addresses are not allowed', () => {
  let everpost: ApiHere;
  let guarded: TestProject;
  beforeAll(async () => {
    everpost = await startApiHere({ WEBHOOK_ALLOW_PRIVATE: '0' });
    guarded = await newProject({ everpost });
  });
  afterAll(() => everpost?.stop());

  test.each([
    'http://hooks.example/',
    'https://127.0.0.1/',
    'https://0x7f.1/',
    'https://10.1.2.3/',
    'https://[::1]/',
    'https://[::ffff:192.168.0.1]/',
    'https://169.254.169.254/latest/meta-data',
    'https://localhost/',
  ])('%s is refused, when created and when changed', async (url) => {
    const refused = { code: 'invalid_request', issues: [{ path: 'url', message: expect.any(String) }] };
    expect(await create({ url }, guarded)).toMatchObject({ status: 422, body: refused });
    const { id } = await createEndpoint(guarded, URL_OF_OURS);
    expect(await patch(id, { url }, guarded)).toMatchObject({ status: 422, body: refused });
  });

  test('a name is not looked up before it is called, and a ping to one that leads inside never completes', async () => {
    const { id } = await createEndpoint(guarded, 'https://nobody.invalid/');
    expect(must(await guarded.api.post(`/webhooks/${id}/ping`), 200)).toEqual({ ok: true, delivered: false, responseStatus: null });
  });
});
