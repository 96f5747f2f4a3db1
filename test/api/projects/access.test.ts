import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Route } from '../../../api/route.ts';
import { listApiKeys, revokeApiKey } from '../../../db/queries/projects/api-keys.ts';
import { SCOPES } from '../../../domain/projects/scopes.ts';
import { changeProject } from '../../../usecases/projects/change-project.ts';
import { type Api, api, type Reply } from '../../support/api.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { keyedRoutes, nameOf, pathOf, publicRoutes } from '../../support/routes.ts';
import { newContact, newSequence } from '../../support/sequences.ts';

/** Refused as a request that is not valid, at the latest: whoever gets there has passed every check of access. */
function ask(by: Api, route: Route, values?: Readonly<Record<string, string>>): Promise<Reply> {
  const hasBody = route.method !== 'get' && route.method !== 'delete' && route.body;
  return by.call(route.method.toUpperCase(), pathOf(route, values), hasBody ? {} : undefined);
}

const BARRED = ['unauthorized', 'forbidden', 'project_suspended', 'email_unverified', 'rate_limited'];

/** Those that are no reads and take test keys. */
const TRIED = [
  'post /send',
  'post /send/batch',
  'post /sends/check',
  'post /files',
  'post /templates/:key/test',
  'post /templates/:key/preview',
  'post /sequences/:key/simulate',
  'post /segments/preview',
  'post /imports/columns',
  'patch /sends/:id',
  'delete /sends/:id',
  'post /events',
  'post /sequences/:key/enroll',
  'post /sequences/:key/enroll/bulk',
  'delete /enrollments/:id',
  'post /campaigns',
  'patch /campaigns/:id',
  'post /campaigns/:id/launch',
  'delete /campaigns/:id',
  'post /campaigns/:id/cancel',
  'post /campaigns/:id/pause',
  'post /campaigns/:id/resume',
  'post /campaigns/:id/winner',
  'post /recurring-campaigns',
  'patch /recurring-campaigns/:id',
  'delete /recurring-campaigns/:id',
  'post /recurring-campaigns/:id/pause',
  'post /recurring-campaigns/:id/resume',
  'post /recurring-campaigns/:id/skip-next',
  'post /recurring-campaigns/preview',
  'post /keys',
  'delete /keys/:id',
];

/** Reading scopes, and the scope whose keys read the same. */
const READING: Readonly<Record<string, string>> = {
  'segments:read': 'contacts:write',
  'templates:read': 'templates:write',
  'sequences:read': 'sequences:write',
  'campaigns:read': 'campaigns:write',
  'suppressions:read': 'suppressions:write',
  'webhooks:read': 'webhooks:write',
};
const INCLUDED_IN: Readonly<Record<string, string>> = { ...READING, 'keys:read': 'keys:write' };

/** A key without any reading scope reads everything but sequences; every other one what it names. */
function isRead(needed: string, scope: string): boolean {
  if (INCLUDED_IN[needed] === scope) return true;
  return needed in READING && !(scope in READING) && needed !== 'sequences:read';
}

let project: TestProject;
/** Test keys with every scope. */
let tester: Api;
let inSandbox: Api;
const singles = new Map<string, Api>();

beforeAll(async () => {
  project = await newProject();
  tester = (await project.newKey(['*'], true)).api;
  const sandbox = await newProject();
  inSandbox = (await sandbox.newKey(['*'], true)).api;
  await changeProject(await database(), sandbox.id, { sandbox: true });
  for (const scope of SCOPES) singles.set(scope, (await project.newKey([scope])).api);
});

test('only these routes ask for no key', () => {
  const open = publicRoutes.map(({ path }) => path);
  expect([...new Set(open)].sort()).toEqual([
    '/confirm',
    '/health',
    '/inbound/:provider/:inboundId',
    '/inbound/dsn/:inboundId',
    '/openapi.json',
    '/preferences',
    '/ready',
    '/resubscribe',
    '/unsubscribe',
  ]);
});

describe.each(keyedRoutes.map((route) => [nameOf(route), route] as const))('%s', (_, route) => {
  test('without a key, with a malformed and with an unknown one: 401', async () => {
    const unknown = `ep_live_${'a'.repeat(8)}_${'b'.repeat(43)}`;
    const wrongSecret = `${project.key.slice(0, 17)}${'c'.repeat(43)}`;
    for (const key of [undefined, 'nonsense', unknown, wrongSecret]) {
      const reply = await ask(api(key), route);
      expect({ key, status: reply.status, code: reply.body.code }).toEqual({ key, status: 401, code: 'unauthorized' });
      expect(reply.headers.get('www-authenticate')).toBe('Bearer');
    }
    const basic = await api().call(route.method.toUpperCase(), pathOf(route), undefined, {
      headers: { authorization: `Basic ${project.key}` },
    });
    expect(basic.status).toBe(401);
  });

  test('a test key reads, and asks for what changes nothing of a live project but by a mail that never leaves; in a sandbox it may all', async () => {
    const { status, body } = await ask(tester, route);
    if (route.method === 'get' || TRIED.includes(nameOf(route))) expect(BARRED).not.toContain(body.code);
    else expect([status, body.code, body.error]).toEqual([403, 'forbidden', expect.stringContaining('a test key (ep_test_…)')]);
    expect(BARRED).not.toContain((await ask(inSandbox, route)).body.code);
  });

  test('each single scope that does not let it be called is refused by name, and * is enough', async () => {
    const needed = route.scope;
    for (const [scope, by] of singles) {
      const { status, body } = await ask(by, route);
      if (needed === 'any key' || needed === scope || isRead(needed, scope)) expect(BARRED).not.toContain(body.code);
      else {
        expect({ scope, status, code: body.code }).toEqual({ scope, status: 403, code: 'forbidden' });
        expect(body.error).toContain(needed);
      }
    }
    expect(BARRED).not.toContain((await ask(project.api, route)).body.code);
  });
});

test('a revoked key stops working on the very next request, on every route', async () => {
  const { id, api: by } = await project.newKey(['*']);
  expect((await by.get('/contacts')).status).toBe(200);
  expect(await revokeApiKey(await database(), id, new Date())).toBe(true);
  for (const route of keyedRoutes) {
    const { status, body } = await ask(by, route);
    expect({ route: nameOf(route), status, code: body.code }).toEqual({ route: nameOf(route), status: 401, code: 'unauthorized' });
  }
});

test('a suspended project is refused on every route, reads too, before scopes are looked at', async () => {
  const suspended = await newProject({ scopes: ['webhooks:write'] });
  await changeProject(await database(), suspended.id, { status: 'suspended' });
  for (const route of keyedRoutes) {
    const { status, body } = await ask(suspended.api, route);
    expect({ route: nameOf(route), status, code: body.code }).toEqual({ route: nameOf(route), status: 403, code: 'project_suspended' });
  }
  await changeProject(await database(), suspended.id, { status: 'active' });
  expect((await suspended.api.get('/segments')).status).toBe(200);
});

test('an unverified owner is refused where mail is sent, after the scope and before the body', async () => {
  const unverified = await newProject({ ownerVerified: false });
  const noScope = await unverified.newKey(['contacts:read']);
  for (const route of keyedRoutes.filter(({ needsVerifiedOwner }) => needsVerifiedOwner)) {
    expect((await ask(unverified.api, route)).body.code).toBe('email_unverified');
    expect((await ask(noScope.api, route)).body.code).toBe('forbidden');
  }
  expect(keyedRoutes.filter(({ needsVerifiedOwner }) => needsVerifiedOwner).map(nameOf)).toContain('post /send');
});

test('what belongs to another project is not found, by read and by write, and stays as it was', async () => {
  const other = await newProject();
  const contactId = await newContact(other, other.address());
  const sequence = await newSequence(other);
  const enrollmentId = await sequence.enroll((await other.api.get(`/contacts/${contactId}`)).body.contact.email);
  const segment = await other.api.post('/segments', { label: randomUUID(), filter: {} });
  const webhook = await other.api.post('/webhooks', { url: 'https://other.example/' });
  const ids: Readonly<Record<string, string>> = {
    contacts: contactId,
    enrollments: enrollmentId,
    segments: segment.body.segment.id,
    webhooks: webhook.body.endpoint.id,
  };
  const foreign = keyedRoutes.filter(({ path }) => path.includes(':id') && path.split('/')[1]! in ids);
  expect(foreign.length).toBeGreaterThanOrEqual(5);
  for (const route of foreign) {
    const { status, body } = await ask(project.api, route, { id: ids[route.path.split('/')[1]!]! });
    expect({ route: nameOf(route), status, code: body.code }).toEqual({ route: nameOf(route), status: 404, code: 'not_found' });
  }
  for (const route of keyedRoutes.filter(({ path }) => path.startsWith('/sequences/:key'))) {
    const bodies: Readonly<Record<string, object>> = {
      'bulk-enrollments': { segmentId: ids.segments },
      bulk: { contactIds: [contactId] },
      actions: { action: 'cancel', filter: {} },
    };
    const body = bodies[route.path.split('/').at(-1)!] ?? { contactId };
    const { status } = await project.api.call(
      route.method.toUpperCase(),
      pathOf(route, { key: sequence.key }),
      route.body ? body : undefined,
    );
    if (route.method !== 'put') expect({ route: nameOf(route), status }).toEqual({ route: nameOf(route), status: 404 });
  }
  for (const [path, body] of [
    ['/send', { template: 'receipt', contactId }],
    ['/events', { type: 'x', contactId }],
  ] as const) {
    const answer = await project.api.post(path, body);
    expect({ path, status: answer.status, code: answer.body.code }).toEqual({ path, status: 404, code: 'not_found' });
  }
  expect((await other.api.get(`/contacts/${contactId}`)).body.contact.status).toBe('subscribed');
  expect((await other.api.delete(`/enrollments/${enrollmentId}`)).status).toBe(200);
});

test('the last use of a key is kept, at most one write a minute', async () => {
  const { id, api: by } = await project.newKey(['contacts:read']);
  const lastUse = async () => (await listApiKeys(await database(), project.id)).find((key) => key.id === id)?.last_used_at ?? null;
  expect(await lastUse()).toBeNull();
  await by.get('/contacts');
  const first = await lastUse();
  expect(first).toBeInstanceOf(Date);
  await by.get('/contacts');
  expect(await lastUse()).toEqual(first);
});
