import { sql } from 'kysely';
import { Refusal } from '../../domain/errors.ts';
import { type SequenceGraph, type SequenceStatus, triggerTypes } from '../../domain/sequence/graph.ts';
import { Sequence, type SequenceRow, SequenceVersion } from '../entities/index.ts';
import { violatedUnique } from '../errors.ts';
import type { EntityManager } from '../orm.ts';
import { row, rows } from '../rows.ts';

export interface NewSequence {
  readonly id: string;
  readonly projectId: string;
  readonly key: string;
  readonly name: string;
  readonly status: SequenceStatus;
  readonly graph: SequenceGraph;
  readonly now: Date;
}

/** Its first version. A taken key is refused with `duplicate_key`. */
export async function createSequence(em: EntityManager, input: NewSequence): Promise<void> {
  const { id, projectId, key, name, status, graph, now } = input;
  try {
    await em.transactional(async (tx) => {
      await tx.insert(Sequence, { id, project_id: projectId, key, name, status, version: 1, created_at: now, updated_at: now });
      await tx.insert(SequenceVersion, { sequence_id: id, version: 1, graph, created_at: now });
      await setTriggers(tx, id, projectId, graph);
    });
  } catch (error) {
    if (violatedUnique(error) === 'sequences_key_key') throw new Refusal('duplicate_key', `a sequence with the key ${key} exists already`);
    throw error;
  }
}

async function setTriggers(tx: EntityManager, sequenceId: string, projectId: string, graph: SequenceGraph): Promise<void> {
  await row(tx, sql`delete from sequence_triggers where sequence_id = ${sequenceId}`);
  await row(
    tx,
    sql`insert into sequence_triggers (sequence_id, project_id, event_type)
        select ${sequenceId}, ${projectId}, unnest(${triggerTypes(graph)}::text[])`,
  );
}

/** A sequence with the graph of its current version. */
export type SequenceWithGraph = SequenceRow & { readonly graph: SequenceGraph };

export async function findSequence(em: EntityManager, projectId: string, key: string): Promise<SequenceWithGraph | undefined> {
  return row(
    em,
    sql<SequenceWithGraph>`select s.*, v.graph from sequences s join sequence_versions v on v.sequence_id = s.id and v.version = s.version
      where s.project_id = ${projectId} and s.key = ${key}`,
  );
}

/** Newest first. */
export async function listSequences(em: EntityManager, projectId: string): Promise<SequenceWithGraph[]> {
  return rows(
    em,
    sql<SequenceWithGraph>`select s.*, v.graph from sequences s join sequence_versions v on v.sequence_id = s.id and v.version = s.version
      where s.project_id = ${projectId} order by s.created_at desc, s.id desc`,
  );
}

/** The active sequences that an event of this type enrolls into. */
export async function sequencesTriggeredBy(em: EntityManager, projectId: string, eventType: string): Promise<SequenceWithGraph[]> {
  return rows(
    em,
    sql<SequenceWithGraph>`
      select s.*, v.graph from sequence_triggers t
      join sequences s on s.id = t.sequence_id and s.status = 'active'
      join sequence_versions v on v.sequence_id = s.id and v.version = s.version
      where t.project_id = ${projectId} and md5(t.event_type) = md5(${eventType}) and t.event_type = ${eventType}
      order by s.created_at, s.id`,
  );
}

/** A version's graph never changes, so callers may keep it. */
export async function readGraph(em: EntityManager, sequenceId: string, version: number): Promise<SequenceGraph> {
  const { graph } = await em.findOneOrFail(SequenceVersion, { sequence_id: sequenceId, version });
  return graph;
}
