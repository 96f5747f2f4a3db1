import { createHmac } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { api } from '../support/api.ts';
import { testEnvironment } from '../support/environment.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { enableTemplates } from '../support/sequences.ts';

let project: TestProject;
beforeAll(async () => {
  project = await newProject();
});

const errorOf = async (method: string, path: string, body?: unknown): Promise<string> =>
  (await project.api.call(method, path, body)).body.error;

describe('a wrong address', () => {
  test('is named with the route that was probably meant', async () => {
    for (const [method, path, meant] of [
      ['GET', '/contact', '/api/v1/contacts'],
      ['GET', '/contacts/', '/api/v1/contacts'],
      ['GET', '/Contacts', '/api/v1/contacts'],
      ['GET', '/contact/x', '/api/v1/contacts/:id'],
      ['POST', '/sequence/onboarding/enrol', '/api/v1/sequences/:key/enroll'],
    ] as const) {
      expect(await errorOf(method, path)).toBe(`no route ${method} /api/v1${path}; did you mean ${meant}?`);
    }
    const outside = async (path: string) => ((await (await fetch(testEnvironment().apiUrl + path)).json()) as { error: string }).error;
    for (const path of ['/contacts', '/v1/contacts', '/api/contacts']) {
      expect(await outside(path)).toBe(`no route GET ${path}; did you mean /api/v1/contacts?`);
    }
    expect(await outside('/nothing-like-it')).toBe('no route GET /nothing-like-it; /docs shows them all');
    expect((await outside(`/${'a/'.repeat(3000)}`)).length).toBeLessThan(300);
  });

  test('with another method says which are possible', async () => {
    expect(await errorOf('DELETE', '/send')).toBe('DELETE is not possible here; possible: POST');
    for (const path of ['/', '/docs', '/t/x']) {
      const answer = await fetch(testEnvironment().apiUrl + path, { method: 'POST' });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
      expect(((await answer.json()) as { error: string }).error).toBe('POST is not possible here; possible: GET, HEAD');
    }
  });

  test('of an id says that it is none', async () => {
    expect(await errorOf('GET', '/contacts/abc')).toBe('no such resource in this project; id: not a UUID');
  });
});

test('the root leads to the documentation, without a redirect', async () => {
  const answer = await fetch(`${testEnvironment().apiUrl}/`, { redirect: 'manual' });
  const html = await answer.text();
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(html).toContain('http-equiv="refresh" content="0; url=docs"');
  expect(html).toContain('<a href="docs">');
});

test('a key that is missing, one in another form and one that nobody has are told apart', async () => {
  const withHeader = async (authorization?: string) =>
    (await api().get('/contacts', authorization === undefined ? {} : { headers: { authorization } })).body.error;
  expect(await withHeader()).toMatch(/^no key came with the request/);
  expect(await withHeader(project.key)).toBe('the Authorization header is not of the form Bearer <key>');
  expect(await withHeader('Bearer ep_live_nobody')).toBe('this API key is unknown or revoked');
  const limited = await project.newKey(['send', 'sends:read']);
  expect((await limited.api.get('/contacts')).body.error).toBe('this key lacks the scope contacts:read; it has send, sends:read');
});

test('JSON that does not parse is refused with its line, its column and why', async () => {
  for (const [body, error] of [
    ['{"email":"a@b.example",}', 'the body is not valid JSON at line 1, column 24: property name expected'],
    ['{\n "email": "a@b.example"\n "x": 1}', 'the body is not valid JSON at line 3, column 2: comma expected'],
    ['{"email":', 'the body is not valid JSON at line 1, column 10: value expected'],
    ['{"a": /* why */ 1}', 'the body is not valid JSON at line 1, column 7: invalid comment token'],
    ['email=a@b.example', 'the body is not valid JSON at line 1, column 1: invalid symbol'],
    ['  ', 'the body is empty; send a JSON object'],
    [`{"a":"${'x'.repeat(300_000)}",}`, 'the body is not valid JSON'],
  ] as const) {
    expect([body.slice(0, 30), await errorOf('POST', '/contacts', body)]).toEqual([body.slice(0, 30), error]);
  }
});

describe('a mail that may not go', () => {
  test('names since when and by what its address is suppressed, and the call that lifts it; the log keeps the reason alone', async () => {
    await enableTemplates(project, 'receipt', 'newsletter');
    const to = project.address();
    await project.api.post('/suppressions', { email: to, reason: 'complaint' });
    const { suppressions } = (await project.api.get('/suppressions')).body;
    const since = suppressions.find(({ email }: { email: string }) => email === to).created_at;
    const { status, body } = await project.api.post('/send', { template: 'receipt', to });
    expect([status, body.code, body.reason]).toEqual([422, 'send_failed', 'suppressed']);
    expect(body.error).toBe(`suppressed: since ${since} by complaint; DELETE /suppressions/:email lifts it`);
    expect(body.error).not.toContain(to);
    expect((await project.api.get(`/sends?q=${encodeURIComponent(to)}`)).body.sends[0].error).toBe('suppressed');
    expect((await project.api.post('/templates/receipt/test', { to })).body.error).toBe(body.error);
  });

  test('names the same where the contact behind the address was erased', async () => {
    const email = project.address();
    const { id } = (await project.api.post('/contacts', { email })).body.contacts[0];
    await project.api.post('/suppressions', { email, reason: 'manual' });
    expect((await project.api.delete(`/contacts/${id}`)).status).toBe(200);
    expect(await errorOf('POST', '/send', { template: 'receipt', to: email })).toMatch(
      /^suppressed: since \S+ by manual; DELETE \/suppressions\/:email lifts it$/,
    );
  });

  test('says what lifts an unsubscription', async () => {
    const to = project.address();
    await project.api.post('/contacts', { email: to, status: 'unsubscribed' });
    expect(await errorOf('POST', '/send', { template: 'newsletter', to })).toMatch(/^unsubscribed: .*resubscribe true lifts it$/);
    expect(await errorOf('POST', '/events', { type: 'x', email: to })).toMatch(/resubscribe true lifts it$/);
  });

  test('names the call that enables its template, and does what it says', async () => {
    const own = await newProject();
    const to = own.address();
    const { body } = await own.api.post('/send', { template: 'receipt', to });
    const call = `PUT /templates/receipt with { "enabled": true, "brand": "${own.slug}" }`;
    expect(body.error).toBe(`the template receipt is not enabled for the brand ${own.slug}; ${call} enables it`);
    await own.api.put('/templates/receipt', { enabled: true, brand: own.slug });
    expect((await own.api.post('/send', { template: 'receipt', to })).status).toBe(200);
  });

  test('names the template that was probably meant, and the domains that senders may be on', async () => {
    const to = project.address();
    expect(await errorOf('POST', '/send', { template: 'recipt', to })).toBe('no template has the key recipt; did you mean receipt?');
    const error = await errorOf('POST', '/send', { template: 'receipt', to, from: { email: 'me@elsewhere.example' } });
    expect(error).toContain(`me@elsewhere.example is not on a verified sending domain; verified: ${project.domain}.`);
  });
});

test('a graph is refused with the keys, kinds and fields that there are', async () => {
  await project.api.post('/sequences', { key: 'graph', name: 'Graph', steps: [{ template: 'welcome' }] });
  const when = (field: string) => ({ when: { field, op: 'eq', value: 'pro' } });
  const nodes = [
    { id: 't', kind: 'trigger' },
    { id: 'b', kind: 'branch', config: when('attributes.plan') },
    { id: 'c', kind: 'branch', config: when('contact.attributes.plan') },
    { id: 'd', kind: 'branch', config: when('contact.firstName') },
    { id: 'e', kind: 'branch', config: when('attribute.plan') },
    { id: 'f', kind: 'branch', config: when('contact.attributes.') },
    { id: 'm', kind: 'sendEmail', config: { template: 'welcome' } },
    { id: 'n', kind: 'send_email', config: { template: 'welcom', subjekt: 'x' } },
  ];
  const edges = [
    { from: 't', to: 'b' },
    { from: 'b', to: 'm', branchKey: 'yes' },
    { from: 'b', to: 'n' },
  ];
  const { body } = await project.api.put('/sequences/graph', { nodes, edges });
  expect(body.code).toBe('invalid_graph');
  expect(body.issues).toEqual(
    expect.arrayContaining([
      { nodeId: 'b', message: 'unknown branch key yes; this node has true, false' },
      { nodeId: 'b', message: 'an edge out of a branch needs a branch key; this node has true, false' },
      { nodeId: 'c', message: 'config.when.field: no such field; did you mean attributes.plan?' },
      { nodeId: 'd', message: 'config.when.field: no such field; did you mean contact.first_name?' },
      { nodeId: 'e', message: 'config.when.field: no such field; did you mean attributes.plan?' },
      { nodeId: 'f', message: expect.stringMatching(/^config\.when\.field: one of contact\.status, .* or event\.<path>$/) },
      { nodeId: 'm', message: 'unknown kind "sendEmail"; did you mean send_email?' },
      { nodeId: 'n', message: 'config.subjekt: no such field; did you mean subject?' },
      { nodeId: 'n', message: 'unknown template welcom; did you mean welcome?' },
    ]),
  );
});

test('a filter with a typo is refused with the field that was probably meant', async () => {
  const { body } = await project.api.post('/segments', { label: 'VIP', filter: { tag: ['vip'] } });
  expect(body.issues).toEqual([{ path: 'filter.tag', message: 'no such field; did you mean tags?' }]);
});

describe('an audience that nobody is in', () => {
  const toTag = (tag: string) => errorOf('POST', '/campaigns', { template: 'newsletter', audience: { mode: 'tag', tag } });

  test('is told from one whose contacts get no mail', async () => {
    await enableTemplates(project, 'newsletter');
    await project.api.post('/contacts', { email: project.address(), tags: ['gone'], status: 'unsubscribed' });
    expect(await toTag('none')).toBe('no contact is in this audience');
    expect(await toTag('gone')).toMatch(/^nobody in this audience may get email: of 1 who match/);
  });
});

describe("a report of a provider's", () => {
  const BODY = JSON.stringify({ type: 'delivered', providerId: 'x', timestamp: '2026-01-01T00:00:00Z' });
  const report = async (headers: Readonly<Record<string, string>>) =>
    (await api().call('POST', `/inbound/generic/${project.inboundId}`, BODY, { headers })).body;
  const signed = (seconds: number) => {
    const key = Buffer.from(project.inboundSecret.replace(/^whsec_/, ''), 'base64');
    const signature = createHmac('sha256', key).update(`m1.${seconds}.${BODY}`).digest('base64');
    return { 'webhook-id': 'm1', 'webhook-timestamp': String(seconds), 'webhook-signature': `v1,${signature}` };
  };
  const now = () => Math.floor(Date.now() / 1000);

  test('without a signature, with a wrong one and with an old one are told apart', async () => {
    expect(await report({})).toMatchObject({
      code: 'unauthorized',
      error: 'webhook-id, webhook-timestamp and webhook-signature are required',
    });
    expect((await report({ ...signed(now()), 'webhook-signature': 'v1,AAAA' })).error).toMatch(/^the signature is wrong/);
    expect((await report(signed(now() - 3600))).error).toMatch(/^the signed time is 36\d\d s old; 300 s are tolerated$/);
    expect((await report(signed(now() + 3600))).error).toMatch(/ s ahead; 300 s are tolerated$/);
    expect(await report(signed(now()))).toMatchObject({ ok: true });
  });

  test('with an old time and a wrong signature says nothing of its time', async () => {
    expect((await report({ ...signed(now() - 3600), 'webhook-signature': 'v1,AAAA' })).error).toMatch(/^the signature is wrong/);
  });
});

test('the consent that a backend hands over is kept in place of its own address', async () => {
  const consent = { source: 'signup-form', ip: '203.0.113.7', userAgent: 'Mozilla/5.0 (Macintosh)' };
  const { body } = await project.api.post('/contacts', { email: project.address(), consent });
  const { contact } = (await project.api.get(`/contacts/${body.contacts[0].id}`)).body;
  expect(contact).toMatchObject({
    consent_source: 'signup-form',
    consent_ip: '203.0.113.7',
    consent_user_agent: 'Mozilla/5.0 (Macintosh)',
  });
  const { paths, components } = (await api().get('/openapi.json')).body;
  expect(paths['/contacts'].post.description).toContain('"consent": { "source": "signup-form"');
  expect(components.schemas.ContactInput.properties.consent.description ?? JSON.stringify(components.schemas.ContactInput)).toContain(
    'your backend',
  );
});
