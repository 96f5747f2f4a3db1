import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, describe, expect, test } from 'vitest';
import { createApiKey, revokeApiKey } from '../../../db/queries/projects/api-keys.ts';
import { row } from '../../../db/rows.ts';
import { MOST_KEYS } from '../../../domain/projects/api-key.ts';
import { sha256 } from '../../../domain/projects/crypto.ts';
import { PRESETS } from '../../../domain/projects/scopes.ts';
import { changeProject } from '../../../usecases/projects/change-project.ts';
import { type Api, api } from '../../support/api.ts';
import { untilBlocked } from '../../support/blocked.ts';
import { signInToConsole } from '../../support/console-sessions.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { must } from '../../support/sequences.ts';

let project: TestProject;

beforeAll(async () => {
  project = await newProject();
});

async function made(by: Api, body: object): Promise<{ id: string; secret: string; api: Api }> {
  const { key, secret } = must(await by.post('/keys', body), 201);
  return { id: key.id, secret, api: api(secret) };
}

async function refused(by: Api, body: object): Promise<string> {
  const answer = await by.post('/keys', body);
  expect([answer.status, answer.body.code]).toEqual([403, 'forbidden']);
  return answer.body.error;
}

describe('making a key', () => {
  test('shows it once: it works at once, and only its hash is stored', async () => {
    const { key, secret } = must(await project.api.post('/keys', { name: ' shop ', scopes: ['send', 'send', 'templates:read'] }), 201);
    expect(key).toMatchObject({
      name: 'shop',
      scopes: ['send', 'templates:read'],
      is_test: false,
      made_by: project.keyId,
      revoked_at: null,
    });
    expect(must(await api(secret).get('/me'), 200)).toMatchObject({ key: { id: key.id }, scopes: ['send', 'templates:read'] });
    const [stored] = await (await database()).execute(`select * from api_keys where id = '${key.id}'`);
    expect(stored!.hash).toEqual(sha256(secret));
    expect(JSON.stringify([stored, must(await project.api.get('/keys'), 200)])).not.toContain(secret);
    const kept = await (await database()).execute(`select count(*)::int as count from idempotency_keys where project_id = '${project.id}'`);
    expect(kept[0]!.count).toBe(0);
  });

  test('needs keys:write, which no other scope but * includes', async () => {
    const most = (await project.newKey([...PRESETS.viewer, ...PRESETS.marketer, 'webhooks:write'])).api;
    expect(await refused(most, { scopes: ['send'] })).toContain('keys:write');
  });

  test('gives no scope that the key does not have, nor * for all that there are', async () => {
    const by = (await project.newKey(['keys:write', 'send', 'contacts:write'])).api;
    expect(await refused(by, { scopes: ['send', 'contacts:read'] })).toContain('contacts:read');
    expect(await refused(by, { scopes: ['*'] })).toContain('*');
    expect(await refused((await project.newKey(['keys:write', ...PRESETS.viewer, ...PRESETS.marketer])).api, { scopes: ['*'] })).toContain(
      '*',
    );
    const { api: less } = await made(by, { scopes: ['keys:write', 'send'] });
    expect(await refused(less, { scopes: ['contacts:write'] })).toContain('contacts:write');
    await made(less, { scopes: ['send'] });
  });

  test('gives no reads that the key does not have, by leaving its reading scopes out', async () => {
    const { api: by } = await project.newKey(['keys:write', 'send', 'templates:read']);
    expect((await by.get('/webhooks')).status).toBe(403);
    expect(await refused(by, { scopes: ['send'] })).toContain('name what it is to read');
    expect(await refused(by, { scopes: [] })).toContain('webhooks:read');
    const { api: narrow } = await made(by, { scopes: ['send', 'templates:read'] });
    expect((await narrow.get('/webhooks')).status).toBe(403);
  });

  test('by a test key makes test keys only, in a sandbox too', async () => {
    const sandbox = await newProject();
    await changeProject(await database(), sandbox.id, { sandbox: true });
    for (const either of [project, sandbox]) {
      const { api: by } = await either.newKey(['*'], true);
      expect(await refused(by, { scopes: ['send'], isTest: false })).toContain('test key');
      const { secret } = await made(by, { scopes: ['send'] });
      expect(secret).toMatch(/^ep_test_/);
    }
    expect((await made(project.api, { scopes: ['send'], isTest: true })).secret).toMatch(/^ep_test_/);
  });

  test('is refused when its scopes are none or its name is too long', async () => {
    for (const body of [
      {},
      { scopes: ['nonsense'] },
      { scopes: Array.from({ length: 51 }, () => 'send') },
      { scopes: [], name: 'x'.repeat(201) },
      { scopes: [], name: 'a\nb' },
    ]) {
      expect((await project.api.post('/keys', body)).body.code).toBe('invalid_request');
    }
  });

  test('ends with the key: one that is revoked while it makes another makes none', async () => {
    const { id, api: by } = await project.newKey(['*']);
    // Its use is noted, so that the call below waits for nothing but to make a key.
    must(await by.get('/me'), 200);
    const em = await database();
    const call = await em.transactional(async (tx) => {
      await revokeApiKey(tx, id, new Date());
      const started = by.post('/keys', { scopes: ['*'] });
      await untilBlocked(tx);
      return [started];
    });
    const [answer] = await Promise.all(call);
    expect([answer!.status, answer!.body.code]).toEqual([401, 'unauthorized']);
    const { keys } = must(await project.api.get('/keys'), 200);
    expect(keys.filter(({ made_by }: { made_by: string }) => made_by === id)).toEqual([]);
  });

  test(`stops at ${MOST_KEYS} keys that work, also for calls that come at once`, async () => {
    const own = await newProject();
    const em = await database();
    for (let count = 1; count < MOST_KEYS - 1; count++) await createApiKey(em, { id: uuidv7(), projectId: own.id, scopes: [] });
    const calls = await em.transactional(async (tx) => {
      await row(tx, sql`select 1 from projects where id = ${own.id} for no key update`);
      const started = [1, 2].map(() => own.api.post('/keys', { scopes: ['send'] }));
      await untilBlocked(tx, started.length);
      return started;
    });
    const answers = await Promise.all(calls);
    expect(answers.map(({ status, body }) => body.code ?? status).sort()).toEqual([201, 'too_many_keys']);
    const last = answers.find(({ status }) => status === 201)!.body.key;
    must(await own.api.delete(`/keys/${last.id}`), 200);
    must(await own.api.post('/keys', { scopes: ['send'] }), 201);
  });
});

describe('revoking a key', () => {
  test('stops it with its next request, and ends its sessions of the console', async () => {
    const { id, secret, api: by } = await made(project.api, { scopes: ['*'] });
    const seat = await signInToConsole(secret);
    must(await by.get('/me'), 200);
    const { key } = must(await project.api.delete(`/keys/${id}`), 200);
    expect(key).toMatchObject({ id, revoked_at: expect.any(String) });
    expect((await by.get('/me')).status).toBe(401);
    expect((await seat.ask('GET', '/api/v1/me')).status).toBe(401);
    expect(must(await project.api.delete(`/keys/${id}`), 200).key.revoked_at).toBe(key.revoked_at);
  });

  test('is for keys of the project that may no more than the one that asks', async () => {
    const other = await newProject();
    const { api: by, id } = await project.newKey(['keys:write', 'send', 'templates:read']);
    expect((await by.delete(`/keys/${other.keyId}`)).status).toBe(404);
    for (const stronger of [project.keyId, (await project.newKey(['send'])).id, (await project.newKey(['contacts:read'])).id]) {
      expect((await by.delete(`/keys/${stronger}`)).body.code).toBe('forbidden');
    }
    must(await by.delete(`/keys/${(await project.newKey(['send', 'templates:read'])).id}`), 200);
    must(await by.delete(`/keys/${id}`), 200);
    must(await project.api.get('/me'), 200);
    must(await other.api.get('/me'), 200);
  });

  test('by a test key is for test keys', async () => {
    const { api: by } = await project.newKey(['*'], true);
    expect((await by.delete(`/keys/${(await project.newKey(['send'])).id}`)).body.code).toBe('forbidden');
    must(await by.delete(`/keys/${(await project.newKey(['send'], true)).id}`), 200);
  });
});
