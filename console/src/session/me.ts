import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../api/client.ts';
import { SESSION_HEADER } from './browser-session.ts';

/** What the session may do, of whom. */
export type Me = Awaited<ReturnType<typeof readMe>>;

/** What a key may be allowed to do. */
export type Scope = Me['scopes'][number];

function readMe(session: string, signal: AbortSignal) {
  return answerOf(api.GET('/me', { headers: { [SESSION_HEADER]: session }, signal }));
}

/** The project, brands and scopes of a session's key. */
export function meOf(session: string) {
  return queryOptions({ queryKey: ['me', session], queryFn: ({ signal }) => readMe(session, signal), staleTime: 60_000 });
}
