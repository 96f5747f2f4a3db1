import { Failure, failureOf, lostConnection } from '../api/failure.ts';
import { sessionsUrl, sessionUrl } from '../base.ts';

/** Who is signed in with this browser. What proves it is in a cookie that no script can read. */
export interface BrowserSession {
  readonly id: string;
  /** Its slug. */
  readonly project: string;
}

/** One of those that are open with the same key. */
export interface ListedSession {
  readonly id: string;
  readonly user_agent: string | null;
  readonly created_at: string;
  readonly last_used_at: string;
  readonly is_current: boolean;
}

/** The header by which a call names the session that it is meant for. */
export const SESSION_HEADER = 'everpost-session';

/** The same in the address of a download, which is a link and has no headers. */
export const SESSION_QUERY = 'everpost-session';

/** undefined: nobody is signed in. Throws Failure. */
export async function readBrowserSession(): Promise<BrowserSession | undefined> {
  try {
    return (await ask<{ session: BrowserSession }>(sessionUrl)).session;
  } catch (error) {
    if (error instanceof Failure && error.kind === 'key') return undefined;
    throw error;
  }
}

/** The key goes to the server once, and is kept nowhere. Throws Failure: of the kind `key` when nobody has it. */
export async function openBrowserSession(key: string): Promise<BrowserSession> {
  await ask(sessionUrl, { method: 'POST', headers: { authorization: `Bearer ${key}` } });
  const session = await readBrowserSession();
  if (session) return session;
  throw new Failure(
    'Your browser blocked the cookie. Allow cookies for this address, or open the console at its public address (PUBLIC_URL)',
    {
      kind: 'input',
    },
  );
}

/** Throws Failure: then it is open still. */
export async function endBrowserSession(id: string): Promise<void> {
  await ask(sessionUrl, { method: 'DELETE', headers: { [SESSION_HEADER]: id } });
}

/** Those of the key of the session `id`. Throws Failure. */
export async function readSessions(id: string, signal?: AbortSignal): Promise<readonly ListedSession[]> {
  const init = { headers: { [SESSION_HEADER]: id }, ...(signal ? { signal } : {}) };
  return (await ask<{ sessions: readonly ListedSession[] }>(sessionsUrl, init)).sessions;
}

/** Ends another one of the same key; one that has ended already is as good. Throws Failure. */
export async function endSession(own: string, id: string): Promise<void> {
  try {
    await ask(`${sessionsUrl}/${id}`, { method: 'DELETE', headers: { [SESSION_HEADER]: own } });
  } catch (error) {
    if (!(error instanceof Failure && error.kind === 'missing')) throw error;
  }
}

async function ask<T>(url: string, init: RequestInit = {}): Promise<T> {
  const response = await fetch(url, { ...init, credentials: 'same-origin', cache: 'no-store' }).catch((error: unknown) => {
    if (init.signal?.aborted) throw error;
    throw lostConnection();
  });
  if (!response.ok) throw await failureOf(response);
  return (await response.json()) as T;
}
