import type { MikroORM } from '../db/orm.ts';
import { applicableProviderEvents, applyProviderEvent, forgetProviderEvents } from '../db/queries/provider-events.ts';
import type { Logger } from './logger.ts';

export interface ProviderEventSweeperDeps {
  readonly orm: MikroORM;
  readonly log: Logger;
  readonly now: () => Date;
  readonly softBounceLimit: number;
}

const EVERY_MS = 5_000;
const AT_ONCE = 500;
const DAY_MS = 24 * 3_600_000;
/** By then a hand-over has long been recorded. */
const WAITING_KEPT_MS = DAY_MS;
/** Longer than any provider tells an event again, and as long as product events are kept. */
const APPLIED_KEPT_MS = 90 * DAY_MS;

/** Applies provider events that came before their send's hand-over was recorded, and forgets old ones. */
export function startProviderEventSweeper(deps: ProviderEventSweeperDeps): { stop(): Promise<void> } {
  const { orm, log, now, softBounceLimit } = deps;
  let running: Promise<void> | undefined;
  const sweep = async (): Promise<void> => {
    const em = orm.em.fork();
    try {
      for (const id of await applicableProviderEvents(em, AT_ONCE)) await applyProviderEvent(em, id, { softBounceLimit, now: now() });
      const at = now().getTime();
      await forgetProviderEvents(em, { waiting: new Date(at - WAITING_KEPT_MS), applied: new Date(at - APPLIED_KEPT_MS) });
    } catch (error) {
      log.warn('provider_events.sweep_failed', { error });
    }
  };
  const timer = setInterval(() => {
    running ??= sweep().finally(() => {
      running = undefined;
    });
  }, EVERY_MS);
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
