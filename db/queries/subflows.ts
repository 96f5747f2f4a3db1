import { sql } from 'kysely';
import type { EntityManager } from '../orm.ts';
import { row } from '../rows.ts';
import { enroll } from './enroll.ts';
import type { LockedEnrollment } from './locked-enrollment.ts';
import { findSequence } from './sequences.ts';

/** decisions.md 7.5: sequences that enroll each other end here. */
const MAX_DEPTH = 5;

export interface SubflowEntry {
  readonly parent: LockedEnrollment;
  readonly step: number;
  readonly sequenceKey: string;
  /** Whether the parent waits until the other enrollment has ended. */
  readonly wait: boolean;
  readonly now: Date;
  readonly newId: () => string;
}

export type EnteredSubflow =
  | { readonly waits: true }
  | { readonly waits: false; readonly outcome: 'enrolled' | 'passed'; readonly detail: string };

/** Enrolls the parent's contact into another sequence. What cannot be entered is told in the trace and passed over. */
export async function enterSubflow(tx: EntityManager, entry: SubflowEntry): Promise<EnteredSubflow> {
  const { parent, step, sequenceKey, wait, now, newId } = entry;
  const passed = (detail: string): EnteredSubflow => ({ waits: false, outcome: 'passed', detail });
  if (parent.depth >= MAX_DEPTH) return passed(`not entered: subflows are at most ${MAX_DEPTH} deep`);
  const sequence = await findSequence(tx, parent.project_id, sequenceKey);
  if (!sequence) return passed(`there is no sequence ${sequenceKey}`);
  const { enrolled, refused } = await enroll(tx, {
    project: { id: parent.project_id, slug: parent.project_slug },
    sequence,
    contacts: [parent.contact],
    eventId: parent.event_id,
    parent: { id: wait ? parent.id : null, step: wait ? step : null, depth: parent.depth + 1 },
    priority: 1,
    now,
    newId,
  });
  const [child] = enrolled;
  if (!child) return passed(`not entered: ${refused[0]?.reason}`);
  return wait ? { waits: true } : { waits: false, outcome: 'enrolled', detail: `enrolled as ${child.enrollmentId}` };
}

/** Whether the enrollment that this step waits for has ended, or is gone with its sequence. */
export async function subflowEnded(tx: EntityManager, parentId: string, step: number): Promise<boolean> {
  const active = await row(
    tx,
    sql`select 1 from enrollments where parent_id = ${parentId} and parent_step = ${step} and status = 'active' limit 1`,
  );
  return active === undefined;
}
