import { AsyncLocalStorage } from 'node:async_hooks';
import { createLru } from '../domain/lru.ts';
import type { Logger } from '../platform/logger.ts';

/** An attempt that was made. */
export interface MadeAttempt {
  readonly endpointId: string;
  readonly projectId: string;
  readonly url: string;
  /** The status of its answer, or why none came: never what a receiver wrote. */
  readonly answered: number | string;
  readonly isTaken: boolean;
}

/** An endpoint is failing when it has refused so many attempts and taken none between them, or refused for so long. */
const FAILING_AFTER = 3;
const FAILING_AFTER_MS = 10_000;
/** It has recovered when it takes what it is sent and has refused nothing for so long: one that takes every other attempt has not. */
const RECOVERED_AFTER_MS = 60_000;
/** Endpoints that are remembered. */
const REMEMBERED = 10_000;

interface Refusals {
  /** In a row before it is failing, and all of them from then on. */
  count: number;
  readonly sinceMs: number;
  latestMs: number;
  isTold: boolean;
}

/**
 * Writes `webhooks.endpoint_failing` when an endpoint begins to fail and `webhooks.endpoint_recovered` when that is over, whatever the number
 * of deliveries. Each process tells what it has seen. The lines are about no delivery, so they are written outside of its activity.
 */
export function createEndpointOutages(log: Logger, now: () => Date): (made: MadeAttempt) => void {
  const outside = AsyncLocalStorage.snapshot();
  const refusals = createLru<string, Refusals | null>(REMEMBERED);

  const refused = (known: Refusals | null | undefined, { endpointId, projectId, url, answered }: MadeAttempt, at: number): void => {
    const state = known ?? { count: 0, sinceMs: at, latestMs: at, isTold: false };
    state.count++;
    state.latestMs = at;
    refusals.set(endpointId, state);
    if (state.isTold || (state.count < FAILING_AFTER && at - state.sinceMs < FAILING_AFTER_MS)) return;
    state.isTold = true;
    outside(() => log.warn('webhooks.endpoint_failing', { endpointId, projectId, host: new URL(url).host, answered }));
  };

  const taken = (known: Refusals, { endpointId, projectId, url }: MadeAttempt, at: number): void => {
    if (known.isTold && at - known.latestMs < RECOVERED_AFTER_MS) return;
    refusals.set(endpointId, null);
    if (!known.isTold) return;
    const { count, sinceMs } = known;
    const seconds = Math.round((at - sinceMs) / 1000);
    outside(() => log.info('webhooks.endpoint_recovered', { endpointId, projectId, host: new URL(url).host, seconds, refused: count }));
  };

  return (made) => {
    const known = refusals.get(made.endpointId);
    const at = now().getTime();
    if (!made.isTaken) refused(known, made, at);
    else if (known) taken(known, made, at);
  };
}
