import { sql } from 'kysely';
import { type SequenceStatus, watchesContact } from '../../domain/sequence/graph.ts';
import { type EarlierRuns, type EnrollRefusal, enrollRefusal } from '../../domain/sequence/reentry.ts';
import type { ContactRow, EnrollmentRow } from '../entities/index.ts';
import type { EntityManager } from '../orm.ts';
import { hotRow, hotRows } from '../rows.ts';
import { enqueue, enrollmentStart } from './outbox.ts';
import type { SequenceWithGraph } from './sequences.ts';

/** A contact whose row this transaction holds locked: two calls at once cannot both find it free to enter. */
export type LockedContact = Pick<ContactRow, 'id' | 'status'>;

export interface EnrollRequest {
  readonly project: { readonly id: string };
  readonly sequence: SequenceWithGraph;
  readonly contacts: readonly LockedContact[];
  /** The event that enrolls, if one does. */
  readonly eventId: string | null;
  /** The enrollment whose subflow node enters. */
  readonly parent?: SubflowParent;
  /** Whether many enter at once: their workflows, and what those start, wait for those of single changes. */
  readonly isBulk: boolean;
  readonly now: Date;
  readonly newId: () => string;
}

export interface SubflowParent extends Pick<EnrollmentRow, 'id' | 'root_id' | 'sequence_id' | 'ancestor_sequences' | 'depth'> {
  /** The step that waits for the end of the run; null when none does. */
  readonly waitingStep: number | null;
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
  const { sequence, contacts, now, newId } = request;
  const present = await keepSequence(
    tx,
    sequence.id,
    contacts.map(({ id }) => id),
  );
  if (!present) return undefined;
  const { status: sequenceStatus, earlier } = present;
  const judged = contacts.map(({ id, status }) => ({
    contactId: id,
    enrollmentId: newId(),
    reason: enrollRefusal(sequence.graph, { sequenceStatus, contactStatus: status, earlier: earlier.get(id) ?? NO_RUNS }, now),
  }));
  const enrolled = judged.filter(({ reason }) => reason === undefined);
  await insertEnrollments(tx, request, enrolled);
  const starts = enrolled.map(({ enrollmentId }) => enrollmentStart(enrollmentId));
  await enqueue(tx, request.project.id, starts, request);
  return { enrolled, refused: judged.flatMap(({ contactId, reason }) => (reason ? [{ contactId, reason }] : [])) };
}

/** The sequence's status now and the contacts' earlier runs of it. It is not deleted before this transaction ends. */
async function keepSequence(
  tx: EntityManager,
  sequenceId: string,
  contactIds: readonly string[],
): Promise<{ readonly status: SequenceStatus; readonly earlier: ReadonlyMap<string, EarlierRuns> } | undefined> {
  const found = await hotRows(
    tx,
    sql<{ status: SequenceStatus; contact_id: string | null; active: number; ended: number; last_started_at: Date | null }>`
      with sequence as materialized (
        select id, status from sequences where id = ${sequenceId} and deleted_at is null for key share
      )
      select s.status, e.contact_id, count(*) filter (where e.status = 'active') as active,
             count(*) filter (where e.status <> 'active') as ended, max(e.started_at) as last_started_at
      from sequence s left join enrollments e on e.sequence_id = s.id and e.contact_id = any(${contactIds}::uuid[])
      group by s.status, e.contact_id`,
  );
  const [first] = found;
  if (!first) return undefined;
  const earlier = found.flatMap(({ contact_id, active, ended, last_started_at }) =>
    contact_id === null ? [] : [[contact_id, { active, ended, lastStartedAt: last_started_at }] as const],
  );
  return { status: first.status, earlier: new Map(earlier) };
}

async function insertEnrollments(
  tx: EntityManager,
  { project, sequence, eventId, parent, isBulk, now }: EnrollRequest,
  enrolled: EnrollResult['enrolled'],
): Promise<void> {
  if (enrolled.length === 0) return;
  const waits = parent !== undefined && parent.waitingStep !== null;
  const ancestors = parent ? [...parent.ancestor_sequences, parent.sequence_id] : [];
  await hotRow(
    tx,
    sql`insert into enrollments (id, project_id, sequence_id, sequence_version, contact_id, event_id, started_at, parent_id, parent_step,
                                 depth, root_id, ancestor_sequences, watches_contact, is_bulk)
        select e.id, ${project.id}, ${sequence.id}, ${sequence.version}, e.contact_id, ${eventId}::uuid, ${now},
               ${waits ? parent.id : null}::uuid, ${parent?.waitingStep ?? null}::integer, ${parent ? parent.depth + 1 : 0},
               ${parent ? (parent.root_id ?? parent.id) : null}::uuid, ${ancestors}::uuid[], ${watchesContact(sequence.graph)}, ${isBulk}
        from unnest(${enrolled.map(({ enrollmentId }) => enrollmentId)}::uuid[], ${enrolled.map(({ contactId }) => contactId)}::uuid[])
          as e(id, contact_id)`,
  );
}
