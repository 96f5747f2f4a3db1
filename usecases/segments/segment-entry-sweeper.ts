import { projectsToCheck } from '../../db/queries/segments/membership-checks.ts';
import { endedTriggers, removeEnded } from '../../db/queries/segments/segment-triggers.ts';
import { triggersToLookAt } from '../../db/queries/sequences/trigger-looks.ts';
import type { Repeating } from '../../platform/every.ts';
import { type SweepDeps, sweepInTurns } from '../operations/sweep-in-turns.ts';
import { checkMembers, lookAtMembers } from './settle-members.ts';

export interface SegmentEntrySweeperDeps extends SweepDeps {
  readonly newId: () => string;
}

/** Enrolls who has become a member of a segment by which a sequence is entered. Projects take turns. Any number of processes may run one. */
export function startSegmentEntrySweeper({ orm, log, newId }: SegmentEntrySweeperDeps): Repeating {
  const events = { failed: 'segment.entries_not_made', notRead: 'segment.entries_not_read' };
  return sweepInTurns({ orm, log }, events, {
    checks: { read: projectsToCheck, doPart: (em, id) => checkMembers(em, id, newId) },
    looks: { read: (em) => triggersToLookAt(em, 'segment_triggers'), doPart: (em, id) => lookAtMembers(em, id, newId) },
    ends: { read: endedTriggers, doPart: (em, id) => em.transactional((tx) => removeEnded(tx, id)) },
  });
}
