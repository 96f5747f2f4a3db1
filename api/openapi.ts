import type * as z from 'zod';
import { MAX_ISSUES } from '../domain/errors.ts';
import { isReadByAny } from '../domain/projects/scopes.ts';
import { MAX_KEY_LENGTH } from './idempotency.ts';
import { MAX_NAMES, MAX_NESTING } from './middleware/json-text.ts';
import { MAX_BODY_MB, MAX_CONTAINERS } from './middleware/read-json.ts';
import { type ComponentSchemas, collectComponents, type JsonSchema } from './openapi/components.ts';
import { ERROR_SCHEMAS, errorResponses, headerRefs, RATE_LIMIT_HEADERS } from './openapi/error-responses.ts';
import { isRepeatable, operationNameOf } from './openapi/operation-names.ts';
import { webhookEvents } from './openapi/webhook-events.ts';
import type { Route, RouteExample } from './route.ts';
import { Warnings } from './schemas.ts';

const JSON_TYPE = 'application/json';

const HEADERS: Readonly<Record<string, JsonSchema>> = {
  'X-Request-Id': { description: "The caller's own when it is a plain one, else a new one", schema: { type: 'string' } },
  'Retry-After': { description: 'Whole seconds until another try makes sense', schema: { type: 'integer', minimum: 1 } },
  RateLimit: { description: 'What is left of the bucket, and the seconds until it is full again', schema: { type: 'string' } },
  'RateLimit-Policy': { description: 'The size of the bucket and the seconds in which it fills', schema: { type: 'string' } },
  'Idempotent-Replayed': { description: 'Present when a stored answer is given again', schema: { const: 'true' } },
  'WWW-Authenticate': { description: 'How to send a key (RFC 6750)', schema: { const: 'Bearer' } },
  Allow: { description: 'The methods that are possible here', schema: { type: 'string' } },
};

/** What each resource is. */
const TAGS: Readonly<Record<string, string>> = {
  contacts: 'The people of a project, each with one address',
  topics: 'What people choose to get or not',
  imports: 'Files of contacts that become contacts',
  send: 'One email at once',
  sends: 'The log of every attempt to send',
  files: 'What is sent with emails often: uploaded once',
  images: 'Pictures that emails show, under public addresses',
  templates: 'What emails say: enabled, written, published and tried for each brand',
  'saved-blocks': 'Blocks that a project keeps under a name, to begin others with',
  campaigns: 'One email to many contacts, now or later',
  'recurring-campaigns': 'Campaigns that are made again and again by a rule',
  sequences: 'Flows of emails, waits and branches that contacts go through',
  enrollments: "One contact's run through one sequence",
  events: 'What contacts do in the product',
  segments: 'Saved audiences',
  suppressions: 'Addresses that get no email at all',
  webhooks: 'Where a project is told of what happens, signed by Standard Webhooks 1.0',
  project: 'The key that calls, its project, brands and sending domains, and the other keys',
  stats: 'How many emails were sent and what became of them, and how many contacts came and went',
  attention: 'What needs a look',
  vocabulary: 'Names that a project uses',
  unsubscribe: 'The pages behind the links of emails: leaving and coming back, choices, and the confirmation of a sign-up',
  inbound: 'What delivery providers report',
  service: 'Whether the process lives and can do its work, and this description',
};
/** Paths that are about another resource than their first part says. */
const TAG_OF: Readonly<Record<string, string>> = {
  me: 'project',
  keys: 'project',
  'sequence-starters': 'sequences',
  brands: 'project',
  domains: 'project',
  resubscribe: 'unsubscribe',
  preferences: 'unsubscribe',
  confirm: 'unsubscribe',
  health: 'service',
  ready: 'service',
  'openapi.json': 'service',
};

const IDEMPOTENCY_KEY: JsonSchema = {
  name: 'Idempotency-Key',
  in: 'header',
  // Without an `example`: the reference page would send it with every payload that is tried there.
  description: 'One of yours, like `invoice-2207-paid`. The same key with the same payload does its work once',
  schema: { type: 'string', minLength: 1, maxLength: MAX_KEY_LENGTH, pattern: '^[\\x21-\\x7e]+$' },
};

/** OpenAPI 3.1 of the whole API, made from the declarations that validate the requests. HEAD works where GET does and is not listed. */
export function openapiDocument(routes: readonly Route[], { version }: { readonly version: string }): JsonSchema {
  const components = collectComponents();
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method]: operation(route, components) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Everpost',
      version,
      license: { name: 'MIT', identifier: 'MIT' },
      description: [
        'Durable email. An answer is flat: its fields stand beside `ok: true`. Call it from a backend only.',
        `A body is JSON of at most ${MAX_BODY_MB} MB, ${MAX_NESTING} levels deep, with at most ${MAX_CONTAINERS.toLocaleString('en')} objects and arrays and ` +
          `${MAX_NAMES.toLocaleString('en')} different names of members. A name that an ` +
          'object has twice is 400 `invalid_json`. Numbers are read as doubles: one that is too ' +
          'large for that, or a whole one with more digits than a double keeps, is refused rather than changed; send it as a text. NUL ' +
          `characters are refused. At most ${MAX_ISSUES} issues are told at a time.`,
        'Fields and query parameters that are not known are ignored, except where a typo would widen an audience (filters, audiences, conditions, ' +
          'graphs, contents), which is 422. What was ignored is named in `warnings` of the answer: `{ "path": "firstname", "message": "ignored: no ' +
          'such field; did you mean firstName?" }`.',
        'What is no HTTP request that can be read is answered in the same envelope: 400 `malformed_request`, 408 `request_timeout`, 413 ' +
          '`payload_too_large`, 417 `expectation_failed`, 431 `headers_too_large`.',
      ].join('\n\n'),
    },
    servers: [{ url: '/api/v1' }],
    security: [{ apiKey: [] }],
    tags: [...new Set(routes.map(tagOf))].map((name) => ({ name, description: TAGS[name] })),
    paths,
    webhooks: webhookEvents(components),
    components: {
      schemas: { ...ERROR_SCHEMAS, ...components.all },
      headers: HEADERS,
      parameters: { 'Idempotency-Key': IDEMPOTENCY_KEY },
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key of the project: `ep_live_…`, or `ep_test_…`, whose emails never leave',
        },
      },
    },
  };
}

function operation(route: Route, components: ComponentSchemas): JsonSchema {
  const { scope } = route;
  const bodies = shown(route.examples, ({ body }) => body);
  return {
    operationId: operationNameOf(route),
    ...(isRepeatable(route) ? { 'x-repeatable': true } : {}),
    tags: [tagOf(route)],
    summary: route.summary,
    description: [route.description, accessWords(scope)].filter(Boolean).join('\n\n'),
    // OpenAPI 3.1 allows role names beside a scheme that is not OAuth.
    security: scope === 'public' ? [] : [{ apiKey: scope === 'any key' ? [] : [scope] }],
    parameters: [
      ...parametersOf(route.params, 'path', components, route.examples[0].params),
      ...parametersOf(route.query, 'query', components, route.examples[0].query),
      ...(route.idempotency ? [{ $ref: '#/components/parameters/Idempotency-Key' }] : []),
    ],
    ...(route.body
      ? {
          requestBody: {
            required: !route.isBodyOptional,
            content: { [route.bodyType ?? JSON_TYPE]: { schema: components.schemaOf(route.documentedBody ?? route.body), ...bodies } },
          },
        }
      : {}),
    ...(route.form
      ? { requestBody: { required: true, content: { 'multipart/form-data': { schema: components.schemaOf(route.form), ...bodies } } } }
      : {}),
    responses: {
      [route.status]: success(route, components, route.reply, undefined),
      ...(route.accepted ? { 202: success(route, components, route.accepted, 202) } : {}),
      ...errorResponses(route),
    },
  };
}

function accessWords(scope: Route['scope']): string {
  if (scope === 'public') return 'No key is asked for.';
  if (scope === 'any key') return 'Any key will do.';
  return `Scope: \`${scope}\`${isReadByAny(scope) ? ', or a key that has no reading scope' : ''}`;
}

/** `status`: of the examples; undefined where it is the usual one. */
function success(route: Route, components: ComponentSchemas, reply: z.ZodType, status: 202 | undefined): JsonSchema {
  const names = ['X-Request-Id'];
  if (route.scope !== 'public') names.push(...RATE_LIMIT_HEADERS);
  if (route.idempotency && route.idempotency !== 'in_answer') names.push('Idempotent-Replayed');
  const schema = components.schemaOf(reply);
  const { answersAs } = route;
  const examples = route.examples.filter((example) => example.status === status);
  return {
    description: status === 202 ? 'Accepted' : route.status === 201 ? 'Created' : 'Done',
    headers: headerRefs(names),
    content: answersAs
      ? { [answersAs]: { schema, ...shown(examples, ({ answer }) => answer) } }
      : {
          [JSON_TYPE]: {
            schema: inEnvelope(schema, components.schemaOf(Warnings)),
            ...shown(examples, ({ answer }) => ({ ok: true, ...(answer as object) })),
          },
        },
  };
}

/** Each example by a name that its title makes. */
function shown(examples: readonly RouteExample[], part: (example: RouteExample) => unknown): JsonSchema {
  const named = examples.flatMap((example) => {
    const { title = 'Example' } = example;
    const value = part(example);
    return value === undefined ? [] : [[title.toLowerCase().replace(/[^a-z0-9]+/g, '-'), { summary: title, value }]];
  });
  return named.length > 0 ? { examples: Object.fromEntries(named) } : {};
}

/** `ok: true` and `warnings` beside the fields of the answer, never above them. */
function inEnvelope(schema: JsonSchema, warnings: JsonSchema): JsonSchema {
  const ok = { const: true, description: 'It was done' };
  if (!('properties' in schema)) return { allOf: [{ type: 'object', required: ['ok'], properties: { ok, warnings } }, schema] };
  const { properties, required } = schema as { readonly properties: object; readonly required?: readonly string[] };
  return { ...schema, required: ['ok', ...(required ?? [])], properties: { ok, ...properties, warnings } };
}

function parametersOf(
  schema: z.ZodType | undefined,
  place: 'path' | 'query',
  components: ComponentSchemas,
  examples: RouteExample['query'],
): JsonSchema[] {
  if (!schema) return [];
  const { properties, required = [] } = components.schemaOf(schema) as {
    readonly properties: Readonly<Record<string, JsonSchema>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    required: required.includes(name),
    description: description ?? components.descriptionOf(rest),
    ...(examples?.[name] === undefined ? {} : { example: examples[name] }),
    schema: rest,
  }));
}

/** The resource: as a rule the first part of the path. */
function tagOf({ path }: Route): string {
  const [, resource = '', , part] = path.split('/');
  return part?.startsWith('enroll') ? 'enrollments' : (TAG_OF[resource] ?? resource);
}
