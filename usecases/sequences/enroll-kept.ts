import type { ContactRow, EnrollmentRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { passKeptEvents, takeKeptEvent } from '../../db/queries/sequences/digests.ts';
import { findSequenceOf } from '../../db/queries/sequences/sequences.ts';
import { enroll } from './enroll.ts';

/** A run that has just completed, of a contact whose row is locked. */
export interface CompletedRun extends Pick<EnrollmentRow, 'id' | 'project_id' | 'sequence_id' | 'sandboxed'> {
  /** Whether events are kept for it. */
  readonly has_kept: boolean;
  readonly contact: Pick<ContactRow, 'id' | 'status'>;
  readonly newId: () => string;
}

/**
 * The first of the events that were kept for a run begins the next one when it has completed, as far as the sequence lets the contact in, and the others
 * are kept for that: docs/contract/sequences.md 65.
 */
export async function enrollKept(
  tx: EntityManager,
  { id, project_id, sequence_id, sandboxed, has_kept, contact, newId }: CompletedRun,
): Promise<void> {
  if (!has_kept) return;
  const eventId = await takeKeptEvent(tx, id);
  const sequence = eventId && (await findSequenceOf(tx, sequence_id));
  if (!sequence) return;
  const request = { project: { id: project_id }, sequence, eventId, isBulk: false, isSandboxed: sandboxed, newId };
  const [next] = (await enroll(tx, { ...request, contacts: [contact] }))?.enrolled ?? [];
  if (next) await passKeptEvents(tx, id, next.enrollmentId);
}
