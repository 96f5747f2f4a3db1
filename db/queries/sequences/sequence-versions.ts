import { sql } from 'kysely';
import type { SequenceGraph } from '../../../domain/sequences/graph.ts';
import type { EntityManager } from '../../orm.ts';
import { row, rows } from '../../rows.ts';

/** A graph that a sequence has or had, without the graph. */
export interface ListedVersion {
  readonly version: number;
  readonly nodes: number;
  readonly created_at: Date;
}

/** The latest first, of those before a version where one is given. */
export async function listSequenceVersions(
  em: EntityManager,
  sequenceId: string,
  { before, limit }: { readonly before: number | undefined; readonly limit: number },
): Promise<ListedVersion[]> {
  return rows(
    em,
    sql<ListedVersion>`
      select version, jsonb_array_length(graph -> 'nodes') as nodes, created_at from sequence_versions
      where sequence_id = ${sequenceId} and version < coalesce(${before ?? null}::integer, 2147483647) order by version desc limit ${limit}`,
  );
}

export async function findSequenceVersion(em: EntityManager, sequenceId: string, version: number): Promise<SequenceGraph | undefined> {
  const found = await row(
    em,
    sql<{ graph: SequenceGraph }>`select graph from sequence_versions where sequence_id = ${sequenceId} and version = ${version}`,
  );
  return found?.graph;
}
