import { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type Koa from 'koa';
import { invalidRequest } from '../../domain/errors.ts';
import type { RequestState } from '../app-options.ts';

/** What a tool asks of a route of the API. */
export interface OwnCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below /api/v1, its parts already encoded. */
  readonly path: string;
  /** What is neither a text nor a number nor a boolean is refused by its name. */
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
  readonly idempotencyKey?: string | undefined;
}

/** As a client would have it by HTTP. */
export interface OwnAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  /** Seconds, of a call that may be made again. */
  readonly retryAfter: string | undefined;
}

export type CallRoute = (call: OwnCall) => Promise<OwnAnswer>;

/** What a call brings along of the request that it is made for: who asks, from where. */
const PASSED_ON = ['authorization', 'user-agent', 'x-forwarded-for'] as const;

/**
 * Calls routes within the process, with the key of the request that is being served: scopes, rate limit, validation and errors are those of the routes.
 * `answering`: the middleware that a request to /api/v1 goes through. All calls share the deadline of the request.
 */
export function ownCalls(
  outer: Koa.ParameterizedContext<RequestState>,
  api: string,
  answering: readonly Koa.Middleware<RequestState>[],
): CallRoute {
  return async (call) => {
    const ctx = contextOf(outer, api, call);
    const run = async (at: number): Promise<void> => void (await answering[at]?.(ctx as never, () => run(at + 1)));
    await run(0);
    return { status: ctx.status, body: ctx.body as OwnAnswer['body'], retryAfter: ctx.response.get('Retry-After') || undefined };
  };
}

function contextOf(outer: Koa.ParameterizedContext<RequestState>, api: string, call: OwnCall): Koa.ParameterizedContext<RequestState> {
  const { method, path, query = {}, body, idempotencyKey } = call;
  const wrong = Object.entries(query).filter(([, value]) => value === null || typeof value === 'object');
  if (wrong.length > 0) throw invalidRequest(wrong.map(([path]) => ({ path, message: 'should be one text, not a list or an object' })));
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  const search = new URLSearchParams(given).toString();
  const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  const headers = {
    ...Object.fromEntries(PASSED_ON.flatMap((name) => (outer.req.headers[name] === undefined ? [] : [[name, outer.req.headers[name]]]))),
    ...(bytes ? { 'content-type': 'application/json', 'content-length': String(bytes.length) } : {}),
    ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
  };
  const request = Object.assign(Readable.from(bytes ? [bytes] : []), {
    ...{ method, url: `${api}${path}${search && `?${search}`}`, headers, httpVersion: '1.1', rawHeaders: [], complete: true },
    socket: outer.req.socket,
  }) as unknown as typeof outer.req;
  const ctx = outer.app.createContext(request, new ServerResponse(request)) as unknown as Koa.ParameterizedContext<RequestState>;
  const { requestId, deadline, mayTake } = outer.state;
  ctx.state = { requestId, deadline, mayTake };
  return ctx;
}

/** A path whose parts are encoded, as in `/sends/${id}`. */
export function pathOf(texts: TemplateStringsArray, ...parts: readonly string[]): string {
  return texts.map((text, at) => text + (at < parts.length ? encodeURIComponent(parts[at] as string) : '')).join('');
}
