import type { BulkEnrollmentRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { lockContacts } from '../../db/queries/contacts/contacts.ts';
import { bulkStart, enqueue, enqueueEach, signalBulk } from '../../db/queries/operations/outbox.ts';
import {
  bulksToStart,
  endBulk,
  insertBulk,
  keepBulk,
  lockBulk,
  type NewBulkEnrollment,
  nextOfBulk,
  runningBulk,
} from '../../db/queries/sequences/bulk-enrollments.ts';
import { findSequenceOf } from '../../db/queries/sequences/sequences.ts';
import { Refusal } from '../../domain/errors.ts';
import { addSkipped, countSkipped } from '../../domain/sequences/bulk-enrollment.ts';
import type { BulkReport } from '../../workflows/contracts.ts';
import { enroll } from './enroll.ts';
import { keepRefusedEntries } from './refused-entries.ts';

/** Of one transaction. */
const PORTION = 500;

/** Has all members of a segment enrolled by a workflow. Throws invalid_status while the one before of the sequence runs. */
export async function beginBulk(tx: EntityManager, asked: NewBulkEnrollment): Promise<BulkEnrollmentRow> {
  const begun = await insertBulk(tx, asked);
  if (!begun)
    throw new Refusal('invalid_status', 'a segment is being enrolled into this sequence already: wait until that has ended, or cancel it');
  await enqueue(tx, begun.project_id, [bulkStart(begun.id)], { isBulk: true });
  return begun;
}

/** Portion after portion until all were looked at, or the signal comes. `progress`: called after each. */
export async function enrollInPortions(
  em: EntityManager,
  id: string,
  {
    signal,
    newId,
    progress,
  }: { readonly signal: AbortSignal; readonly newId: () => string; readonly progress: (soFar: BulkReport) => void },
): Promise<BulkReport> {
  for (;;) {
    const report = await em.transactional((tx) => nextPortion(tx, id, newId));
    progress(report);
    if (report.state !== 'more' || signal.aborted) return report;
  }
}

/** The enrollments and how far it is are one transaction, so that each is enrolled once, whatever process dies. */
async function nextPortion(tx: EntityManager, id: string, newId: () => string): Promise<BulkReport> {
  const bulk = await lockBulk(tx, id);
  // Gone with its sequence.
  if (!bulk) return { state: 'ended', enrolled: 0, skipped: 0, total: 0 };
  const soFar = (
    state: BulkReport['state'],
    { enrolled, skipped }: Pick<BulkEnrollmentRow, 'enrolled' | 'skipped'> = bulk,
  ): BulkReport => ({
    ...{ state, enrolled, skipped: countSkipped(skipped), total: bulk.total },
  });
  if (bulk.status !== 'running') return soFar('ended');
  const sequence = await findSequenceOf(tx, bulk.sequence_id);
  if (!sequence || sequence.status === 'archived') {
    await endBulk(tx, id, 'cancelled');
    return soFar('ended');
  }
  if (sequence.status !== 'active') return soFar('held');
  const members = await nextOfBulk(tx, bulk, PORTION);
  const last = members.at(-1);
  if (!last) {
    await endBulk(tx, id, 'completed');
    return soFar('ended');
  }
  const contacts = await lockContacts(tx, bulk.project_id, { ids: members.map((member) => member.id) });
  const request = { project: { id: bulk.project_id }, sequence, contacts, eventId: null, isBulk: true, isSandboxed: false, newId } as const;
  const { enrolled = [], refused = [] } = (await enroll(tx, request)) ?? {};
  // Paused while this waited for the contacts: they are looked at again when it goes on.
  if (refused.some(({ reason }) => reason === 'sequence_not_active')) return soFar('held');
  await keepRefusedEntries(tx, request, refused);
  const after = { enrolled: bulk.enrolled + enrolled.length, skipped: addSkipped(bulk.skipped, refused) };
  await keepBulk(tx, id, { ...after, last });
  return soFar('more', after);
}

/** Nobody more is enrolled by it; who was, stays. Whether it ran. */
export async function cancelBulk(em: EntityManager, { id, project_id }: Pick<BulkEnrollmentRow, 'id' | 'project_id'>): Promise<boolean> {
  return em.transactional(async (tx) => {
    const ended = await endBulk(tx, id, 'cancelled');
    if (ended) await signalBulk(tx, project_id, id);
    return ended;
  });
}

/** Makes what is being enrolled into a sequence go on, or end: its status has changed. */
export async function tellBulk(tx: EntityManager, sequence: { readonly id: string; readonly project_id: string }): Promise<void> {
  const bulk = await runningBulk(tx, sequence.id);
  if (bulk) await signalBulk(tx, sequence.project_id, bulk.id);
}

/** Starts the workflows of those that run; one whose start is on its way already is passed over. Returns how many. */
export async function restartBulks(tx: EntityManager, ids: readonly string[]): Promise<number> {
  return enqueueEach(tx, await bulksToStart(tx, ids), bulkStart, { isBulk: true });
}
