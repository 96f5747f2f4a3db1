import type { EntityManager, MikroORM } from '../db/orm.ts';
import { takeUnapplied, type UnappliedEvent } from '../db/queries/inbound/provider-events.ts';
import { every, type Repeating } from './every.ts';
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
export function startProviderEventSweeper({ orm, log, now, record }: ProviderEventSweeperDeps): Repeating {
  /** One that cannot be applied must not keep the others waiting. */
  const apply = async (id: string): Promise<void> => {
    try {
      await record(orm.em.fork(), id);
    } catch (error) {
      log.error('provider_event.not_applied', { id, error });
    }
  };
  const sweep = async (stopping: AbortSignal): Promise<void> => {
    const em = orm.em.fork();
    let taken: readonly UnappliedEvent[];
    do {
      taken = await takeUnapplied(em, now(), AT_ONCE);
      for (const { id, applicable } of taken) if (applicable) await apply(id);
    } while (taken.length === AT_ONCE && !stopping.aborted);
  };
  return every(EVERY_MS, sweep, (error) => log.warn('provider_events.sweep_failed', { error }));
}
