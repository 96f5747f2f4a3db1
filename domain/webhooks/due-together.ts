import { LRUCache } from 'lru-cache';

/**
 * Later attempts of one endpoint that are begun by workflows of their own within so long; more are left to its burst. What a burst was refused is
 * due at about the same time again, and a thousand workflows would take the workers from everybody for a minute.
 */
const BY_WORKFLOWS = { most: 20, withinMs: 10_000 } as const;
/** Endpoints that are remembered. */
const REMEMBERED = 10_000;

/** Counts the later attempts that become due together. */
export interface DueTogether {
  /** Counts one more of an endpoint; whether it is one of many, and its burst's. */
  isOneOfMany(endpointId: string): boolean;
}

/** `now`: a clock in milliseconds that never goes back. */
export function createDueTogether(now: () => number): DueTogether {
  const ofEndpoint = new LRUCache<string, { readonly sinceMs: number; count: number }>({ max: REMEMBERED });
  return {
    isOneOfMany(endpointId) {
      const known = ofEndpoint.get(endpointId);
      const nowMs = now();
      const counted = known && nowMs - known.sinceMs < BY_WORKFLOWS.withinMs ? known : { sinceMs: nowMs, count: 0 };
      ofEndpoint.set(endpointId, counted);
      return ++counted.count > BY_WORKFLOWS.most;
    },
  };
}
