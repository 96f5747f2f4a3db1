import { sql } from 'kysely';
import { entryNode, nodeAfter, type SequenceGraph, type SequenceStatus, watchesContact } from '../../domain/sequence/graph.ts';
import { type EarlierRuns, type EnrollRefusal, enrollRefusal } from '../../domain/sequence/reentry.ts';
import { enrollmentWorkflowId, SEARCH_ATTRIBUTES } from '../../workflows/contracts.ts';
import type { ContactRow, EnrollmentRow } from '../entities/index.ts';
import type { EntityManager } from '../orm.ts';
import { hotRow, hotRows, rows } from '../rows.ts';
import { enqueue, type OutboxPriority, type Outgoing } from './outbox.ts';
import type { SequenceWithGraph } from './sequences.ts';

/** A contact whose row this transaction holds locked: two calls at once cannot both find it free to enter. */
export type LockedContact = Pick<ContactRow, 'id' | 'status'>;

export interface EnrollRequest {
  readonly project: { readonly id: string; readonly slug: string };
  readonly sequence: SequenceWithGraph;
  readonly contacts: readonly LockedContact[];
  /** The event that enrolls, if one does. */
  readonly eventId: string | null;
  /** The enrollment whose subflow node enters. */
  readonly parent?: SubflowParent;
  readonly priority: OutboxPriority;
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

/** Priorities on Temporal's queues: runs that one person's doing started go before those of a bulk call. */
const SINGLE_RUN = 3;
const BULK_RUN = 5;
/** Many may have to be started again at once. */
const BULK: OutboxPriority = 5;

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
  await enqueue(
    tx,
    enrolled.map(({ contactId, enrollmentId }) => startMessage(request, contactId, enrollmentId)),
    request.priority,
  );
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
  { project, sequence, eventId, parent, now }: EnrollRequest,
  enrolled: EnrollResult['enrolled'],
): Promise<void> {
  if (enrolled.length === 0) return;
  const waits = parent !== undefined && parent.waitingStep !== null;
  const ancestors = parent ? [...parent.ancestor_sequences, parent.sequence_id] : [];
  await hotRow(
    tx,
    sql`insert into enrollments (id, project_id, sequence_id, sequence_version, contact_id, event_id, started_at, parent_id, parent_step,
                                 depth, root_id, ancestor_sequences, watches_contact)
        select e.id, ${project.id}, ${sequence.id}, ${sequence.version}, e.contact_id, ${eventId}::uuid, ${now},
               ${waits ? parent.id : null}::uuid, ${parent?.waitingStep ?? null}::integer, ${parent ? parent.depth + 1 : 0},
               ${parent ? (parent.root_id ?? parent.id) : null}::uuid, ${ancestors}::uuid[], ${watchesContact(sequence.graph)}
        from unnest(${enrolled.map(({ enrollmentId }) => enrollmentId)}::uuid[], ${enrolled.map(({ contactId }) => contactId)}::uuid[])
          as e(id, contact_id)`,
  );
}

/** What a workflow's start says about the run. */
interface StartedRun {
  readonly project: { readonly slug: string };
  readonly sequence: { readonly key: string; readonly name: string; readonly graph: SequenceGraph };
  readonly priority: OutboxPriority;
}

/** Starts the workflows of those of these enrollments that are active still; whose start is on its way already is passed over. */
export async function restartEnrollments(tx: EntityManager, ids: readonly string[]): Promise<number> {
  const found = await rows(
    tx,
    sql<{ id: string; contact_id: string; slug: string; key: string; name: string; graph: SequenceGraph }>`
      select e.id, e.contact_id, p.slug, s.key, s.name, v.graph
      from enrollments e join projects p on p.id = e.project_id join sequences s on s.id = e.sequence_id
      join sequence_versions v on v.sequence_id = e.sequence_id and v.version = e.sequence_version
      where e.id = any(${ids}::uuid[]) and e.status = 'active'
        and not exists (select 1 from outbox o where o.workflow_id = 'enrollment/' || e.id and o.message ->> 'kind' = 'start')`,
  );
  const starts = found.map(({ id, contact_id, slug, key, name, graph }) =>
    startMessage({ project: { slug }, sequence: { key, name, graph }, priority: BULK }, contact_id, id),
  );
  await enqueue(tx, starts, BULK);
  return starts.length;
}

function startMessage({ project, sequence, priority }: StartedRun, contactId: string, enrollmentId: string): Outgoing {
  return {
    workflowId: enrollmentWorkflowId(enrollmentId),
    message: {
      kind: 'start',
      workflowType: 'enrollment',
      input: { enrollmentId },
      searchAttributes: {
        [SEARCH_ATTRIBUTES.project]: project.slug,
        [SEARCH_ATTRIBUTES.sequence]: sequence.key,
        [SEARCH_ATTRIBUTES.contact]: contactId,
        [SEARCH_ATTRIBUTES.node]: firstNode(sequence.graph),
        [SEARCH_ATTRIBUTES.state]: 'running',
      },
      summary: `${sequence.name} (${sequence.key}) for contact ${contactId}`,
      priority: priority === 1 ? SINGLE_RUN : BULK_RUN,
      fairnessKey: project.slug,
    },
  };
}

/** Where the run will be when it looks at the graph first; known already, it costs the workflow no change of its attributes. */
function firstNode(graph: SequenceGraph): string {
  const entry = entryNode(graph);
  return (entry && (nodeAfter(graph, entry.id, 'enrolled') ?? entry))?.id ?? '';
}
