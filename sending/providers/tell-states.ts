import { isDatabaseUnavailable } from '../../db/errors.ts';
import type { EntityManager } from '../../db/orm.ts';
import { forgetProviderState, keepProviderState, type ProviderState } from '../../db/queries/sends/provider-states.ts';
import type { BreakerChange } from '../../domain/sends/breaker.ts';
import { every } from '../../platform/every.ts';
import type { Logger } from '../../platform/logger.ts';

export interface TellingDeps {
  readonly em: EntityManager;
  readonly log: Logger;
  readonly now: () => Date;
  readonly newId: () => string;
}

/** Tells of providers whose breaker is open. */
export interface Telling {
  changed(provider: string, change: NonNullable<BreakerChange>, reason: string): void;
  stop(): Promise<void>;
}

/** Whoever reads takes a state that was not told again for three times as long for that of a process that has died. */
const TOLD_EVERY_MS = 20_000;

/** Tells it in the log and in the database, where API and console read it. */
export function startTelling({ em, log, now, newId }: TellingDeps): Telling {
  const processId = newId();
  const open = new Map<string, ProviderState>();
  const told = new Set<string>();
  const tell = async (): Promise<void> => {
    for (const state of [...open.values()]) {
      told.add(state.provider);
      await keepProviderState(em, state);
    }
    for (const provider of told) {
      if (open.has(provider)) continue;
      await forgetProviderState(em, { provider, processId });
      told.delete(provider);
    }
  };
  let telling: Promise<void> = Promise.resolve();
  // One after the other, so that an earlier state is not written over a later one.
  const tellInTurn = (): Promise<void> => {
    telling = telling.then(tell).catch((error: unknown) => {
      if (!isDatabaseUnavailable(error)) log.warn('mail.provider_state_not_told', { error });
    });
    return telling;
  };
  const repeating = every(TOLD_EVERY_MS, tellInTurn, () => undefined);
  return {
    changed(provider, change, reason) {
      if (change === 'opened') {
        open.set(provider, { provider, processId, since: now(), reason });
        log.warn('mail.provider_passed_over', { provider, reason });
      } else {
        open.delete(provider);
        log.info('mail.provider_asked_again', { provider });
      }
      void tellInTurn();
    },
    async stop() {
      open.clear();
      await repeating.stop();
      await tellInTurn();
    },
  };
}
