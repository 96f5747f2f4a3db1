import type { MikroORM } from '../db/orm.ts';
import { closeInDoubt } from '../db/queries/send-intents.ts';
import { KEPT_FOR_RETRY_MS, SETTLED_AFTER_MS } from '../domain/hand-over-times.ts';
import type { Logger } from '../platform/logger.ts';

export interface InDoubtSweeperDeps {
  readonly orm: MikroORM;
  readonly log: Logger;
  readonly now: () => Date;
  /** With one that deduplicates, a retry with the same key may still go through, so intents in doubt are kept for a day. */
  readonly idempotentProvider: boolean;
}

const EVERY_MS = 15_000;

/** Gives sends that a crash left without an outcome their row, so that none disappears: decisions.md 4.5. */
export function startInDoubtSweeper({ orm, log, now, idempotentProvider }: InDoubtSweeperDeps): { stop(): Promise<void> } {
  const age = idempotentProvider ? KEPT_FOR_RETRY_MS : SETTLED_AFTER_MS;
  let running: Promise<void> = Promise.resolve();
  let isRunning = false;
  const sweep = async (): Promise<void> => {
    isRunning = true;
    try {
      const closed = await closeInDoubt(orm.em.fork(), new Date(now().getTime() - age));
      if (closed > 0) log.warn('sends.outcome_unknown', { count: closed });
    } catch (error) {
      log.warn('sends.sweep_failed', { error });
    } finally {
      isRunning = false;
    }
  };
  const timer = setInterval(() => {
    // One that takes long is not joined by a second.
    if (!isRunning) running = sweep();
  }, EVERY_MS);
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
