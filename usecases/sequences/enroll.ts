import type { ContactRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { enqueue, enrollmentStart } from '../../db/queries/operations/outbox.ts';
import { insertEnrollments, keepSequence, type NewEnrollments } from '../../db/queries/sequences/enrollment-entry.ts';
import { type EarlierRuns, type EnrollRefusal, enrollRefusal } from '../../domain/sequences/reentry.ts';

/** A contact whose row this transaction holds locked: two calls at once cannot both find it free to enter. */
export type LockedContact = Pick<ContactRow, 'id' | 'status'>;

export interface EnrollRequest extends NewEnrollments {
  readonly contacts: readonly LockedContact[];
  readonly newId: () => string;
}

export interface EnrollResult {
  readonly enrolled: readonly { readonly contactId: string; readonly enrollmentId: string }[];
  readonly refused: readonly { readonly contactId: string; readonly reason: EnrollRefusal }[];
}

const NO_RUNS: EarlierRuns = { active: 0, ended: 0, lastStartedAt: null };

/**
 * Puts contacts into a sequence as far as its re-entry policy allows; their workflows are started by the outbox. undefined: the sequence
 * was deleted since it was read.
 */
export async function enroll(tx: EntityManager, request: EnrollRequest): Promise<EnrollResult | undefined> {
  const { sequence, contacts, newId } = request;
  const present = await keepSequence(
    tx,
    sequence.id,
    contacts.map(({ id }) => id),
    request.isSandboxed,
  );
  if (!present) return undefined;
  const { status: sequenceStatus, now, earlier } = present;
  const judged = contacts.map(({ id, status }) => ({
    contactId: id,
    enrollmentId: newId(),
    reason: enrollRefusal(sequence.graph, { sequenceStatus, contactStatus: status, earlier: earlier.get(id) ?? NO_RUNS }, now),
  }));
  const enrolled = judged.filter(({ reason }) => reason === undefined);
  await insertEnrollments(tx, request, enrolled, now);
  const starts = enrolled.map(({ enrollmentId }) => enrollmentStart(enrollmentId));
  await enqueue(tx, request.project.id, starts, request);
  return { enrolled, refused: judged.flatMap(({ contactId, reason }) => (reason ? [{ contactId, reason }] : [])) };
}
