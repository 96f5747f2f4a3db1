import createClient, { type Middleware } from 'openapi-fetch';
import type { components, paths } from '../../generated/api.d.ts';
import { apiUrl } from '../base.ts';
import { SESSION_HEADER } from '../session/browser-session.ts';
import { sessionId, sessionRefused } from '../session/standing.ts';
import { failureOf, lostConnection } from './failure.ts';
import { createStore } from './store.ts';

/** The records of the API, by their names in its description. */
export type Schemas = components['schemas'];

/** What one may ask a list of the API for, by its path: filters and the page. */
export type ListQuery<Path extends keyof paths> = paths[Path] extends { get: { parameters: { query?: infer Query } } }
  ? NonNullable<Query>
  : never;

/** Whether the last call got no answer at all. */
export const connectionLost = createStore(false);

/** When calls that were too many are made again, in milliseconds since 1970; 0: none waits. */
export const waitsUntil = createStore(0);

const passThrough: Middleware = {
  onRequest({ request }) {
    const session = sessionId();
    if (session && !request.headers.has(SESSION_HEADER)) request.headers.set(SESSION_HEADER, session);
  },
  onResponse: ({ request, response }) => demandGood(response, request.headers.get(SESSION_HEADER) ?? ''),
  onError({ request }) {
    if (request.signal.aborted) return;
    connectionLost.set(true);
    return lostConnection();
  },
};

/** Deals with what an answer says, of whatever it is to a call with this session. Throws Failure unless it is 2xx. */
export async function demandGood(response: Response, session: string): Promise<undefined> {
  connectionLost.set(false);
  if (response.ok) return;
  const failure = await failureOf(response);
  if (failure.kind === 'rate') waitsUntil.set(Date.now() + (failure.details.retryAfterSeconds ?? 1) * 1000);
  if (failure.kind === 'key') void sessionRefused(session);
  throw failure;
}

/** Every call of the console goes through here, so that the session, a lost connection and refusals are dealt with in one place. */
export const api = createClient<paths>({ baseUrl: apiUrl, credentials: 'same-origin', cache: 'no-store' });
api.use(passThrough);

/** The answer of a call. Throws Failure. */
export async function answerOf<T>(call: Promise<{ data?: T }>): Promise<T> {
  return (await call).data as T;
}
