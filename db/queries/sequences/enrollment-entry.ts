import { sql } from 'kysely';
import { firstMail } from '../../../domain/sequences/first-mail.ts';
import { type SequenceGraph, watchesContact } from '../../../domain/sequences/graph.ts';
import type { SequenceNode } from '../../../domain/sequences/kinds/node-kinds.ts';
import type { EarlierRuns } from '../../../domain/sequences/reentry.ts';
import type { EnrollmentRow, EnrollmentStepRow, SequenceRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { preparedRow, preparedRows } from '../../rows.ts';
import type { SequenceWithGraph } from './sequences.ts';

export interface SubflowParent extends Pick<EnrollmentRow, 'id' | 'root_id' | 'sequence_id' | 'ancestor_sequences' | 'depth'> {
  /** The step that waits for the end of the run; null when none does. */
  readonly waitingStep: number | null;
}

/** What enrollments that begin together have in common. */
export interface NewEnrollments {
  readonly project: { readonly id: string };
  readonly sequence: SequenceWithGraph;
  /** The event that enrolls, if one does. */
  readonly eventId: string | null;
  /** The enrollment whose subflow node enters. */
  readonly parent?: SubflowParent;
  /** Whether many enter at once: their workflows, and what those start, wait for those of single changes. */
  readonly isBulk: boolean;
  /** None of their mails leaves. */
  readonly isSandboxed: boolean;
}

type FirstVisit = Pick<EnrollmentStepRow, 'step' | 'node_id' | 'kind' | 'outcome' | 'detail'>;

type StatusAndEarlier = Pick<SequenceRow, 'status'> & {
  readonly now: Date;
  readonly contact_id: EnrollmentRow['contact_id'] | null;
  readonly active: number;
  readonly ended: number;
  readonly last_started_at: EnrollmentRow['started_at'] | null;
};

/** A sequence as it is at an instant of PostgreSQL's clock. */
export interface KeptSequence extends Pick<SequenceRow, 'status'> {
  /** Runs that begin with this start then: by the clock that says when the sequence was archived. */
  readonly now: Date;
  /** By contact. */
  readonly earlier: ReadonlyMap<string, EarlierRuns>;
}

/** The sequence's status now and the contacts' earlier runs of it, of those that are sandboxed like the new ones. It is not deleted before this transaction ends. */
export async function keepSequence(
  tx: EntityManager,
  sequenceId: string,
  contactIds: readonly string[],
  isSandboxed: boolean,
): Promise<KeptSequence | undefined> {
  const found = await preparedRows(
    tx,
    sql<StatusAndEarlier>`
      with sequence as materialized (
        select id, status from sequences where id = ${sequenceId} and deleted_at is null for key share
      )
      select s.status, clock_timestamp() as now, e.contact_id, count(*) filter (where e.status = 'active') as active,
             count(*) filter (where e.status <> 'active') as ended, max(e.started_at) as last_started_at
      from sequence s left join enrollments e on e.sequence_id = s.id and e.contact_id = any(${contactIds}::uuid[]) and e.sandboxed = ${isSandboxed}
      group by s.status, e.contact_id`,
  );
  const [first] = found;
  if (!first) return undefined;
  const earlier = found.flatMap(({ contact_id, active, ended, last_started_at }) =>
    contact_id === null ? [] : [[contact_id, { active, ended, lastStartedAt: last_started_at }] as const],
  );
  return { status: first.status, now: first.now, earlier: new Map(earlier) };
}

/** `enrolled`: whom, and under which ids. `startedAt`: by PostgreSQL's clock. Where they stand first is in their traces when the graph alone decides it. */
export async function insertEnrollments(
  tx: EntityManager,
  { project, sequence, eventId, parent, isBulk, isSandboxed }: NewEnrollments,
  enrolled: readonly { readonly contactId: string; readonly enrollmentId: string }[],
  startedAt: Date,
): Promise<void> {
  if (enrolled.length === 0) return;
  const waits = parent !== undefined && parent.waitingStep !== null;
  const visits = firstVisits(sequence.graph);
  const ancestors = parent ? [...parent.ancestor_sequences, parent.sequence_id] : [];
  await preparedRow(
    tx,
    sql`
      with entered as (
        insert into enrollments (id, project_id, sequence_id, sequence_version, contact_id, event_id, started_at, parent_id, parent_step,
                                 depth, root_id, ancestor_sequences, watches_contact, is_bulk, sandboxed, current_node_id, hops)
        select e.id, ${project.id}, ${sequence.id}, ${sequence.version}, e.contact_id, ${eventId}::uuid, ${startedAt},
               ${waits ? parent.id : null}::uuid, ${parent?.waitingStep ?? null}::integer, ${parent ? parent.depth + 1 : 0},
               ${parent ? (parent.root_id ?? parent.id) : null}::uuid, ${ancestors}::uuid[], ${watchesContact(sequence.graph)}, ${isBulk}, ${isSandboxed},
               ${visits.at(-1)?.node_id ?? null}, ${visits.length}
        from unnest(${enrolled.map(({ enrollmentId }) => enrollmentId)}::uuid[], ${enrolled.map(({ contactId }) => contactId)}::uuid[])
          as e(id, contact_id)
        returning id
      )
      insert into enrollment_steps (enrollment_id, step, node_id, visit, kind, at, outcome, detail)
      select e.id, v.step, v.node_id, 1, v.kind, ${startedAt}, v.outcome, v.detail
      from entered e cross join jsonb_to_recordset(${JSON.stringify(visits)}::jsonb)
        as v(step integer, node_id text, kind text, outcome text, detail text)`,
  );
}

/** The first rows of the trace of every run of a graph, as far as it needs no walk. */
function firstVisits(graph: SequenceGraph): FirstVisit[] {
  const mail = firstMail(graph);
  if (!mail) return [];
  const { entry, node, step } = mail;
  const rowOf = ({ id, kind }: SequenceNode) => ({ node_id: id, kind });
  return [
    { ...rowOf(entry.node), step: step - 1, outcome: entry.outcome, detail: entry.detail },
    { ...rowOf(node), step, outcome: null, detail: null },
  ];
}
