import type { ContactRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import type { LockedEnrollment } from '../../db/queries/sequences/locked-enrollment.ts';
import { findSequence } from '../../db/queries/sequences/sequences.ts';
import { countEntered } from '../../db/queries/sequences/subflows.ts';
import { enroll } from './enroll.ts';

/** docs/contract/sequences.md 24. */
const MAX_DEPTH = 5;
/** In all, by one run that no subflow entered and everything below it: without it each of five levels could enter hundreds. */
const MAX_ENTERED = 50;

export interface SubflowEntry {
  readonly parent: LockedEnrollment;
  /** As the parent's update_contact nodes have changed it, and stored. */
  readonly contact: ContactRow;
  readonly step: number;
  readonly sequenceKey: string;
  /** Whether the parent waits until the other enrollment has ended. */
  readonly wait: boolean;
  readonly newId: () => string;
}

export type EnteredSubflow =
  | { readonly waits: true }
  | { readonly waits: false; readonly outcome: 'enrolled' | 'passed'; readonly detail: string };

/** Enrolls the parent's contact into another sequence. What cannot be entered is recorded in the trace and passed over. */
export async function enterSubflow(tx: EntityManager, entry: SubflowEntry): Promise<EnteredSubflow> {
  const { parent, contact, step, sequenceKey, wait, newId } = entry;
  const passed = (detail: string): EnteredSubflow => ({ waits: false, outcome: 'passed', detail });
  if (parent.depth >= MAX_DEPTH) return passed(`not entered: subflows are at most ${MAX_DEPTH} deep`);
  const sequence = await findSequence(tx, parent.project_id, sequenceKey);
  if (!sequence) return passed(`there is no sequence ${sequenceKey}`);
  if (sequence.id === parent.sequence_id || parent.ancestor_sequences.includes(sequence.id))
    return passed(`not entered: ${sequenceKey} is the sequence of this run or of one above it`);
  if ((await countEntered(tx, parent.root_id ?? parent.id)) >= MAX_ENTERED)
    return passed(`not entered: one run enters at most ${MAX_ENTERED} subflows, those of its subflows included`);
  const result = await enroll(tx, {
    project: { id: parent.project_id },
    sequence,
    contacts: [contact],
    eventId: parent.event_id,
    parent: { ...parent, waitingStep: wait ? step : null },
    isBulk: parent.is_bulk,
    isSandboxed: parent.sandboxed,
    newId,
  });
  if (!result) return passed(`there is no sequence ${sequenceKey}`);
  const { enrolled, refused } = result;
  const [child] = enrolled;
  if (!child) return passed(`not entered: ${refused[0]?.reason}`);
  return wait ? { waits: true } : { waits: false, outcome: 'enrolled', detail: `enrolled as ${child.enrollmentId}` };
}
