import { type ErrorCode, MAX_ISSUES, STATUS_OF } from '../../domain/errors.ts';
import type { Route } from '../route.ts';
import type { JsonSchema } from './components.ts';

/** Beside every answer of a keyed route, once its key is known. */
export const RATE_LIMIT_HEADERS = ['RateLimit', 'RateLimit-Policy'];

const REASONS = [
  'suppressed',
  'unsubscribed',
  'bounced',
  'unconfirmed',
  'topic_off',
  'render_failed',
  'provider_rejected',
  'outcome_unknown',
  'provider_unavailable',
  'attachment_gone',
];

/** The flat error envelope (docs/contract/http.md 6) with the fields of its code beside it. */
export const ERROR_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  ErrorCode: {
    type: 'string',
    enum: Object.keys(STATUS_OF),
    description: 'Every `code` that this version can answer; later ones may have more',
  },
  Error: errorSchema('A refusal, or a fault of the server', {}),
  InvalidRequest: errorSchema('A request that is not as the document says', {
    issues: listOf('Issue', 'Every problem, the first of which `error` names'),
    warnings: {
      ...listOf('Warning', 'Fields and query parameters that are not known: what is required may stand there under another name'),
      isOptional: true,
    },
  }),
  InvalidContent: errorSchema('Content that cannot be compiled', {
    issues: listOf('Issue', 'Every problem, the first of which `error` names'),
  }),
  UnknownTemplates: errorSchema('Templates that the project does not have', {
    issues: listOf('Issue', 'Each with the step that names it'),
  }),
  InvalidGraph: errorSchema('A flow graph that cannot run', { issues: listOf('GraphIssue', 'Every problem; `error` names them all') }),
  SendFailed: errorSchema('An email that did not go', {
    reason: { enum: REASONS, description: 'Why; the send log starts its `error` with it' },
  }),
  VersionConflict: errorSchema('Something that was changed meanwhile', {
    version: { type: 'integer', description: 'That it has now; 0: it is not there' },
  }),
  AudienceChanged: errorSchema('An audience that is another by now', {
    audienceSize: { type: 'integer', description: 'Who matches now' },
    enrolled: { type: 'integer', description: 'Who of them would get it' },
  }),
  SegmentInUse: errorSchema('A segment by which sequences are entered', {
    sequences: { type: 'array', items: { type: 'string' }, description: 'The keys of these sequences' },
  }),
  EnrollFailed: errorSchema('A contact that cannot be enrolled now', { reason: { $ref: '#/components/schemas/EnrollRefusal' } }),
  InternalError: errorSchema('A fault of the server', { requestId: { type: 'string', description: 'What to look for in the log' } }),
  NotReady: errorSchema('Something that is needed does not answer', { checks: { $ref: '#/components/schemas/ReadinessChecks' } }),
  Issue: {
    type: 'object',
    description: 'One thing wrong with a request',
    required: ['path', 'message'],
    properties: {
      path: { type: 'string', description: 'Where, as the caller wrote it; empty: the whole', examples: ['contacts[3].email'] },
      message: { type: 'string', description: 'In words; they may change' },
    },
  },
  GraphIssue: {
    type: 'object',
    description: 'One thing wrong with a flow graph',
    required: ['message'],
    properties: {
      nodeId: { type: 'string', description: 'The node that it is about; without one it is about the whole', examples: ['send_1'] },
      message: { type: 'string', description: 'In words; they may change' },
    },
  },
};

/** The schema of an error whose body has more than words and a code; every other one is an Error. */
const SCHEMA_OF: Partial<Record<ErrorCode, string>> = {
  invalid_request: 'InvalidRequest',
  invalid_content: 'InvalidContent',
  invalid_graph: 'InvalidGraph',
  version_conflict: 'VersionConflict',
  audience_changed: 'AudienceChanged',
  send_failed: 'SendFailed',
  segment_in_use: 'SegmentInUse',
  enroll_failed: 'EnrollFailed',
  internal: 'InternalError',
  not_ready: 'NotReady',
};

function errorSchema(description: string, fields: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const own = Object.entries(fields).map(([name, { isOptional = false, ...schema }]) => ({ name, isOptional, schema }));
  return {
    type: 'object',
    description,
    required: ['ok', 'error', 'code', ...own.flatMap(({ name, isOptional }) => (isOptional ? [] : name))],
    properties: {
      ok: { const: false, description: 'It was refused, or failed' },
      error: { type: 'string', description: 'For people; it may change' },
      code: { type: 'string', description: 'Stable; branch on it' },
      ...Object.fromEntries(own.map(({ name, schema }) => [name, schema])),
    },
  };
}

function listOf(schema: string, description: string): JsonSchema {
  return { type: 'array', maxItems: MAX_ISSUES, description, items: { $ref: `#/components/schemas/${schema}` } };
}

/** References to headers of the document. */
export function headerRefs(names: readonly string[]): JsonSchema {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

interface PossibleError {
  readonly code: ErrorCode;
  readonly status: number;
  readonly schema?: string;
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Malformed request',
  401: 'No key, or one that is unknown or revoked',
  403: 'Not allowed',
  404: 'Not found',
  405: 'Another method is meant',
  409: 'In progress',
  413: 'Body too large',
  415: 'Not JSON',
  422: 'Not possible',
  429: 'Too many requests',
  431: 'Address and headers too large',
  500: 'Fault of the server',
  503: 'Not now',
};

function titleOf({ hasSignedBody, form, answersAs }: Route, status: number): string {
  if (status === 415 && form) return 'Not multipart/form-data';
  if (status === 401 && hasSignedBody) return "No signature or credentials of the provider's, or wrong ones";
  if (status === 400 && answersAs === 'text/html') return 'A link that is not right, told by a page; or a malformed request';
  return TITLES[status] ?? 'Refused';
}

/** What is wrong with a link is told by a page. */
const PAGE: JsonSchema = { 'text/html': { schema: { type: 'string' } } };
/** Answered before it is known whose request it is. */
const BEFORE_THE_KEY = [401, 405, 431];
const WITH_RETRY_AFTER = [409, 429, 503];

/** The responses for everything that the route can refuse, by status, each with the codes that it may carry. */
export function errorResponses(route: Route): Record<string, JsonSchema> {
  const byStatus = Map.groupBy(possibleErrors(route), ({ status }) => status);
  const statuses = [...byStatus].sort(([a], [b]) => a - b);
  return Object.fromEntries([
    ...statuses.map(([status, errors]): [string, JsonSchema] => {
      const codes = [...new Set(errors.map(({ code }) => code))];
      return [
        String(status),
        {
          description: `${titleOf(route, status)}: ${codes.map((code) => `\`${code}\``).join(', ')}`,
          headers: headerRefs(headersOf(route, status, codes)),
          content: {
            'application/json': { schema: bodyOf(errors) },
            ...(status === 400 && route.answersAs === 'text/html' ? PAGE : {}),
          },
        },
      ];
    }),
  ]);
}

function headersOf(route: Route, status: number, codes: readonly ErrorCode[]): string[] {
  const isCounted = route.scope !== 'public' && !BEFORE_THE_KEY.includes(status);
  const isReplayed = route.idempotency === 'own' && codes.includes('send_failed') && status === 422;
  return [
    'X-Request-Id',
    ...(isCounted ? RATE_LIMIT_HEADERS : []),
    ...(WITH_RETRY_AFTER.includes(status) ? ['Retry-After'] : []),
    ...(isReplayed ? ['Idempotent-Replayed'] : []),
    ...(status === 401 && route.scope !== 'public' ? ['WWW-Authenticate'] : []),
    ...(status === 405 ? ['Allow'] : []),
  ];
}

/** Each form of body with the codes that have it. */
function bodyOf(errors: readonly PossibleError[]): JsonSchema {
  const bySchema = Map.groupBy(errors, ({ code, schema }) => schema ?? SCHEMA_OF[code] ?? 'Error');
  const bodies = [...bySchema].map(([schema, of]) => coded(schema, [...new Set(of.map(({ code }) => code))]));
  return bodies.length === 1 ? (bodies[0] as JsonSchema) : { oneOf: bodies };
}

function coded(schema: string, codes: readonly ErrorCode[]): JsonSchema {
  return { allOf: [{ $ref: `#/components/schemas/${schema}` }, { type: 'object', properties: { code: { enum: codes } } }] };
}

/** In the order in which a request is checked (docs/contract/http.md 8), the route's own last. */
function possibleErrors(route: Route): PossibleError[] {
  const keyed: ErrorCode[] = route.scope === 'public' ? [] : ['unauthorized', 'project_suspended', 'rate_limited'];
  const scoped: ErrorCode[] = route.scope === 'public' || route.scope === 'any key' ? [] : ['forbidden'];
  const owner: ErrorCode[] = route.needsVerifiedOwner ? ['email_unverified'] : [];
  const header: ErrorCode[] = route.idempotency ? ['invalid_idempotency_key', 'idempotency_in_progress', 'idempotency_key_reuse'] : [];
  // A page says by itself what is wrong with its link, and a signed body is no JSON before its signature is right.
  const query: ErrorCode[] = route.query && route.answersAs !== 'text/html' ? ['invalid_request'] : [];
  const body: ErrorCode[] =
    route.body && !route.hasSignedBody ? ['unsupported_media_type', 'payload_too_large', 'invalid_json', 'invalid_request'] : [];
  const form: ErrorCode[] = route.form ? ['unsupported_media_type', 'payload_too_large', 'invalid_request'] : [];
  const always: ErrorCode[] = ['malformed_request', 'method_not_allowed', 'headers_too_large', 'internal', 'unavailable'];
  const own = (route.errors ?? []).map((error) =>
    typeof error === 'string' ? withStatus(error) : { ...withStatus(error.code), ...error },
  );
  return [...[keyed, scoped, owner, header, query, body, form, always].flat().map(withStatus), ...own];
}

function withStatus(code: ErrorCode): PossibleError {
  return { code, status: STATUS_OF[code] };
}
