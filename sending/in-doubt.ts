import type { MikroORM } from '../db/orm.ts';
import { closeInDoubt } from '../db/queries/send-intents.ts';
import { KEPT_FOR_RETRY_MS, SETTLED_AFTER_MS } from '../domain/hand-over-times.ts';
import { every, type Repeating } from '../platform/every.ts';
import type { Logger } from '../platform/logger.ts';
import type { Metrics } from '../platform/metrics/metrics.ts';

export interface InDoubtSweeperDeps {
  readonly orm: MikroORM;
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'sendsLeftInDoubt'>;
  readonly now: () => Date;
  /** With one that deduplicates, a retry with the same key may still go through, so intents in doubt are kept for a day. */
  readonly idempotentProvider: boolean;
}

const EVERY_MS = 15_000;

/** Gives sends that a crash left without an outcome their row, so that none disappears: decisions.md 4.5. */
export function startInDoubtSweeper({ orm, log, metrics, now, idempotentProvider }: InDoubtSweeperDeps): Repeating {
  const age = idempotentProvider ? KEPT_FOR_RETRY_MS : SETTLED_AFTER_MS;
  const sweep = async (): Promise<void> => {
    const closed = await closeInDoubt(orm.em.fork(), new Date(now().getTime() - age));
    metrics.sendsLeftInDoubt(closed);
    if (closed > 0) log.warn('sends.outcome_unknown', { count: closed });
  };
  return every(EVERY_MS, sweep, (error) => log.warn('sends.sweep_failed', { error }));
}
