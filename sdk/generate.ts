import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../local/replace-file.ts';

// biome-ignore lint/suspicious/noExplicitAny: a document of many shapes
type Document = any;

interface Described {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly operation: Document;
}

const JSON_TYPE = 'application/json';

/** Writes what the client has of the API into `folder`: types from the document, and the table from which its methods are made. */
export async function generate(document: string, version: string, folder: string): Promise<void> {
  const parsed: Document = JSON.parse(document);
  await mkdir(folder, { recursive: true });
  await replaceFile(join(folder, 'api.ts'), await typesOf(answersOf(parsed)));
  await replaceFile(join(folder, 'requests.ts'), await typesOf(requestsOf(parsed), { givesInstants: true }));
  await replaceFile(join(folder, 'operations.ts'), operationsModule(parsed, version));
}

/** What is answered. Of refusals an error has all that there is to know, and of headers nobody is given any: without them the types are a tenth. */
function answersOf(document: Document): Document {
  return withOperations(document, ({ requestBody: _, ...operation }) => ({
    ...operation,
    responses: Object.fromEntries(
      Object.entries<Document>(operation.responses).flatMap(([status, { headers: _, ...response }]) =>
        Number(status) < 400 ? [[status, response]] : [],
      ),
    ),
  }));
}

/** What is asked: bodies and queries, with the schemas that they name. */
function requestsOf(document: Document): Document {
  const { paths } = withOperations(document, (operation) => ({ ...operation, responses: {} }));
  const { schemas, parameters } = document.components;
  return { ...document, paths, webhooks: {}, components: { parameters, schemas: schemasOf(paths, schemas) } };
}

function withOperations(document: Document, change: (operation: Document) => Document): Document {
  const paths = Object.entries<Document>(document.paths).map(([path, methods]) => [
    path,
    Object.fromEntries(Object.entries<Document>(methods).map(([method, operation]) => [method, change(operation)])),
  ]);
  return { ...document, paths: Object.fromEntries(paths) };
}

/** The schemas that a part of the document names, by themselves or by others. */
function schemasOf(part: Document, schemas: Document, found: Document = {}): Document {
  for (const [, name] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
    if (name! in found) continue;
    found[name!] = schemas[name!];
    schemasOf(schemas[name!], schemas, found);
  }
  return found;
}

/** Types of a document by the formats of its texts: bytes are a Blob, and instants may be a Date where they are given. */
async function typesOf(document: Document, { givesInstants = false } = {}): Promise<string> {
  await import('../local/typescript-api.ts');
  const { default: transform, astToString } = await import('openapi-typescript');
  const { ts } = await import('@ts-morph/common');
  const { factory, SyntaxKind } = ts;
  const date = [factory.createKeywordTypeNode(SyntaxKind.StringKeyword), factory.createTypeReferenceNode('Date')];
  const types: Readonly<Record<string, unknown>> = {
    binary: factory.createTypeReferenceNode('Blob'),
    ...(givesInstants ? { 'date-time': factory.createUnionTypeNode(date) } : {}),
  };
  // What has to be there, of whatever type: `unknown`, which a schema without one is, would take null and undefined in.
  const present = factory.createTypeLiteralNode([]);
  const typeOf = ({ format, not }: Document) => types[format ?? ''] ?? (not?.type === 'null' ? present : undefined);
  return astToString(await transform(JSON.stringify(document), { transform: (schema) => typeOf(schema) as never }));
}

function operationsModule(document: Document, version: string): string {
  const operations = operationsOf(document);
  return [
    "import type { components, operations, webhooks } from './api.js';",
    "import type { CallOptions, KeyedCallOptions } from '../options.js';",
    "import type { Pages } from '../pages.js';",
    "import type { operations as requests } from './requests.js';",
    '',
    `export const VERSION = ${JSON.stringify(version)};`,
    '',
    `export const OPERATIONS = \`${operations.map((each) => line(each, document)).join('\n')}\`;`,
    '',
    HELPERS,
    `export interface ErrorBodies {\n${errorBodies(document, operations)}}`,
    '',
    interfaces(operations),
  ].join('\n');
}

const HELPERS = `/** The name of an operation, like \`contacts.list\`. */
export type OperationName = keyof operations;

/** A schema of the document by its name, like \`Schema<'Contact'>\`. */
export type Schema<N extends keyof components['schemas']> = components['schemas'][N];

type Content<R> = R extends { content: { 'application/json': infer A } } ? A : never;
type Answered<R> = { [S in keyof R & (200 | 201 | 202)]: Content<R[S]> }[keyof R & (200 | 201 | 202)];

/** What an operation answers. */
export type AnswerOf<N extends OperationName> = Answered<operations[N]['responses']>;

type Body<C> = C extends { content: infer M } ? M[keyof M] : never;

type Json = components['schemas']['JsonValue'];
/**
 * What becomes of it the body that the document describes: lists may be readonly, and any JSON what is written as JSON, such as a \`Date\` in it.
 * Only \`any\` lets an interface be there, which has no index signature.
 */
type Given<T> = T extends Blob | Date
  ? T
  : T extends readonly unknown[]
    ? { readonly [K in keyof T]: Given<T[K]> }
    : T extends object
      ? string extends keyof T
        ? { [K in keyof T]: Json extends T[K] ? any : Given<T[K]> }
        : { [K in keyof T]: Given<T[K]> }
      : T;

/** The body that an operation takes. */
export type BodyOf<N extends OperationName> = Given<Body<NonNullable<requests[N]['requestBody']>>>;

/** The query that an operation takes. */
export type QueryOf<N extends OperationName> = NonNullable<requests[N]['parameters']['query']>;

/** The events that endpoints are told of, by their \`type\`. */
export type WebhookEvent = { [T in keyof webhooks]: Body<webhooks[T] extends { post: { requestBody: infer B } } ? B : never> }[keyof webhooks];

/** The event of one type. */
export type WebhookEventOf<T extends WebhookEvent['type']> = Extract<WebhookEvent, { type: T }>;

/** What the answer to a refused call has, by its code. */`;

function operationsOf({ paths }: Document): Described[] {
  return Object.entries<Document>(paths).flatMap(([path, methods]) =>
    Object.entries<Document>(methods).map(([method, operation]) => ({
      name: operation.operationId,
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
}

function parametersOf({ operation }: Described, place: 'path' | 'query'): Document[] {
  return operation.parameters.filter((parameter: Document) => parameter.in === place);
}

function takesKey({ operation }: Described): boolean {
  return operation.parameters.some(({ $ref }: Document) => $ref?.endsWith('/Idempotency-Key'));
}

function bodyOf({ operation }: Described): 'j' | 'f' | 't' | '' {
  const [type] = Object.keys(operation.requestBody?.content ?? {});
  if (type === undefined) return '';
  return type === JSON_TYPE ? 'j' : type === 'multipart/form-data' ? 'f' : 't';
}

function successOf({ operation }: Described): Document {
  return operation.responses[200] ?? operation.responses[201];
}

function isRaw(described: Described): boolean {
  return !(JSON_TYPE in successOf(described).content);
}

/** Whether each of its answers says `ok`, by itself or by what it is made of. */
function saysOk(described: Described, { components }: Document): boolean {
  const says = (schema: Document): boolean => {
    if (schema.$ref) return says(components.schemas[schema.$ref.split('/').at(-1)]);
    const either = schema.oneOf ?? schema.anyOf;
    return 'ok' in (schema.properties ?? {}) || Boolean(schema.allOf?.some(says)) || Boolean(either?.every(says));
  };
  return Object.entries<Document>(described.operation.responses).every(
    ([status, { content }]) => Number(status) >= 400 || says(content[JSON_TYPE].schema),
  );
}

/** Where what the pages are of is not at the top of the answer: the way to it. */
const WITHIN: Readonly<Record<string, string>> = { 'enrollments.get': 'enrollment.steps' };

interface Listed {
  /** Dotted. */
  readonly items: string;
  readonly by: 'cursor' | 'before';
}

/** Of a list in pages: which field of its answer has the items. */
function listOf(described: Described): Listed | undefined {
  const by = (['cursor', 'before'] as const).find((name) => parametersOf(described, 'query').some((parameter) => parameter.name === name));
  if (!by || described.method !== 'GET') return undefined;
  const properties = Object.entries<Document>(successOf(described).content[JSON_TYPE]?.schema.properties ?? {});
  const arrays = properties.flatMap(([name, { type }]) => (type === 'array' && name !== 'warnings' ? [name] : []));
  const last = described.path.split('/').at(-1);
  const items = WITHIN[described.name] ?? (arrays.length === 1 ? arrays[0] : arrays.find((name) => name === last));
  return items === undefined ? undefined : { items, by };
}

/** A line of the table, as `client.ts` reads it. */
function line(described: Described, document: Document): string {
  const list = listOf(described);
  const is = [
    bodyOf(described),
    takesKey(described) ? 'k' : '',
    described.operation['x-repeatable'] ? 's' : '',
    isRaw(described) ? 'r' : saysOk(described, document) ? '' : 'o',
    described.operation.security.length === 0 ? 'p' : '',
    list?.by === 'before' ? 'b' : '',
  ].join('');
  const query = parametersOf(described, 'query').map(({ name }) => name);
  return [described.name, described.method, described.path, is || '-', query.join() || '-', ...(list ? [list.items] : [])].join(' ');
}

/** The bodies of errors by their codes, from the answers of all operations; those that no operation names have words alone. */
function errorBodies(document: Document, operations: readonly Described[]): string {
  const bodies = new Map<string, Set<string>>();
  for (const code of document.components.schemas.ErrorCode.enum as string[]) bodies.set(code, new Set());
  for (const { operation } of operations) {
    for (const [status, { content }] of Object.entries<Document>(operation.responses)) {
      const schema = Number(status) < 400 ? undefined : content?.[JSON_TYPE]?.schema;
      for (const { allOf } of schema?.oneOf ?? (schema ? [schema] : [])) {
        const [{ $ref }, { properties }] = allOf;
        for (const code of properties.code.enum) bodies.get(code)?.add($ref.split('/').at(-1));
      }
    }
  }
  return [...bodies]
    .map(
      ([code, schemas]) => `  ${code}: ${[...(schemas.size > 0 ? schemas : ['Error'])].map((name) => `Schema<'${name}'>`).join(' | ')};\n`,
    )
    .join('');
}

/** The operations as an interface, a group in each of its members. */
function interfaces(operations: readonly Described[]): string {
  const groups = Map.groupBy(operations, ({ name }) => (name.includes('.') ? name.split('.')[0]! : ''));
  const alone = (groups.get('') ?? []).map((described) => signature(described, '  ')).join('');
  const grouped = [...groups].flatMap(([group, members]) =>
    group === '' ? [] : [`  readonly ${group}: {\n${members.map((described) => signature(described, '    ')).join('')}  };\n`],
  );
  return `/** Every operation of the API, by its group. */\nexport interface Operations {\n${alone}${grouped.join('')}}\n`;
}

function signature(described: Described, indent: string): string {
  const { name, method, path, operation } = described;
  const body = bodyOf(described);
  const query = parametersOf(described, 'query');
  const isBodyOptional = body !== '' && !operation.requestBody.required;
  const parameters = [
    ...parametersOf(described, 'path').map(
      ({ name: parameter, schema }) =>
        `${parameter}: ${schema.type === 'integer' ? 'number' : schema.enum ? `operations['${name}']['parameters']['path']['${parameter}']` : 'string'}`,
    ),
    ...(body ? [`body${isBodyOptional ? '?' : ''}: ${body === 't' ? 'string' : `BodyOf<'${name}'>`}`] : []),
    ...(query.length > 0 ? [`query${query.some(({ required }) => required) ? '' : '?'}: QueryOf<'${name}'>`] : []),
    `options?: ${takesKey(described) ? 'KeyedCallOptions' : 'CallOptions'}`,
  ];
  const list = listOf(described);
  const answer = list
    ? `Pages<AnswerOf<'${name}'>, AnswerOf<'${name}'>['${list.items.replaceAll('.', "']['")}'][number]>`
    : `Promise<${isRaw(described) ? 'Response' : `AnswerOf<'${name}'>`}>`;
  const words = [operation.summary, operation.description, `\`${method} ${path}\``]
    .filter(Boolean)
    .flatMap((text: string) => [...text.split('\n'), '']);
  const comment = words.slice(0, -1).map((text) => `${indent} *${text ? ` ${text.replaceAll('*/', '* /')}` : ''}\n`);
  return `${indent}/**\n${comment.join('')}${indent} */\n${indent}${name.split('.').at(-1)}(${parameters.join(', ')}): ${answer};\n`;
}
