import type { EnrollmentRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { findSequenceOf } from '../../db/queries/sequences/sequences.ts';
import { type EnrollRequest, enroll } from './enroll.ts';
import { keepRefusedEntries } from './refused-entries.ts';

/** More than these at once are a bulk change: runs of others do not wait behind them. */
const FEW = 20;

/** Enrolls those for whom a trigger without an event has found the time, as far as its sequence takes them; nobody into one that was deleted. */
export async function enrollByTrigger(
  tx: EntityManager,
  { project_id, sequence_id }: Pick<EnrollmentRow, 'project_id' | 'sequence_id'>,
  entering: Pick<EnrollRequest, 'contacts' | 'isSandboxed' | 'newId'>,
): Promise<void> {
  const { length } = entering.contacts;
  const sequence = length > 0 && (await findSequenceOf(tx, sequence_id));
  if (!sequence) return;
  const request = { ...entering, project: { id: project_id }, sequence, eventId: null, isBulk: length > FEW };
  const { refused = [] } = (await enroll(tx, request)) ?? {};
  await keepRefusedEntries(tx, request, refused);
}
