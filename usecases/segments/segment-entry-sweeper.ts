import type { EntityManager, MikroORM } from '../../db/orm.ts';
import { projectsToCheck } from '../../db/queries/segments/membership-checks.ts';
import { triggersToLookAt } from '../../db/queries/segments/membership-looks.ts';
import { endedTriggers, removeEnded } from '../../db/queries/segments/segment-triggers.ts';
import { every, type Repeating } from '../../platform/every.ts';
import type { Logger } from '../../platform/logger.ts';
import { partByPart } from '../../platform/part-by-part.ts';
import { checkMembers, lookAtMembers } from './settle-members.ts';

export interface SegmentEntrySweeperDeps {
  readonly orm: MikroORM;
  readonly log: Logger;
  readonly newId: () => string;
}

const EVERY_MS = 1_000;

/**
 * Enrolls who has become a member of a segment by which a sequence is entered. Projects take turns, a batch each, and who comes meanwhile takes part in the
 * next turn. Any number of processes may run one.
 */
export function startSegmentEntrySweeper({ orm, log, newId }: SegmentEntrySweeperDeps): Repeating {
  const inTurns = (what: 'checks' | 'looks' | 'ends', read: (em: EntityManager) => Promise<string[]>, doPart: DoPart): Repeating => {
    const sweep = async (stopping: AbortSignal): Promise<void> => {
      for (let more = true; more && !stopping.aborted; ) {
        more = false;
        await partByPart(await read(orm.em.fork()), {
          async doPart(id) {
            if (await doPart(orm.em.fork(), id)) more = true;
            return false;
          },
          // It comes again with the next look.
          failed: (id, error) => log.error('segment.entries_not_made', { id, what, error }),
          stopping,
        });
      }
    };
    return every(EVERY_MS, sweep, (error) => log.warn('segment.entries_not_read', { what, error }));
  };
  const all = [
    inTurns('checks', projectsToCheck, (em, id) => checkMembers(em, id, newId)),
    inTurns('looks', triggersToLookAt, (em, id) => lookAtMembers(em, id, newId)),
    inTurns('ends', endedTriggers, (em, id) => em.transactional((tx) => removeEnded(tx, id))),
  ];
  return { stop: async () => void (await Promise.all(all.map((each) => each.stop()))) };
}

/** Whether there may be more to do. */
type DoPart = (em: EntityManager, id: string) => Promise<boolean>;
