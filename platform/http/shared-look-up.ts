import type { Resolve } from './resolve.ts';

/** Look-ups of one name that are asked within this time are one. */
const SHARED_MS = 1000;
/** Only memory is given back then: whether it is shared is a matter of its age. */
const FORGOTTEN_MS = 10 * SHARED_MS;
/** Of one look-up, however long those who asked would wait. */
const LONGEST_MS = 10_000;

export interface SharedLookUp {
  /** The addresses of a name, of a look-up that was begun at most a second ago; its failure is shared as well. */
  addressesOf(name: string): Promise<readonly string[]>;
  /** Look-ups that are under way are given up. */
  close(): void;
}

export function createSharedLookUp(resolve: Resolve, now: () => number): SharedLookUp {
  const closing = new AbortController();
  const begun = new Map<string, { readonly at: number; readonly found: Promise<readonly string[]> }>();
  return {
    addressesOf(name) {
      const shared = begun.get(name);
      if (shared && now() - shared.at < SHARED_MS) return shared.found;
      const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(LONGEST_MS)]);
      const entry = { at: now(), found: (async () => resolve(name, signal))() };
      // Those who asked may have given up by the time that it fails.
      entry.found.catch(() => undefined);
      begun.set(name, entry);
      setTimeout(() => begun.get(name) === entry && begun.delete(name), FORGOTTEN_MS).unref();
      return entry.found;
    },
    close: () => closing.abort(),
  };
}
