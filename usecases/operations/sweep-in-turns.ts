import type { EntityManager, MikroORM } from '../../db/orm.ts';
import { every, type Repeating } from '../../platform/every.ts';
import { partByPart } from '../../platform/part-by-part.ts';

/** What is found again and again, and worked off by ids. */
export interface Sweep {
  /** Whose turn it is. */
  readonly read: (em: EntityManager) => Promise<string[]>;
  /** Works off a batch of one; whether there may be more to do. */
  readonly doPart: (em: EntityManager, id: string) => Promise<boolean>;
  /** Told of one whose batch failed: it comes again with the next look. */
  readonly failed: (id: string, error: unknown) => void;
  readonly notRead: (error: unknown) => void;
}

const EVERY_MS = 1_000;

/** Everybody who has something to do takes turns, a batch each, and who comes meanwhile takes part in the next turn. */
export function sweepInTurns(orm: MikroORM, { read, doPart, failed, notRead }: Sweep): Repeating {
  const sweep = async (stopping: AbortSignal): Promise<void> => {
    for (let more = true; more && !stopping.aborted; ) {
      more = false;
      await partByPart(await read(orm.em.fork()), {
        async doPart(id) {
          if (await doPart(orm.em.fork(), id)) more = true;
          return false;
        },
        failed,
        stopping,
      });
    }
  };
  return every(EVERY_MS, sweep, notRead);
}
