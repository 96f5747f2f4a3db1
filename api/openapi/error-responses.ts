import { type ErrorCode, STATUS_OF } from '../../domain/errors.ts';
import type { Route } from '../route.ts';
import type { JsonSchema } from './components.ts';

/** The flat error envelope: decisions.md 1.2. */
export const ERROR_SCHEMA: JsonSchema = {
  type: 'object',
  required: ['ok', 'error', 'code'],
  properties: {
    ok: { const: false },
    error: { type: 'string', description: 'For people; it may change' },
    code: { type: 'string', description: 'Stable; branch on it' },
    issues: {
      type: 'array',
      description: 'Every problem of a request that is not valid',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: { path: { type: 'string', examples: ['contacts[3].email'] }, message: { type: 'string' } },
      },
    },
    reason: { type: 'string', description: 'More about the code, where the route says so' },
    requestId: { type: 'string', description: 'Of a 500: what to look for in the log' },
  },
};

interface PossibleError {
  readonly code: ErrorCode;
  readonly status: number;
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Malformed request',
  401: 'No key, or one that is unknown or revoked',
  403: 'Not allowed',
  404: 'Not found',
  409: 'In progress',
  413: 'Body too large',
  415: 'Not JSON',
  422: 'Not possible',
  429: 'Too many requests',
  500: 'Fault of the server',
  503: 'Not now',
};
const BAD_LINK: [string, JsonSchema] = [
  '400',
  { description: 'A page that says so', content: { 'text/html': { schema: { type: 'string' } } } },
];
const WITH_RETRY_AFTER = [409, 429, 503];

/** The responses for everything that the route can refuse, by status, each with the codes that it may carry. */
export function errorResponses(route: Route): Record<string, JsonSchema> {
  const byStatus = Map.groupBy(possibleErrors(route), ({ status }) => status);
  const statuses = [...byStatus].sort(([a], [b]) => a - b);
  return Object.fromEntries([
    ...(route.answersAs === 'text/html' ? [BAD_LINK] : []),
    ...statuses.map(([status, errors]): [string, JsonSchema] => {
      const codes = [...new Set(errors.map(({ code }) => code))];
      const retryAfter = WITH_RETRY_AFTER.includes(status) ? { 'Retry-After': { $ref: '#/components/headers/Retry-After' } } : {};
      return [
        String(status),
        {
          description: `${TITLES[status] ?? 'Refused'}: ${codes.map((code) => `\`${code}\``).join(', ')}`,
          headers: { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' }, ...retryAfter },
          content: {
            'application/json': {
              schema: { allOf: [{ $ref: '#/components/schemas/Error' }, { type: 'object', properties: { code: { enum: codes } } }] },
            },
          },
        },
      ];
    }),
  ]);
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
  const always: ErrorCode[] = ['internal', 'unavailable'];
  const own = (route.errors ?? []).map((error) => (typeof error === 'string' ? withStatus(error) : error));
  return [...[keyed, scoped, owner, header, query, body, always].flat().map(withStatus), ...own];
}

function withStatus(code: ErrorCode): PossibleError {
  return { code, status: STATUS_OF[code] };
}
