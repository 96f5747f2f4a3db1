import type { MikroORM } from '../../db/orm.ts';
import { projectsToCheck } from '../../db/queries/segments/membership-checks.ts';
import { triggersToLookAt } from '../../db/queries/segments/membership-looks.ts';
import { endedTriggers, removeEnded } from '../../db/queries/segments/segment-triggers.ts';
import type { Repeating } from '../../platform/every.ts';
import type { Logger } from '../../platform/logger.ts';
import { type Sweep, sweepInTurns } from '../operations/sweep-in-turns.ts';
import { checkMembers, lookAtMembers } from './settle-members.ts';

export interface SegmentEntrySweeperDeps {
  readonly orm: MikroORM;
  readonly log: Logger;
  readonly newId: () => string;
}

/** Enrolls who has become a member of a segment by which a sequence is entered. Projects take turns. Any number of processes may run one. */
export function startSegmentEntrySweeper({ orm, log, newId }: SegmentEntrySweeperDeps): Repeating {
  const sweeping = (what: 'checks' | 'looks' | 'ends', sweep: Pick<Sweep, 'read' | 'doPart'>): Repeating =>
    sweepInTurns(orm, {
      ...sweep,
      failed: (id, error) => log.error('segment.entries_not_made', { id, what, error }),
      notRead: (error) => log.warn('segment.entries_not_read', { what, error }),
    });
  const all = [
    sweeping('checks', { read: projectsToCheck, doPart: (em, id) => checkMembers(em, id, newId) }),
    sweeping('looks', { read: triggersToLookAt, doPart: (em, id) => lookAtMembers(em, id, newId) }),
    sweeping('ends', { read: endedTriggers, doPart: (em, id) => em.transactional((tx) => removeEnded(tx, id)) }),
  ];
  return { stop: async () => void (await Promise.all(all.map((each) => each.stop()))) };
}
