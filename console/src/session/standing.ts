import { asFailure } from '../api/failure.ts';
import { createStore } from '../api/store.ts';
import { consolePath } from '../base.ts';
import { askBeforeLeaving } from '../frame/leave-guard.ts';
import { type BrowserSession, endBrowserSession, openBrowserSession, readBrowserSession } from './browser-session.ts';
import { forgetKept } from './kept-in-tab.ts';

/** What the API did not take: the session of this browser, or the key of a link. */
export type Refused = 'session' | 'key';

/** Whether somebody is signed in, as far as this tab knows. `stopped`: it could not be found out, or the key of a link not be given. */
export type Standing =
  | { readonly state: 'arriving' }
  | { readonly state: 'in'; readonly session: BrowserSession }
  | { readonly state: 'out'; readonly refused?: Refused }
  | { readonly state: 'stopped'; readonly error: unknown; readonly again: () => Promise<void> };

export const standing = createStore<Standing>({ state: 'arriving' });

/** Whether the API has refused the session that this tab shows, until there is another. */
export const isRefused = createStore(false);

/** Of the session that this tab shows; undefined before sign-in. */
export function sessionId(): string | undefined {
  const now = standing.get();
  return now.state === 'in' ? now.session.id : undefined;
}

/** The tabs of this browser tell each other; installations below other prefixes of the same host are others. */
const tabs = new BroadcastChannel(`everpost ${consolePath}`);
const [CAME, WENT] = ['signed in', 'signed out'] as const;

tabs.onmessage = ({ data }) => {
  if (data === WENT) leave();
  // Without an answer the next call of the tab finds out.
  if (data === CAME) void follow().catch(() => {});
};

/** By an address: signs in with the key that it has, or finds out who is signed in. */
export async function arrive(key: string | undefined): Promise<void> {
  if (standing.get().state !== 'in') standing.set({ state: 'arriving' });
  try {
    if (key !== undefined) return await signIn(key);
    const session = await readBrowserSession();
    if (session) take(session);
    else standing.set({ state: 'out' });
  } catch (error) {
    if (asFailure(error).kind === 'key') standing.set({ state: 'out', refused: key === undefined ? 'session' : 'key' });
    else standing.set({ state: 'stopped', error, again: () => arrive(key) });
  }
}

/** In all tabs, in place of whoever was signed in before. Throws Failure. */
export async function signIn(key: string): Promise<void> {
  take(await openBrowserSession(key));
  tabs.postMessage(CAME);
}

/** In all tabs. Throws Failure: then nobody is signed out. */
export async function signOut(): Promise<void> {
  const id = sessionId();
  if (id !== undefined) await endBrowserSession(id);
  leave();
  tabs.postMessage(WENT);
}

/** A call was refused: another tab may have signed in anew, unseen; else a key is asked for over the page. */
export async function sessionRefused(id: string): Promise<void> {
  if (id !== sessionId()) return;
  const isOver = await follow().then(
    (found) => !found,
    () => true,
  );
  if (isOver && id === sessionId()) isRefused.set(true);
}

/** Shows the session that the browser has by now; whether there is one. What is typed for another project is not thrown away unasked. */
async function follow(): Promise<boolean> {
  const session = await readBrowserSession();
  if (!session) return false;
  const now = standing.get();
  if (now.state === 'in' && now.session.project !== session.project) askBeforeLeaving(() => take(session));
  else take(session);
  return true;
}

function take(session: BrowserSession): void {
  isRefused.set(false);
  standing.set({ state: 'in', session });
}

function leave(): void {
  forgetKept();
  isRefused.set(false);
  standing.set({ state: 'out' });
}
