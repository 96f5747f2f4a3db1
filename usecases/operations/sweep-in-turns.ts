import type { EntityManager, MikroORM } from '../../db/orm.ts';
import { every, type Repeating } from '../../platform/every.ts';
import type { Logger } from '../../platform/logger.ts';
import { partByPart } from '../../platform/part-by-part.ts';

/** What is found again and again, and worked off by ids. */
export interface Sweep {
  /** Whose turn it is. */
  readonly read: (em: EntityManager) => Promise<string[]>;
  /** Works off a batch of one; whether there may be more to do. */
  readonly doPart: (em: EntityManager, id: string) => Promise<boolean>;
}

export interface SweepDeps {
  readonly orm: MikroORM;
  readonly log: Logger;
}

/** The events of the log: a batch that failed, which comes again with the next look, and a look that did. */
export interface SweepEvents {
  readonly failed: string;
  readonly notRead: string;
}

const EVERY_MS = 1_000;

/**
 * Sweeps side by side, each by its name in the log. In each, everybody who has something to do takes turns, a batch each, and who comes meanwhile takes
 * part in the next turn.
 */
export function sweepInTurns({ orm, log }: SweepDeps, events: SweepEvents, sweeps: Readonly<Record<string, Sweep>>): Repeating {
  const running = Object.entries(sweeps).map(([what, { read, doPart }]) => {
    const sweep = async (stopping: AbortSignal): Promise<void> => {
      for (let more = true; more && !stopping.aborted; ) {
        more = false;
        await partByPart(await read(orm.em.fork()), {
          async doPart(id) {
            if (await doPart(orm.em.fork(), id)) more = true;
            return false;
          },
          failed: (id, error) => log.error(events.failed, { id, what, error }),
          stopping,
        });
      }
    };
    return every(EVERY_MS, sweep, (error) => log.warn(events.notRead, { what, error }));
  });
  return { stop: async () => void (await Promise.all(running.map((each) => each.stop()))) };
}
