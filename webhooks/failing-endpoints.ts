import { AsyncLocalStorage } from 'node:async_hooks';
import { LRUCache } from 'lru-cache';
import type { Logger } from '../platform/logger.ts';
import { Outage } from '../platform/outage.ts';

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
  /** Of those in a row before it is failing, and of all from then on. */
  readonly outage: Outage;
  readonly latestMs: number;
}

/**
 * Writes `webhooks.endpoint_failing` when an endpoint begins to fail and `webhooks.endpoint_recovered` when that is over, whatever the number
 * of deliveries. Each process tells what it has seen. The lines are about no delivery, so they are written outside of its activity.
 */
export function createFailingEndpoints(log: Logger, now: () => Date): (made: MadeAttempt) => void {
  const outside = AsyncLocalStorage.snapshot();
  const refusals = new LRUCache<string, Refusals>({ max: REMEMBERED });

  const refused = (known: Refusals | undefined, { endpointId, projectId, url, answered }: MadeAttempt, at: number): void => {
    const outage = known?.outage ?? new Outage();
    outage.refused(at);
    refusals.set(endpointId, { outage, latestMs: at });
    if (outage.refusals < FAILING_AFTER && !outage.hasLasted(FAILING_AFTER_MS, at)) return;
    if (!outage.begin()) return;
    outside(() => log.warn('webhooks.endpoint_failing', { endpointId, projectId, host: new URL(url).host, answered }));
  };

  const taken = ({ outage, latestMs }: Refusals, { endpointId, projectId, url }: MadeAttempt, at: number): void => {
    if (outage.isTold && at - latestMs < RECOVERED_AFTER_MS) return;
    refusals.delete(endpointId);
    const ended = outage.end(at);
    if (ended) outside(() => log.info('webhooks.endpoint_recovered', { endpointId, projectId, host: new URL(url).host, ...ended }));
  };

  return (made) => {
    const known = refusals.get(made.endpointId);
    const at = now().getTime();
    if (!made.isTaken) refused(known, made, at);
    else if (known) taken(known, made, at);
  };
}
