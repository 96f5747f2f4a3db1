import type { EntityManager } from '../../db/orm.ts';
import {
  type ChangedSegment,
  finishSegmentChange,
  lockSegmentChange,
  markTold,
  runsToTell,
  TOLD_AT_ONCE,
  type VersionKey,
  versionsWithSegments,
} from '../../db/queries/segments/segment-changes.ts';
import { signalEnrollments } from '../../db/queries/sequences/enrollment-signals.ts';
import { loadGraph } from '../../db/queries/sequences/sequences.ts';
import { factsNeeded } from '../../domain/conditions/needs.ts';
import { conditionsWaitedFor } from '../../domain/sequences/conditions-of.ts';

/**
 * Makes the next runs look again that may wait on a segment which was made, changed or deleted, at most TOLD_AT_ONCE; in the end the change is
 * forgotten. A run that reads the segment just now is told too, and looks again when it has read. Returns whether there may be more to do.
 */
export async function tellRuns(em: EntityManager, changed: ChangedSegment): Promise<boolean> {
  return em.transactional(async (tx) => {
    const change = await lockSegmentChange(tx, changed);
    if (!change) return false;
    const versions = await versionsWaitingOn(tx, change);
    const ids = versions.length === 0 ? [] : await runsToTell(tx, change, versions);
    await signalEnrollments(tx, ids);
    if (ids.length < TOLD_AT_ONCE) await finishSegmentChange(tx, change);
    else await markTold(tx, change, ids.at(-1)!);
    return ids.length === TOLD_AT_ONCE;
  });
}

/** The versions of sequences whose runs end, or end a wait, by a condition that names the segment. */
async function versionsWaitingOn(tx: EntityManager, { project_id, label }: ChangedSegment): Promise<VersionKey[]> {
  const waiting: VersionKey[] = [];
  for (const version of await versionsWithSegments(tx, project_id)) {
    const graph = await loadGraph(tx, version.sequence_id, version.version);
    if (factsNeeded(conditionsWaitedFor(graph)).segments.includes(label)) waiting.push(version);
  }
  return waiting;
}
