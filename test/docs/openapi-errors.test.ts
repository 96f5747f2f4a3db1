import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRateLimit } from '../../api/middleware/rate-limit.ts';
import { type Api, api, type Reply } from '../support/api.ts';
import { testEnvironment } from '../support/environment.ts';
import { startInboundApi } from '../support/inbound-api.ts';
import { scriptMail } from '../support/mail.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { enableTemplates, newContact, newSequence } from '../support/sequences.ts';
import { type Document, type LoadedDocument, loadDocument } from './openapi-document.ts';

const NOBODY = '01990000-0000-7000-8000-000000000000';
const CONTENT = { blocks: [{ type: 'text', text: 'Hello' }] };

let document: Document;
let validatorOf: LoadedDocument['validatorOf'];
let project: TestProject;
/** APIs of this process, each with something that fails. */
const failing = new Map<'handlers' | 'temporal' | 'database', Awaited<ReturnType<typeof startInboundApi>>>();

beforeAll(async () => {
  ({ document, validatorOf } = await loadDocument());
  project = await newProject();
  await enableTemplates(project, 'receipt', 'password-reset');
  const dead = async (): Promise<void> => {
    throw new Error('no Temporal here');
  };
  failing.set('handlers', await startInboundApi({ rateLimit: createRateLimit(1, 0.001)! }));
  failing.set('temporal', await startInboundApi({ pingTemporal: dead }));
  failing.set('database', await startInboundApi({ databaseUrl: 'postgres://nobody@127.0.0.1:1/none' }));
});

afterAll(async () => {
  for (const each of failing.values()) await each.stop();
});

interface Provoked {
  readonly method: string;
  /** As the document has it. */
  readonly path: string;
  /** The status and the schema of the error. */
  readonly is: `${number} ${string}`;
  readonly code: string;
  readonly call: (by: Api) => Promise<Reply>;
}

const on = (name: 'handlers' | 'temporal' | 'database'): Api => api(project.key, failing.get(name)!.url);
const raw = (by: Api, body: string, headers: Readonly<Record<string, string>> = {}) => by.call('POST', '/contacts', body, { headers });

/** The answer to a body of so many bytes, none of which is sent. */
async function announced(bytes: number): Promise<Reply> {
  const headers = { authorization: `Bearer ${project.key}`, 'content-type': 'application/json', 'content-length': bytes };
  const sent = request(`${testEnvironment().apiUrl}/api/v1/contacts`, { method: 'POST', headers });
  sent.flushHeaders();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const body = JSON.parse(await text(answer));
  sent.destroy();
  return { status: answer.statusCode as number, headers: new Headers(), body };
}

/** One of every status in every shape that the document tells. */
const PROVOKED: readonly Provoked[] = [
  { method: 'post', path: '/contacts', is: '400 Error', code: 'invalid_json', call: (by) => raw(by, '{') },
  { method: 'get', path: '/contacts', is: '401 Error', code: 'unauthorized', call: () => api().get('/contacts') },
  {
    method: 'get',
    path: '/contacts',
    is: '403 Error',
    code: 'forbidden',
    call: async () => (await project.newKey(['send'])).api.get('/contacts'),
  },
  { method: 'get', path: '/contacts/{id}', is: '404 Error', code: 'not_found', call: (by) => by.get(`/contacts/${NOBODY}`) },
  { method: 'post', path: '/send', is: '405 Error', code: 'method_not_allowed', call: (by) => by.get('/send') },
  {
    method: 'post',
    path: '/templates',
    is: '409 Error',
    code: 'duplicate_key',
    call: (by) => by.post('/templates', { key: 'receipt', type: 'transactional', name: 'x', subject: 'x', content: CONTENT }),
  },
  {
    method: 'put',
    path: '/templates/{key}/content',
    is: '409 VersionConflict',
    code: 'version_conflict',
    call: (by) => by.put('/templates/receipt/content?ifVersion=7', { content: CONTENT }),
  },
  {
    method: 'post',
    path: '/campaigns/{id}/launch',
    is: '409 AudienceChanged',
    code: 'audience_changed',
    async call(by) {
      await by.put('/templates/receipt', { enabled: true });
      await by.post('/contacts', { email: 'ada@example.com' });
      const { body } = await by.post('/campaigns?draft=1', { template: 'receipt', audience: { mode: 'entire' } });
      return by.post(`/campaigns/${body.campaignId}/launch`, { ifEnrolled: 1_000_000 });
    },
  },
  {
    method: 'post',
    path: '/contacts',
    is: '413 Error',
    code: 'payload_too_large',
    call: () => announced(5 * 1024 * 1024 + 1),
  },
  {
    method: 'post',
    path: '/contacts',
    is: '415 Error',
    code: 'unsupported_media_type',
    call: (by) => raw(by, '{}', { 'content-type': 'text/plain' }),
  },
  {
    method: 'post',
    path: '/contacts',
    is: '422 InvalidRequest',
    code: 'invalid_request',
    call: (by) => by.post('/contacts', { mail: 'x' }),
  },
  {
    method: 'post',
    path: '/campaigns',
    is: '422 Error',
    code: 'unknown_template',
    call: (by) => by.post('/campaigns', { template: 'none', audience: { mode: 'entire' } }),
  },
  {
    method: 'put',
    path: '/templates/{key}/content',
    is: '422 InvalidContent',
    code: 'invalid_content',
    call: (by) => by.put('/templates/receipt/content', { content: { blocks: [{ type: 'nothing' }] } }),
  },
  {
    method: 'post',
    path: '/sequences',
    is: '422 UnknownTemplates',
    code: 'unknown_template',
    call: (by) => by.post('/sequences', { key: 'x', name: 'x', steps: [{ template: 'none' }] }),
  },
  {
    method: 'put',
    path: '/sequences/{key}',
    is: '422 InvalidGraph',
    code: 'invalid_graph',
    call: (by) => by.put('/sequences/x', { nodes: [{ id: 'a', kind: 'nothing' }], edges: [] }),
  },
  {
    method: 'delete',
    path: '/segments/{id}',
    is: '422 SegmentInUse',
    code: 'segment_in_use',
    async call(by) {
      const { segment } = (await by.post('/segments', { label: 'Entered', filter: {} })).body;
      await by.post('/sequences', { key: 'entered', name: 'Entered', steps: [{ template: 'receipt' }], trigger: { segment: 'Entered' } });
      return by.delete(`/segments/${segment.id}`);
    },
  },
  {
    method: 'post',
    path: '/templates/{key}/test',
    is: '422 SendFailed',
    code: 'send_failed',
    call: (by) => by.post('/templates/password-reset/test', { to: project.address() }),
  },
  {
    method: 'post',
    path: '/sequences/{key}/enroll',
    is: '422 EnrollFailed',
    code: 'enroll_failed',
    async call(by) {
      const { key } = await newSequence(project, { status: 'draft' });
      return by.post(`/sequences/${key}/enroll`, { contactId: await newContact(project, project.address()) });
    },
  },
  {
    method: 'get',
    path: '/contacts',
    is: '429 Error',
    code: 'rate_limited',
    async call() {
      await on('handlers').get('/contacts');
      return on('handlers').get('/contacts');
    },
  },
  {
    method: 'get',
    path: '/health',
    is: '431 Error',
    code: 'headers_too_large',
    call: (by) => by.get('/health', { headers: { 'x-long': 'a'.repeat(20_000) } }),
  },
  {
    method: 'get',
    path: '/templates',
    is: '500 InternalError',
    code: 'internal',
    // It has no templates.
    call: async () => api((await newProject()).key, failing.get('handlers')!.url).get('/templates'),
  },
  { method: 'get', path: '/ready', is: '503 NotReady', code: 'not_ready', call: () => on('temporal').get('/ready') },
  { method: 'get', path: '/contacts', is: '503 Error', code: 'unavailable', call: () => on('database').get('/contacts') },
  {
    method: 'post',
    path: '/send',
    is: '503 SendFailed',
    code: 'send_failed',
    async call(by) {
      const to = project.address();
      await scriptMail(to, { rejectRecipient: { code: 451 } });
      return by.post('/send', { template: 'receipt', to });
    },
  },
];

/** Each form that one answer may have: its schema by name, and the codes that come with it. */
function formsOf(method: string, path: string, status: string): { readonly name: string; readonly codes: readonly string[] }[] {
  const { schema } = document.paths[path][method].responses[status].content['application/json'];
  return (schema.oneOf ?? [schema]).map(({ allOf: [{ $ref }, { properties }] }: Document) => ({
    name: $ref.split('/').at(-1),
    codes: properties.code.enum,
  }));
}

test.each(PROVOKED)('$is ($code) is as the document says, and has no field more', async ({ method, path, is, code, call }) => {
  const [status = '', name] = is.split(' ');
  const { status: answered, body } = await call(project.api);
  expect([answered, body.code]).toEqual([Number(status), code]);
  expect(formsOf(method, path, status)).toContainEqual({ name, codes: expect.arrayContaining([code]) });
  const schema = document.components.schemas[name as string];
  expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining(Object.keys(body)));
  const validate = validatorOf('paths', path, method, 'responses', status, 'content', 'application/json', 'schema');
  expect(validate(body) || validate.errors).toBe(true);
  // A body of another form is none of these.
  for (const field of schema.required) expect([field, validate({ ...body, [field]: undefined, nothing: 1 })]).toEqual([field, false]);
});

test('there is one here of each status in each shape that any operation tells', () => {
  const told = Object.entries<Document>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Document>(methods).flatMap(([method, { responses }]) =>
      Object.keys(responses)
        .filter((status) => Number(status) >= 400)
        .flatMap((status) => formsOf(method, path, status).map(({ name }) => `${status} ${name}`)),
    ),
  );
  expect([...new Set(told)].sort()).toEqual(PROVOKED.map(({ is }) => is).sort());
});

test('a refusal that is not about a key or a body says what it is about', async () => {
  const { paths } = document;
  expect(paths['/inbound/{provider}/{inboundId}'].post.responses[401].description).toContain('signature');
  expect(paths['/contacts'].get.responses[401].description).toContain('key');
  for (const [path, method] of [
    ['/unsubscribe', 'get'],
    ['/unsubscribe', 'post'],
    ['/resubscribe', 'post'],
    ['/preferences', 'get'],
    ['/preferences', 'post'],
    ['/confirm', 'get'],
    ['/confirm', 'post'],
  ] as const) {
    const refused = paths[path][method].responses[400];
    expect([path, refused.description]).toEqual([path, expect.stringMatching(/link .* page; or a malformed request: `malformed_request`/)]);
    expect(refused.content).toHaveProperty('text/html');
  }
});

test('`error` names the required data that a mail lacks', async () => {
  const refused = [
    await project.api.post('/templates/password-reset/test', { to: project.address() }),
    await project.api.post('/send', { template: 'password-reset', to: project.address() }),
  ];
  for (const { body } of refused) expect(body).toMatchObject({ code: 'send_failed', error: expect.stringContaining('resetUrl') });
});

test('what a refusal has beside its words is told: the reason of a mail that did not go', async () => {
  const to = project.address();
  await project.api.post('/suppressions', { email: to });
  const { status, body } = await project.api.post('/send', { template: 'receipt', to });
  expect([status, Object.keys(body).sort()]).toEqual([422, ['code', 'error', 'ok', 'reason']]);
});
