import type { EntityManager, MikroORM } from '../db/orm.ts';
import { type LookedAt, lookAtProviderEvents } from '../db/queries/provider-events.ts';
import type { Logger } from './logger.ts';

export interface ProviderEventSweeperDeps {
  readonly orm: MikroORM;
  readonly log: Logger;
  readonly now: () => Date;
  /** Applies a kept event. */
  readonly record: (em: EntityManager, eventId: string) => Promise<unknown>;
}

const EVERY_MS = 5_000;
const AT_ONCE = 500;

/** Applies provider events that came before their send's hand-over was recorded. */
export function startProviderEventSweeper(deps: ProviderEventSweeperDeps): { stop(): Promise<void> } {
  const { orm, log, now, record } = deps;
  let running: Promise<void> | undefined;
  let stopping = false;
  /** One that cannot be applied must not keep the others waiting. */
  const apply = async (id: string): Promise<void> => {
    try {
      await record(orm.em.fork(), id);
    } catch (error) {
      log.error('provider_event.not_applied', { id, error });
    }
  };
  const sweep = async (): Promise<void> => {
    const em = orm.em.fork();
    try {
      let looked: readonly LookedAt[];
      do {
        looked = await lookAtProviderEvents(em, now(), AT_ONCE);
        for (const { id, applicable } of looked) if (applicable) await apply(id);
      } while (looked.length === AT_ONCE && !stopping);
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
      stopping = true;
      clearInterval(timer);
      await running;
    },
  };
}
