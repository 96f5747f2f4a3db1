import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../api/client.ts';

/** What the key may do, of whom. */
export type Me = Awaited<ReturnType<typeof readMe>>;

/** What a key may be allowed to do. */
export type Scope = Me['scopes'][number];

/** Throws Failure when the key is none. */
export function readMe(key: string, signal?: AbortSignal) {
  return answerOf(api.GET('/me', { headers: { authorization: `Bearer ${key}` }, ...(signal ? { signal } : {}) }));
}

/** The project, brands and scopes of a key. */
export function meOf(key: string) {
  return queryOptions({ queryKey: ['me', key], queryFn: ({ signal }) => readMe(key, signal), staleTime: 60_000 });
}
