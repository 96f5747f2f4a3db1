import { type ErrorCode, MAX_ISSUES, STATUS_OF } from '../../domain/errors.ts';
import type { Route } from '../route.ts';
import type { JsonSchema } from './components.ts';

/** Beside every answer of a keyed route, once its key is known. */
export const RATE_LIMIT_HEADERS = ['RateLimit', 'RateLimit-Policy'];

/** The flat error envelope: decisions.md 1.2. */
export const ERROR_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Error: errorSchema('Issue'),
  Issue: {
    type: 'object',
    description: 'One thing wrong with a request',
    required: ['path', 'message'],
    properties: { path: { type: 'string', examples: ['contacts[3].email'] }, message: { type: 'string' } },
  },
  GraphError: errorSchema('GraphIssue'),
  GraphIssue: {
    type: 'object',
    description: 'One thing wrong with a flow graph; without nodeId it is about the whole',
    required: ['message'],
    properties: { nodeId: { type: 'string', examples: ['send_1'] }, message: { type: 'string' } },
  },
};

function errorSchema(issue: string): JsonSchema {
  return {
    type: 'object',
    required: ['ok', 'error', 'code'],
    properties: {
      ok: { const: false },
      error: { type: 'string', description: 'For people; it may change' },
      code: { type: 'string', description: 'Stable; branch on it' },
      issues: {
        type: 'array',
        maxItems: MAX_ISSUES,
        description: 'Every problem of a request that is not valid',
        items: { $ref: `#/components/schemas/${issue}` },
      },
      warnings: {
        type: 'array',
        maxItems: MAX_ISSUES,
        description: 'Fields and query parameters of the request that are not known',
        items: { $ref: '#/components/schemas/Warning' },
      },
      reason: { type: 'string', description: 'More about the code, where the route says so' },
      requestId: { type: 'string', description: 'Of a 500: what to look for in the log' },
    },
  };
}

/** References to headers of the document. */
export function headerRefs(names: readonly string[]): JsonSchema {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

interface PossibleError {
  readonly code: ErrorCode;
  readonly status: number;
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
          description: `${TITLES[status] ?? 'Refused'}: ${codes.map((code) => `\`${code}\``).join(', ')}`,
          headers: headerRefs(headersOf(route, status, codes)),
          content: {
            'application/json': { schema: bodyOf(codes) },
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

/** The problems of a graph have another form than those of any other request. */
function bodyOf(codes: readonly ErrorCode[]): JsonSchema {
  const ofGraph = codes.filter((code) => code === 'invalid_graph');
  const others = codes.filter((code) => code !== 'invalid_graph');
  const bodies = [...(others.length > 0 ? [coded('Error', others)] : []), ...(ofGraph.length > 0 ? [coded('GraphError', ofGraph)] : [])];
  return bodies.length === 1 ? (bodies[0] as JsonSchema) : { oneOf: bodies };
}

function coded(schema: string, codes: readonly ErrorCode[]): JsonSchema {
  return { allOf: [{ $ref: `#/components/schemas/${schema}` }, { type: 'object', properties: { code: { enum: codes } } }] };
}

/** In the order in which a request is checked (decisions.md 1.1), the route's own last. */
function possibleErrors(route: Route): PossibleError[] {
  const keyed: ErrorCode[] = route.scope === 'public' ? [] : ['unauthorized', 'project_suspended', 'rate_limited'];
  const scoped: ErrorCode[] = route.scope === 'public' || route.scope === 'any key' ? [] : ['forbidden'];
  const owner: ErrorCode[] = route.needsVerifiedOwner ? ['email_unverified'] : [];
  const header: ErrorCode[] = route.idempotency ? ['invalid_idempotency_key', 'idempotency_in_progress', 'idempotency_key_reuse'] : [];
  // A page says by itself what is wrong with its link, and a signed body is no JSON before its signature is right.
  const query: ErrorCode[] = route.query && route.answersAs !== 'text/html' ? ['invalid_request'] : [];
  const body: ErrorCode[] =
    route.body && !route.hasSignedBody ? ['unsupported_media_type', 'payload_too_large', 'invalid_json', 'invalid_request'] : [];
  const always: ErrorCode[] = ['malformed_request', 'method_not_allowed', 'headers_too_large', 'internal', 'unavailable'];
  const own = (route.errors ?? []).map((error) => (typeof error === 'string' ? withStatus(error) : error));
  return [...[keyed, scoped, owner, header, query, body, always].flat().map(withStatus), ...own];
}

function withStatus(code: ErrorCode): PossibleError {
  return { code, status: STATUS_OF[code] };
}
