import type { ValidateFunction } from 'ajv/dist/2020.js';
import { beforeAll, expect, test } from 'vitest';
import { unusedExceptions } from '../../api/openapi/operation-names.ts';
import { routes } from '../../api/routes/index.ts';
import { STATUS_OF } from '../../domain/errors.ts';
import { testEnvironment } from '../support/environment.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { keyedRoutes, nameOf } from '../support/routes.ts';
import { enableTemplates, newContact, newSequence } from '../support/sequences.ts';
import { createEndpoint } from '../support/webhook-endpoints.ts';
import { type Document, type LoadedDocument, loadDocument, operationsOf } from './openapi-document.ts';

let document: Document;
let validatorOf: LoadedDocument['validatorOf'];
let operationOf: LoadedDocument['operationOf'];
let project: TestProject;

beforeAll(async () => {
  ({ document, validatorOf, operationOf } = await loadDocument());
  project = await newProject();
});

/** The schema of one answer, compiled where its references resolve. */
function validator(method: string, path: string, status: number): ValidateFunction {
  return validatorOf(
    'paths',
    path.replace(/:(\w+)/g, '{$1}'),
    method,
    'responses',
    String(status),
    'content',
    'application/json',
    'schema',
  );
}

test('it is OpenAPI 3.1, outside the envelope, needs no key and names its version', () => {
  expect(document).toMatchObject({ openapi: '3.1.0', info: { version: expect.stringMatching(/^\d+\.\d+\.\d+/) } });
  expect(document).not.toHaveProperty('ok');
});

test('every route is there with its parameters, body and answer, and HEAD is not listed', () => {
  for (const route of routes) {
    const operation = operationOf(route.method, route.path);
    expect([nameOf(route), operation?.responses[route.status]?.content]).toEqual([nameOf(route), expect.anything()]);
    expect(Boolean(operation.requestBody)).toBe(route.body !== undefined || route.form !== undefined);
    const inPath = operation.parameters.filter((parameter: Document) => parameter.in === 'path').map(({ name }: Document) => name);
    expect(inPath).toEqual([...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name));
  }
  const listed = Object.values<Document>(document.paths).flatMap((methods) => Object.keys(methods));
  expect(listed).toHaveLength(routes.length);
  expect(listed).not.toContain('head');
});

test('every operation has a name of its own, a group and a method for clients, and no exception to their rule names a route that is gone', () => {
  const ids = operationsOf(document).map(({ operation }) => operation.operationId as string);
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
  expect(ids.filter((id) => !/^[a-z][A-Za-z]*(\.[a-z][A-Za-z]*)?$/.test(id))).toEqual([]);
  // A group is no method at the same time.
  expect(ids.filter((id) => ids.some((other) => other.startsWith(`${id}.`)))).toEqual([]);
  expect(ids).toEqual(expect.arrayContaining(['send', 'contacts.list', 'contacts.upsert', 'sends.cancel', 'sequences.enroll']));
  expect(unusedExceptions(routes)).toEqual([]);
});

test('every reference resolves and every schema compiles', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path!);
  expect(references.length).toBeGreaterThan(50);
  for (const path of references) {
    const found = path.split('/').reduce<Document>((at, part) => at?.[part.replaceAll('~1', '/').replaceAll('~0', '~')], document);
    expect([path, found]).toEqual([path, expect.anything()]);
  }
  for (const id of Object.keys(document.components.schemas)) validatorOf('components', 'schemas', id);
});

test('every route tells the codes of its access, each under its status', () => {
  for (const route of keyedRoutes) {
    const { responses, security, description } = operationOf(route.method, route.path);
    const codes = (status: number): string[] => {
      const { schema } = responses[status]?.content['application/json'] ?? {};
      return (schema?.oneOf ?? (schema ? [schema] : [])).flatMap(({ allOf }: Document) => allOf[1].properties.code.enum);
    };
    for (const code of ['unauthorized', 'project_suspended', 'rate_limited', 'internal', 'unavailable'] as const) {
      expect([nameOf(route), code, codes(STATUS_OF[code])]).toEqual([nameOf(route), code, expect.arrayContaining([code])]);
    }
    expect(codes(403).includes('forbidden')).toBe(route.scope !== 'any key' || route.errors?.includes('forbidden') === true);
    if (route.scope !== 'any key') expect(description).toContain(route.scope);
    expect(security).toHaveLength(1);
    if (route.body) expect(codes(415)).toEqual(['unsupported_media_type']);
    if (route.needsVerifiedOwner) expect(codes(403)).toContain('email_unverified');
    if (route.idempotency) expect(codes(409)).toContain('idempotency_in_progress');
  }
  expect(operationOf('post', '/send').responses[404].description).toContain('unknown_template');
});

test('every header that an answer may have is told with it', () => {
  for (const route of routes) {
    const { responses } = operationOf(route.method, route.path);
    for (const [status, { headers }] of Object.entries<Document>(responses)) {
      const told = Object.keys(headers);
      expect([nameOf(route), status, told]).toEqual([nameOf(route), status, expect.arrayContaining(['X-Request-Id'])]);
      const isCounted = route.scope !== 'public' && !['401', '405', '431'].includes(status);
      expect([nameOf(route), status, told.includes('RateLimit')]).toEqual([nameOf(route), status, isCounted]);
    }
    expect(Object.keys(responses[405].headers)).toContain('Allow');
    if (route.scope !== 'public') expect(Object.keys(responses[401].headers)).toContain('WWW-Authenticate');
  }
  const { responses } = operationOf('post', '/send');
  for (const status of [200, 422]) expect(responses[status].headers).toHaveProperty('Idempotent-Replayed');
});

test('the reference page has the key preselected', async () => {
  expect(document.security).toEqual([{ apiKey: [] }]);
  expect(document.components.securitySchemes.apiKey).toMatchObject({ type: 'http', scheme: 'bearer' });
  const start = await (await fetch(`${testEnvironment().apiUrl}/docs/start.js`)).text();
  expect(start).toContain("preferredSecurityScheme: 'apiKey'");
});

test('it says what each part is for, and under which licence', () => {
  for (const { name, description } of document.tags) expect([name, description]).toEqual([name, expect.any(String)]);
  expect(document.info.license).toEqual({ name: 'MIT', identifier: 'MIT' });
});

test('every operation has the one tag of its resource, and every tag is said', () => {
  const operations = operationsOf(document);
  const told = document.tags.map(({ name }: Document) => name);
  expect(operations.filter(({ operation }) => operation.tags.length !== 1).map(({ name }) => name)).toEqual([]);
  expect(new Set(operations.map(({ operation }) => operation.tags[0]))).toEqual(new Set(told));
  const tagged = (tag: string) => operations.filter(({ operation }) => operation.tags[0] === tag).map(({ name }) => name);
  expect(tagged('unsubscribe')).toEqual([
    'get /confirm',
    'post /confirm',
    'get /unsubscribe',
    'post /unsubscribe',
    'post /resubscribe',
    'get /preferences',
    'post /preferences',
  ]);
  expect(tagged('enrollments')).toContain('post /sequences/{key}/enroll/bulk');
});

test('the problems of a graph are told by their nodes', async () => {
  const { key } = await newSequence(project);
  const nodes = [{ id: 'a', kind: 'nothing' }];
  const { status, body } = await project.api.put(`/sequences/${key}`, { nodes, edges: [] });
  expect([status, body.code, body.issues.map(({ nodeId }: Document) => nodeId)]).toEqual([
    422,
    'invalid_graph',
    expect.arrayContaining(['a']),
  ]);
  const validate = validator('put', '/sequences/:key', 422);
  expect(validate(body) || validate.errors).toBe(true);
  expect(validate({ ...body, code: 'invalid_request' })).toBe(false);
});

test('real answers are as the document says', async () => {
  await enableTemplates(project, 'receipt');
  const to = project.address();
  const id = await newContact(project, to, { tags: ['a'], attributes: { n: 1 } });
  const { key } = await newSequence(project);
  const { id: webhook } = await createEndpoint(project, 'https://nobody.invalid/');
  await newContact(project, project.address());
  await project.api.post('/send', { template: 'receipt', to });
  for (const [method, declared, path, body] of [
    ['get', '/contacts', '/contacts?limit=1', undefined],
    ['get', '/contacts/:id', `/contacts/${id}`, undefined],
    ['get', '/contacts/:id', '/contacts/none', undefined],
    ['post', '/contacts', '/contacts', [{ email: to }]],
    ['post', '/contacts', '/contacts', [{ email: 'none' }]],
    ['post', '/contacts', '/contacts', 'not json'],
    ['post', '/send', '/send', { template: 'receipt', to }],
    ['post', '/send', '/send', { template: 'none', to }],
    ['get', '/sends', '/sends', undefined],
    ['get', '/sequences', '/sequences', undefined],
    ['get', '/sequences/:key', `/sequences/${key}`, undefined],
    ['post', '/sequences/:key/enroll', `/sequences/${key}/enroll`, { email: to }],
    ['post', '/events', '/events', { type: 'x', email: to }],
    ['get', '/segments', '/segments', undefined],
    ['post', '/webhooks', '/webhooks', { url: 'https://nobody.invalid/' }],
    ['post', '/webhooks', '/webhooks', { url: 'nothing', events: [] }],
    ['get', '/webhooks', '/webhooks', undefined],
    ['post', '/webhooks/:id/ping', `/webhooks/${webhook}/ping`, undefined],
    ['post', '/webhooks/:id/rotate', `/webhooks/${webhook}/rotate`, undefined],
    ['get', '/webhooks/:id/deliveries', `/webhooks/${webhook}/deliveries`, undefined],
    ['get', '/templates', '/templates', undefined],
    ['get', '/health', '/health', undefined],
    ['get', '/ready', '/ready', undefined],
  ] as const) {
    const { status, body: answer } = await project.api.call(method.toUpperCase(), path, body);
    const validate = validator(method, declared, status);
    expect([path, status, validate(answer) || validate.errors]).toEqual([path, status, true]);
    expect(validate({ ...answer, ok: 'no' })).toBe(false);
  }
});
