import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from './failure.ts';
import type { Profile } from './profiles.ts';

/** What the commands call, by the names of the API's document. */
const OPERATIONS = {
  'contacts.delete': 'DELETE /contacts/:id',
  'contacts.get': 'GET /contacts/:id',
  'contacts.list': 'GET /contacts',
  'contacts.timeline': 'GET /contacts/:id/timeline',
  'contacts.unsubscribe': 'POST /contacts/:id/unsubscribe',
  'contacts.upsert': 'POST /contacts',
  me: 'GET /me',
  send: 'POST /send',
  'sends.list': 'GET /sends',
  'sequences.get': 'GET /sequences/:key',
  'sequences.list': 'GET /sequences',
  'sequences.replace': 'PUT /sequences/:key',
  'sequences.simulate': 'POST /sequences/:key/simulate',
  'sequences.versions': 'GET /sequences/:key/versions',
  'service.ready': 'GET /ready',
  'templates.content': 'GET /templates/:key/content',
  'templates.create': 'POST /templates',
  'templates.deleteLanguage': 'DELETE /templates/:key/languages/:locale',
  'templates.enable': 'PUT /templates/:key',
  'templates.languages': 'GET /templates/:key/languages',
  'templates.list': 'GET /templates',
  'templates.preview': 'POST /templates/:key/preview',
  'templates.replaceSchema': 'PUT /templates/:key/schema',
  'templates.saveContent': 'PUT /templates/:key/content',
  'templates.schema': 'GET /templates/:key/schema',
  'templates.update': 'PATCH /templates/:key',
  'webhooks.createListener': 'POST /webhooks/listeners',
  'webhooks.deleteListener': 'DELETE /webhooks/listeners/:id',
  'webhooks.deliveries': 'GET /webhooks/:id/deliveries',
  'webhooks.list': 'GET /webhooks',
  'webhooks.nextListeners': 'POST /webhooks/listeners/:id/next',
} as const;

export type Operation = keyof typeof OPERATIONS;

export interface CallInput {
  /** The parameters of the path, in order. */
  readonly path?: readonly string[];
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  readonly idempotencyKey?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** An answer that was read. Its fields are those of the document. */
// biome-ignore lint/suspicious/noExplicitAny: each command reads the fields that the document promises
export type Answered = any;

/** A refusal of the API. */
export class ApiFailure extends Failure {
  readonly status: number;
  readonly code: string;
  readonly body: Answered;

  constructor(status: number, code: string, message: string, body: Answered) {
    super(message);
    this.status = status;
    this.code = code;
    this.body = body;
  }
}

/** The way to the API. */
export interface Api {
  readonly url: string;
  call(operation: Operation, input?: CallInput): Promise<Answered>;
}

const MOST_TRIES = 4;
const LONGEST_PAUSE_MS = 30_000;

/** Calls with one key; what was refused for now is tried again where it can do no harm. */
export function createApi({ url, apiKey }: Pick<Profile, 'url' | 'apiKey'>): Api {
  return {
    url,
    async call(operation, { path = [], query = {}, body, idempotencyKey, signal } = {}) {
      const [method = '', pattern = ''] = OPERATIONS[operation].split(' ');
      let at = 0;
      const address = new URL(`${url}/api/v1${pattern.replace(/:\w+/g, () => encodeURIComponent(path[at++] ?? ''))}`);
      for (const [name, value] of Object.entries(query)) if (value !== undefined) address.searchParams.set(name, String(value));
      const isRepeatable = method !== 'POST' || idempotencyKey !== undefined;
      for (let tried = 1; ; tried++) {
        const answer = await fetch(address, {
          method,
          headers: {
            ...(apiKey === undefined ? {} : { Authorization: `Bearer ${apiKey}` }),
            ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
            ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          ...(signal ? { signal } : {}),
        }).catch((error: Error) => error);
        if (signal?.aborted) throw signal.reason;
        const isRefusedForNow = answer instanceof Error ? isRepeatable : answer.status === 429 || (answer.status === 503 && isRepeatable);
        if (!isRefusedForNow || tried === MOST_TRIES) {
          if (answer instanceof Error)
            throw new Failure(`${url} does not answer (${causeOf(answer)}); is it the right address? EVERPOST_URL or --url sets it`);
          return await read(answer);
        }
        const wait = answer instanceof Error ? Number.NaN : Number(answer.headers.get('retry-after')) * 1000;
        await sleep(Math.min(wait || 250 * 2 ** tried, LONGEST_PAUSE_MS), undefined, signal ? { signal } : {});
      }
    },
  };
}

async function read(answer: Response): Promise<Answered> {
  const text = await answer.text();
  let body: Answered;
  try {
    body = JSON.parse(text);
  } catch {
    throw new Failure(`${answer.url} answered ${answer.status} and no JSON; is that the address of Everpost?`);
  }
  if (answer.ok) return body;
  throw new ApiFailure(answer.status, String(body?.code), refusalText(answer, body), body);
}

function refusalText(answer: Response, body: Answered): string {
  const issues: { path?: string; nodeId?: string; message: string }[] = Array.isArray(body?.issues) ? body.issues : [];
  const listed = issues
    .slice(0, 20)
    .map(({ path, nodeId, message }) => `\n  ${path ?? nodeId ?? ''}${path || nodeId ? ': ' : ''}${message}`);
  const said =
    listed.length > 0
      ? `${body.code}:${listed.join('')}`
      : `${body?.error ?? `status ${answer.status}`}${body?.code ? ` (${body.code})` : ''}`;
  if (answer.status === 401)
    return `the key is not valid at ${new URL(answer.url).origin}: make one with "npm run admin -- key create", then: everpost login`;
  return said;
}

function causeOf(error: Error): string {
  const { cause } = error as { cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? error.message;
}
