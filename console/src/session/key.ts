import { createStore } from '../api/store.ts';

const PREFIX = 'everpost.';
const KEPT = keptInTab('key');
const IN_FRAGMENT = /^#key=([^&]+)$/;

/** The API key of this tab; undefined before sign-in. */
export const apiKey = createStore<string | undefined>(sessionStorage.getItem(KEPT) ?? undefined);

/** The key that the API has refused, until another is given. */
export const refusedKey = createStore<string | undefined>(undefined);

/** Takes a key for as long as the tab is open. */
export function keepKey(key: string): void {
  sessionStorage.setItem(KEPT, key);
  refusedKey.set(undefined);
  apiKey.set(key);
}

/** The name in the tab's storage of what is forgotten together with the key. */
export function keptInTab(name: string): string {
  return `${PREFIX}${name}`;
}

/** Forgets the key, and whatever else this tab has kept of the project. */
export function forgetKey(): void {
  for (const name of Object.keys(sessionStorage)) if (name.startsWith(PREFIX)) sessionStorage.removeItem(name);
  refusedKey.set(undefined);
  apiKey.set(undefined);
}

/** Takes the key of a link like `/console#key=ep_live_…`, and takes it out of the address and the history at once. */
export function takeKeyFromFragment(): void {
  const [, given] = IN_FRAGMENT.exec(window.location.hash) ?? [];
  if (!given) return;
  window.history.replaceState(window.history.state, '', window.location.pathname + window.location.search);
  keepKey(decodeURIComponent(given));
}
