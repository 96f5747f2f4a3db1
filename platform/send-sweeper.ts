import type { MikroORM } from '../db/orm.ts';
import { closeInDoubt } from '../db/queries/sends.ts';
import type { Logger } from './logger.ts';

export interface SendSweeperDeps {
  readonly orm: MikroORM;
  readonly log: Logger;
  readonly now: () => Date;
  /** With one that deduplicates, a retry with the same key may still go through, so intents in doubt are kept for a day. */
  readonly idempotentProvider: boolean;
}

const EVERY_MS = 15_000;
/** In doubt after 60 s; whoever retries has had its chance by then. */
const IN_DOUBT_MS = 90_000;
const KEPT_FOR_RETRY_MS = 24 * 3_600_000;

/** Gives sends that a crash left without an outcome their row, so that none disappears: decisions.md 4.5. */
export function startSendSweeper({ orm, log, now, idempotentProvider }: SendSweeperDeps): { stop(): Promise<void> } {
  const age = idempotentProvider ? KEPT_FOR_RETRY_MS : IN_DOUBT_MS;
  let running: Promise<void> = Promise.resolve();
  const sweep = async (): Promise<void> => {
    try {
      const closed = await closeInDoubt(orm.em.fork(), new Date(now().getTime() - age));
      if (closed > 0) log.warn('sends.outcome_unknown', { count: closed });
    } catch (error) {
      log.warn('sends.sweep_failed', { error });
    }
  };
  const timer = setInterval(() => {
    running = sweep();
  }, EVERY_MS);
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
