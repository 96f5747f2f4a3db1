import type { SequenceRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { allowLongStatements } from '../../db/queries/operations/statement-limits.ts';
import { keepMembers, segmentLabelled, setSegmentTriggers } from '../../db/queries/segments/segment-triggers.ts';
import { setDateTriggers } from '../../db/queries/sequences/date-triggers.ts';
import { type SequenceGraph, triggerDates, triggerSegments } from '../../domain/sequences/graph.ts';

/** A sequence as a change leaves it, with its row locked or not to be seen before the change commits. */
export interface ChangedEntry extends Pick<SequenceRow, 'id' | 'project_id' | 'status'> {
  readonly graph: Pick<SequenceGraph, 'triggers'>;
}

/** While a sequence is active, contacts enter it by its segments and dates: from here on, or no more. In the transaction of the change. */
export async function setEntry(tx: EntityManager, sequence: ChangedEntry): Promise<void> {
  await setSegmentEntry(tx, sequence);
  await setDateTriggers(tx, sequence, sequence.status === 'active' ? triggerDates(sequence.graph) : []);
}

/**
 * While a sequence is active, whoever becomes a member of the segments of its triggers enters it. Who is one when it is turned on
 * is read by the transaction that does so, in one go: whatever changes after the answer is a change against that.
 */
async function setSegmentEntry(tx: EntityManager, sequence: ChangedEntry): Promise<void> {
  const labels = sequence.status === 'active' ? triggerSegments(sequence.graph) : [];
  for (const trigger of await setSegmentTriggers(tx, sequence, labels)) {
    const rule = await segmentLabelled(tx, trigger.project_id, trigger.label);
    if (!rule) continue;
    await allowLongStatements(tx);
    await keepMembers(tx, trigger, rule);
  }
}
