import createClient, { type Middleware } from 'openapi-fetch';
import type { components, paths } from '../../generated/api.d.ts';
import { apiUrl } from '../base.ts';
import { apiKey, refusedKey } from '../session/key.ts';
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
    const key = apiKey.get();
    if (key && !request.headers.has('authorization')) request.headers.set('authorization', `Bearer ${key}`);
  },
  async onResponse({ request, response }) {
    connectionLost.set(false);
    if (response.ok) return;
    const failure = await failureOf(response);
    if (failure.kind === 'rate') waitsUntil.set(Date.now() + (failure.details.retryAfterSeconds ?? 1) * 1000);
    // Another key may have been given while this call was on its way.
    if (failure.kind === 'key' && request.headers.get('authorization') === `Bearer ${apiKey.get()}`) refusedKey.set(apiKey.get());
    throw failure;
  },
  onError({ request }) {
    if (request.signal.aborted) return;
    connectionLost.set(true);
    return lostConnection();
  },
};

/** Every call of the console goes through here, so that the key, a lost connection and refusals are dealt with in one place. */
export const api = createClient<paths>({ baseUrl: apiUrl, credentials: 'omit', cache: 'no-store' });
api.use(passThrough);

/** The answer of a call. Throws Failure. */
export async function answerOf<T>(call: Promise<{ data?: T }>): Promise<T> {
  return (await call).data as T;
}
