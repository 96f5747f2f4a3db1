import { sql } from 'kysely';
import type { EntityManager } from '../../orm.ts';
import { rows } from '../../rows.ts';

/** How many runs of one version stand at a node. */
export interface StandingAt {
  readonly nodeId: string;
  readonly version: number;
  readonly people: number;
}

/** The runs under way that stand at these nodes, the latest version first. Counted when somebody asks, as the runs of each version are. */
export async function countStanding(em: EntityManager, sequenceId: string, nodeIds: readonly string[]): Promise<StandingAt[]> {
  if (nodeIds.length === 0) return [];
  return rows(
    em,
    sql<StandingAt>`
      select current_node_id as "nodeId", sequence_version as version, count(*) as people from enrollments
      where sequence_id = ${sequenceId} and status = 'active' and current_node_id = any(${nodeIds}::text[])
      group by current_node_id, sequence_version order by sequence_version desc`,
  );
}
