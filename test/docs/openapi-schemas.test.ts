import type { ValidateFunction } from 'ajv/dist/2020.js';
import { beforeAll, expect, test } from 'vitest';
import { ConditionSchema } from '../../domain/conditions/schema.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { keyedRoutes, nameOf } from '../support/routes.ts';
import { type Document, type LoadedDocument, loadDocument, operationsOf } from './openapi-document.ts';

let document: Document;
let ajv: LoadedDocument['ajv'];
let validatorOf: LoadedDocument['validatorOf'];
let operationOf: LoadedDocument['operationOf'];
let project: TestProject;

beforeAll(async () => {
  ({ document, ajv, validatorOf, operationOf } = await loadDocument());
  project = await newProject();
});

/** With references that resolve outside of the document. */
function inDocument(schema: Document): Document {
  return JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"api#/'));
}

test('every array of a body has a maximum, and so has every text outside of content and graphs', () => {
  const unbounded: string[] = [];
  const seen = new Set<string>();
  const BOUNDED_AS_A_WHOLE = ['TemplateContent', 'TemplateBlock', 'FlowGraphInput', 'Condition'];
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

test('what one of two fields has to be there is said, as the server takes it', async () => {
  const bodyOf = (method: string, path: string): ValidateFunction =>
    validatorOf('paths', path, method, 'requestBody', 'content', 'application/json', 'schema');
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
  const sends = bodyOf('post', '/send');
  const own = { to: project.address(), type: 'transactional', subject: 'x' };
  for (const [body, isTaken] of [
    [own, false],
    [{ ...own, template: null, html: null, text: null }, false],
    [{ to: own.to, template: 'receipt', html: 'x' }, false],
    [{ ...own, text: 'x', content: { blocks: [] } }, false],
    [{ ...own, subject: null, html: 'x' }, false],
    [{ to: own.to, subject: 'x', content: { blocks: [] } }, false],
    [{ ...own, to: null, html: 'x' }, false],
    [{ ...own, html: 'x', template: null }, true],
    [{ ...own, html: 'x', text: 'x' }, true],
    [{ ...own, text: 'x' }, true],
    [{ ...own, content: { blocks: [] } }, true],
  ] as const) {
    const { status } = await project.api.post('/send', body);
    expect([body, sends(body), status === 422]).toEqual([body, isTaken, !isTaken]);
  }
  const condition = validatorOf('components', 'schemas', 'Condition');
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
      const isPart = ['allOf', 'anyOf', 'oneOf'].includes(name) || Array.isArray(value);
      visit(member, `${path}/${name}`, isPart ? known : []);
    }
  };
  for (const [name, schema] of Object.entries<Document>(document.components.schemas)) {
    if (!schema.description) without.push(name);
    visit(schema, name, []);
  }
  for (const { name, operation } of operationsOf(document)) {
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
