import { sql } from 'kysely';
import type { SequenceGraph } from '../../../domain/sequences/graph.ts';
import type { EntityManager } from '../../orm.ts';
import { row, rows } from '../../rows.ts';

/** A graph that a sequence has or had, without the graph. */
export interface ListedVersion {
  readonly version: number;
  readonly nodes: number;
  readonly created_at: Date;
  /** Runs that are under way by it. */
  readonly active: number;
}

export interface VersionFilter {
  readonly before: number | undefined;
  /** Only the current one, and those by which runs are under way. */
  readonly inUse: boolean;
  readonly limit: number;
}

/**
 * The latest first, of those before a version where one is given. Active runs are counted when somebody asks, by enrollments_active_idx: a
 * million of them takes about a second, where an index by version would cost each step of each run a little.
 */
export async function listSequenceVersions(
  em: EntityManager,
  sequenceId: string,
  { before, inUse, limit }: VersionFilter,
): Promise<ListedVersion[]> {
  return rows(
    em,
    sql<ListedVersion>`
      with under_way as (
        select sequence_version as version, count(*) as active from enrollments
        where sequence_id = ${sequenceId} and status = 'active' group by sequence_version
      )
      select v.version, jsonb_array_length(v.graph -> 'nodes') as nodes, v.created_at, coalesce(u.active, 0) as active
      from sequence_versions v left join under_way u on u.version = v.version
      where v.sequence_id = ${sequenceId} and v.version < coalesce(${before ?? null}::integer, 2147483647)
        ${inUse ? sql`and (u.active is not null or v.version = (select version from sequences where id = ${sequenceId}))` : sql``}
      order by v.version desc limit ${limit}`,
  );
}

export async function findSequenceVersion(em: EntityManager, sequenceId: string, version: number): Promise<SequenceGraph | undefined> {
  const found = await row(
    em,
    sql<{ graph: SequenceGraph }>`select graph from sequence_versions where sequence_id = ${sequenceId} and version = ${version}`,
  );
  return found?.graph;
}
