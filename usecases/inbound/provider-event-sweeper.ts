import type { MikroORM } from '../../db/orm.ts';
import { takeUnapplied, type UnappliedEvent } from '../../db/queries/inbound/provider-events.ts';
import { every, type Repeating } from '../../platform/every.ts';
import type { Logger } from '../../platform/logger.ts';
import { recordProviderEvent } from './record-provider-event.ts';

export interface ProviderEventSweeperDeps {
  readonly orm: MikroORM;
  readonly log: Logger;
  readonly now: () => Date;
  /** So many soft bounces in a row suppress an address. */
  readonly softBounceLimit: number;
}

const EVERY_MS = 5_000;
const AT_ONCE = 500;

/** Applies provider events that came before their send's submission was recorded. */
export function startProviderEventSweeper({ orm, log, now, softBounceLimit }: ProviderEventSweeperDeps): Repeating {
  /** One that cannot be applied must not keep the others waiting. */
  const apply = async (id: string): Promise<void> => {
    try {
      await recordProviderEvent(orm.em.fork(), id, { softBounceLimit, now: now() });
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
