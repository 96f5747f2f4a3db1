import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { beforeAll, expect, test } from 'vitest';
import { routes } from '../../api/routes/index.ts';
import { ConditionSchema } from '../../domain/conditions/schema.ts';
import { STATUS_OF } from '../../domain/errors.ts';
import { api } from '../support/api.ts';
import { testEnvironment } from '../support/environment.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { keyedRoutes, nameOf } from '../support/routes.ts';
import { enableTemplates, newContact, newSequence } from '../support/sequences.ts';
import { createEndpoint } from '../support/webhook-endpoints.ts';

// biome-ignore lint/suspicious/noExplicitAny: a document of many shapes
type Document = any;

let document: Document;
let project: TestProject;
const ajv = new Ajv2020({ strict: false, validateFormats: false });

beforeAll(async () => {
  document = (await api().get('/openapi.json')).body;
  ajv.addSchema(document, 'api');
  project = await newProject();
});

const operationOf = (method: string, path: string): Document => document.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method];

/** The schema of one answer, compiled where its references resolve. */
function validator(method: string, path: string, status: number): ValidateFunction {
  const pointer = ['paths', path.replace(/:(\w+)/g, '{$1}'), method, 'responses', String(status), 'content', 'application/json', 'schema'];
  const escaped = pointer.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')));
  return ajv.compile({ $ref: `api#/${escaped.join('/')}` });
}

/** With references that resolve outside of the document. */
function inDocument(schema: Document): Document {
  return JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"api#/'));
}

test('it is OpenAPI 3.1, outside the envelope, needs no key and names its version', () => {
  expect(document).toMatchObject({ openapi: '3.1.0', info: { version: expect.stringMatching(/^\d+\.\d+\.\d+/) } });
  expect(document).not.toHaveProperty('ok');
});

test('every route is there with its parameters, body and answer, and HEAD is not listed', () => {
  for (const route of routes) {
    const operation = operationOf(route.method, route.path);
    expect([nameOf(route), operation?.responses[route.status]?.content]).toEqual([nameOf(route), expect.anything()]);
    expect(Boolean(operation.requestBody)).toBe(route.body !== undefined);
    const inPath = operation.parameters.filter((parameter: Document) => parameter.in === 'path').map(({ name }: Document) => name);
    expect(inPath).toEqual([...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name));
  }
  const listed = Object.values<Document>(document.paths).flatMap((methods) => Object.keys(methods));
  expect(listed).toHaveLength(routes.length);
  expect(listed).not.toContain('head');
  const ids = Object.values<Document>(document.paths).flatMap((methods) =>
    Object.values<Document>(methods).map(({ operationId }) => operationId),
  );
  expect(new Set(ids).size).toBe(routes.length);
});

test('every reference resolves and every schema compiles', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path!);
  expect(references.length).toBeGreaterThan(50);
  for (const path of references) {
    const found = path.split('/').reduce<Document>((at, part) => at?.[part.replaceAll('~1', '/').replaceAll('~0', '~')], document);
    expect([path, found]).toEqual([path, expect.anything()]);
  }
  for (const id of Object.keys(document.components.schemas)) ajv.compile({ $ref: `api#/components/schemas/${id}` });
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

test('every array of a body has a maximum, and so has every text outside of content and graphs', () => {
  const unbounded: string[] = [];
  const seen = new Set<string>();
  const BOUNDED_AS_A_WHOLE = ['TemplateContent', 'FlowGraphInput', 'Condition'];
  const visit = (schema: Document, path: string, isPart: boolean): void => {
    if (typeof schema !== 'object' || schema === null) return;
    const { $ref } = schema;
    if ($ref) {
      const name = $ref.split('/').at(-1);
      // Has its bound where it is used.
      if (name === 'JsonValue') return;
      if (seen.has(`${name} ${isPart}`)) return;
      seen.add(`${name} ${isPart}`);
      visit(document.components.schemas[name], name, isPart || BOUNDED_AS_A_WHOLE.includes(name));
      return;
    }
    const isFixed = ['maxLength', 'enum', 'const', 'pattern'].some((word) => word in schema);
    if (schema.type === 'array' && !('maxItems' in schema)) unbounded.push(path);
    if (schema.type === 'string' && !isFixed && !isPart) unbounded.push(path);
    for (const [name, member] of Object.entries<Document>(schema.properties ?? {})) visit(member, `${path}.${name}`, isPart);
    for (const [index, member] of [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].entries())
      visit(member, `${path}|${index}`, isPart);
    visit(schema.items, `${path}[]`, isPart);
  };
  for (const route of keyedRoutes.filter(({ body }) => body)) {
    visit(operationOf(route.method, route.path).requestBody.content['application/json'].schema, nameOf(route), false);
  }
  expect(seen.size).toBeGreaterThan(20);
  expect(unbounded).toEqual([]);
});

test('null is taken for every optional scalar of a body, as if it were omitted', () => {
  const refused: string[] = [];
  const seen = new Set<string>();
  const SCALARS = [0, 1, 'x', true, '01990000-0000-7000-8000-000000000000'];
  const visit = (schema: Document, path: string): void => {
    if (typeof schema !== 'object' || schema === null) return;
    const name = schema.$ref?.split('/').at(-1);
    if (name) {
      // The nulls of a graph go before its schemas see them; which fields a condition has depends on its op.
      if (['FlowGraphInput', 'Condition'].includes(name) || seen.has(name)) return;
      seen.add(name);
      visit(document.components.schemas[name], name);
      return;
    }
    for (const [property, member] of Object.entries<Document>(schema.properties ?? {})) {
      const takes = ajv.compile(inDocument(member));
      const isScalar = SCALARS.some((value) => takes(value)) || 'enum' in member;
      if (isScalar && !schema.required?.includes(property) && !takes(null)) refused.push(`${path}.${property}`);
      visit(member, `${path}.${property}`);
    }
    for (const member of [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) visit(member, path);
    visit(schema.items, `${path}[]`);
  };
  for (const route of keyedRoutes.filter(({ body }) => body)) {
    visit(operationOf(route.method, route.path).requestBody.content['application/json'].schema, nameOf(route));
  }
  expect(seen.size).toBeGreaterThan(20);
  expect(refused).toEqual([]);
});

test('every schema has a name of its own, and no composition has one part', () => {
  expect(Object.keys(document.components.schemas).filter((name) => name.startsWith('__'))).toEqual([]);
  const compositions = [...JSON.stringify(document).matchAll(/"(?:allOf|anyOf|oneOf)":\[(.)/g)];
  expect(compositions.length).toBeGreaterThan(50);
  const visit = (value: Document): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const word of ['allOf', 'anyOf', 'oneOf']) if (Array.isArray(value[word])) expect(value[word].length).toBeGreaterThan(1);
    Object.values(value).forEach(visit);
  };
  visit(document);
});

test('every body is a schema with a name, which programs that make code of the document give to its type', () => {
  const bodies = Object.entries<Document>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Document>(methods).flatMap(([method, { requestBody }]) =>
      Object.values<Document>(requestBody?.content ?? {}).map(({ schema }) => ({ of: `${method} ${path}`, schema })),
    ),
  );
  expect(bodies.length).toBeGreaterThan(20);
  // One or many contacts, and what a provider writes: each of several forms.
  const withoutName = bodies.filter(({ schema }) => !schema.$ref).map((body) => body.of);
  expect(withoutName).toEqual(['post /contacts', 'post /inbound/{provider}/{inboundId}']);
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

test('what one of two fields has to be there is said, as the server takes it', async () => {
  const bodyOf = (method: string, path: string): ValidateFunction =>
    ajv.compile({ $ref: `api${operationOf(method, path).requestBody.content['application/json'].schema.$ref}` });
  const takes = bodyOf('post', '/events');
  for (const [body, isTaken] of [
    [{ type: 'x' }, false],
    [{ type: 'x', email: null, contactId: null }, false],
    [{ type: 'x', email: 'a@example.com' }, true],
    [{ type: 'x', email: null, contactId: '01990000-0000-7000-8000-000000000000' }, true],
  ] as const) {
    const { status } = await project.api.post('/events', body);
    expect([body, takes(body), status === 422]).toEqual([body, isTaken, !isTaken]);
  }
  const condition = ajv.compile({ $ref: 'api#/components/schemas/Condition' });
  for (const [value, isTaken] of [
    [{ field: 'event.x', op: 'in' }, false],
    [{ field: 'event.x', op: 'in', value: [] }, false],
    [{ field: 'event.x', op: 'in', value: [1] }, true],
    [{ field: 'event.x', op: 'exists', value: 1 }, false],
    [{ field: 'event.x', op: 'exists' }, true],
    [{ field: 'event.x', op: 'gt', value: true }, false],
    [{ field: 'event.x', op: 'starts_with', value: '' }, false],
    [{ field: 'event.x', op: 'eq', value: false }, true],
    [{ field: 'event.x', op: 'contains', value: [1] }, false],
  ] as const) {
    expect([value, condition(value), ConditionSchema.safeParse(value).success]).toEqual([value, isTaken, isTaken]);
  }
});

test('every example of a schema is as the schema says', () => {
  const wrong: unknown[] = [];
  let count = 0;
  const visit = (value: Document, pointer: string): void => {
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value.examples) && !pointer.endsWith('/properties')) {
      const validate = ajv.compile({ $ref: `api#${pointer}` });
      count += value.examples.length;
      for (const example of value.examples) if (!validate(example)) wrong.push([pointer, validate.errors]);
    }
    for (const [name, member] of Object.entries(value)) {
      if (name !== 'examples') visit(member, `${pointer}/${encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))}`);
    }
  };
  visit(document, '');
  expect(wrong).toEqual([]);
  expect(count).toBeGreaterThan(10);
});

const operations: { readonly name: string; readonly operation: Document }[] = [];
beforeAll(() => {
  for (const [path, methods] of Object.entries<Document>(document.paths)) {
    for (const [method, operation] of Object.entries<Document>(methods)) operations.push({ name: `${method} ${path}`, operation });
  }
});

test('every operation has an example of its request and of its answer', () => {
  const without: string[] = [];
  const demand = (isThere: unknown, what: string): void => {
    if (!isThere) without.push(what);
  };
  for (const { name, operation } of operations) {
    for (const { in: place, name: parameter, example } of operation.parameters) {
      if (place === 'path') demand(example, `${name} {${parameter}}`);
    }
    const bodies = operation.requestBody?.content ?? {};
    const answers = operation.responses[200]?.content ?? operation.responses[201].content;
    for (const media of [...Object.values<Document>(bodies), ...Object.values<Document>(answers)]) {
      demand(Object.keys(media.examples ?? {}).length > 0, `${name} ${JSON.stringify(media.schema).slice(0, 60)}`);
    }
  }
  expect(without).toEqual([]);
});

test('what an operation shows as an example of its request or of its answer is one by its schema', () => {
  const wrong: unknown[] = [];
  let count = 0;
  for (const [path, methods] of Object.entries<Document>(document.paths)) {
    for (const [method, { requestBody, responses }] of Object.entries<Document>(methods)) {
      const status = responses[200] ? '200' : '201';
      for (const [place, { content = {} }] of [
        [['requestBody'], requestBody ?? {}],
        [['responses', status], responses[status]],
      ] as const) {
        for (const [type, { examples = {} }] of Object.entries<Document>(content)) {
          const pointer = ['paths', path, method, ...place, 'content', type, 'schema'];
          const $ref = `api#/${pointer.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`;
          const validate = ajv.compile({ $ref });
          for (const [name, { value }] of Object.entries<Document>(examples)) {
            count++;
            if (!validate(value)) wrong.push([method, path, place[0], name, validate.errors]);
          }
        }
      }
    }
  }
  expect(wrong).toEqual([]);
  expect(count).toBeGreaterThan(operations.length);
});

test('every operation has the one tag of its resource, and every tag is said', () => {
  const told = document.tags.map(({ name }: Document) => name);
  expect(operations.filter(({ operation }) => operation.tags.length !== 1).map(({ name }) => name)).toEqual([]);
  expect(new Set(operations.map(({ operation }) => operation.tags[0]))).toEqual(new Set(told));
  const tagged = (tag: string) => operations.filter(({ operation }) => operation.tags[0] === tag).map(({ name }) => name);
  expect(tagged('unsubscribe')).toEqual(['get /unsubscribe', 'post /unsubscribe', 'post /resubscribe']);
  expect(tagged('enrollments')).toContain('post /sequences/{key}/enroll/bulk');
});

test('every property, parameter and schema with a name has a description', () => {
  const without: string[] = [];
  let count = 0;
  const target = (schema: Document): Document => (schema.$ref ? document.components.schemas[schema.$ref.split('/').at(-1)] : schema);
  const isDescribed = (schema: Document): boolean => Boolean(schema.description ?? target(schema)?.description);
  // `told`: what the other parts of a composition describe.
  const visit = (value: Document, path: string, told: readonly string[]): void => {
    if (typeof value !== 'object' || value === null) return;
    const parts = (value.allOf ?? []).flatMap((part: Document) => Object.entries<Document>(target(part).properties ?? {}));
    const known = [...told, ...parts.flatMap(([name, schema]: [string, Document]) => (isDescribed(schema) ? name : []))];
    for (const [name, schema] of Object.entries<Document>(value.properties ?? {})) {
      count++;
      if (!isDescribed(schema) && !known.includes(name)) without.push(`${path}.${name}`);
    }
    for (const [name, member] of Object.entries(value)) {
      if (name === 'example' || name === 'examples') continue;
      const isPart = name === 'allOf' || name === 'anyOf' || Array.isArray(value);
      visit(member, `${path}/${name}`, isPart ? known : []);
    }
  };
  for (const [name, schema] of Object.entries<Document>(document.components.schemas)) {
    if (!schema.description) without.push(name);
    visit(schema, name, []);
  }
  for (const { name, operation } of operations) {
    for (const parameter of operation.parameters) {
      if (!parameter.$ref && !parameter.description) without.push(`${name} ${parameter.name}`);
    }
    visit([operation.requestBody, operation.responses], name, []);
  }
  expect(count).toBeGreaterThan(500);
  expect(without).toEqual([]);
});

test('PUT takes the nodes, triggers, edges and goal that GET answers by the same schemas', () => {
  const { FlowGraph, FlowGraphInput, SequenceNode } = document.components.schemas;
  for (const name of ['nodes', 'triggers', 'edges', 'goal', 'frequencyCap']) {
    const refs = [FlowGraph, FlowGraphInput].map(({ properties }) => /"\$ref":"([^"]+)"/.exec(JSON.stringify(properties[name]))?.[1]);
    expect([name, refs[0]]).toEqual([name, expect.stringContaining('#/components/schemas/')]);
    expect([name, refs[0]]).toEqual([name, refs[1]]);
  }
  for (const node of SequenceNode.anyOf) expect(node).toEqual({ $ref: expect.stringMatching(/Node$/) });
});

test('nothing that a campaign counts can be negative', () => {
  const { Campaign, CampaignVariant } = document.components.schemas;
  const counts = [Campaign, CampaignVariant].flatMap(({ properties }) =>
    Object.entries<Document>(properties).filter(([name]) => /_count$|_size$|recipients$/.test(name)),
  );
  expect(counts.length).toBeGreaterThan(15);
  for (const [name, { minimum }] of counts) expect([name, minimum]).toEqual([name, 0]);
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
