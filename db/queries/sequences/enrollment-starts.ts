import { sql } from 'kysely';
import type { SequenceGraph } from '../../../domain/sequences/graph.ts';
import type { EnrollmentRow, ProjectRow, SequenceRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { preparedRows, rows } from '../../rows.ts';
import { hasNoStart, workflowIdOf } from '../operations/outbox.ts';
import { loadGraph } from './sequences.ts';

/** What an enrollment's workflow is started with, beside its id. */
export interface EnrollmentStart {
  readonly id: string;
  readonly contactId: string;
  readonly isBulk: boolean;
  /** It has had its workflow: it failed, and began again. */
  readonly isRetried: boolean;
  /** Where it stands; null before its first node. */
  readonly nodeId: EnrollmentRow['current_node_id'];
  readonly projectSlug: ProjectRow['slug'];
  readonly sequence: Pick<SequenceRow, 'key' | 'name'> & { readonly graph: SequenceGraph };
}

type Found = Pick<EnrollmentRow, 'id' | 'contact_id' | 'is_bulk' | 'retried_at' | 'current_node_id' | 'sequence_id' | 'sequence_version'> &
  Pick<SequenceRow, 'key' | 'name'> & { readonly slug: ProjectRow['slug'] };

/** Of those that are there; with its sequence an enrollment may be gone. */
export async function enrollmentStarts(em: EntityManager, ids: readonly string[]): Promise<EnrollmentStart[]> {
  if (ids.length === 0) return [];
  const found = await preparedRows(
    em,
    sql<Found>`
      select e.id, e.contact_id, e.is_bulk, e.retried_at, e.current_node_id, e.sequence_id, e.sequence_version, s.key, s.name, p.slug
      from enrollments e join sequences s on s.id = e.sequence_id join projects p on p.id = e.project_id
      where e.id = any(${ids}::uuid[])`,
  );
  const starts: EnrollmentStart[] = [];
  // One after the other: most are of one version, whose graph is read once then.
  for (const { id, contact_id, is_bulk, retried_at, current_node_id, sequence_id, sequence_version, key, name, slug } of found) {
    const graph = await loadGraph(em, sequence_id, sequence_version);
    starts.push({
      ...{ id, contactId: contact_id, isBulk: is_bulk, isRetried: retried_at !== null, nodeId: current_node_id, projectSlug: slug },
      sequence: { key, name, graph },
    });
  }
  return starts;
}

/** Those of these enrollments that are active still, and no start of their workflow is on its way. */
export async function enrollmentsToStart(em: EntityManager, ids: readonly string[]): Promise<Pick<EnrollmentRow, 'id' | 'project_id'>[]> {
  return rows(
    em,
    sql<Pick<EnrollmentRow, 'id' | 'project_id'>>`
      select e.id, e.project_id from enrollments e where e.id = any(${ids}::uuid[]) and e.status = 'active'
        and ${hasNoStart(workflowIdOf('enrollment', 'e.id'))}`,
  );
}
