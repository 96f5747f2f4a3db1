import { sql } from 'kysely';
import type { EntityManager } from '../../orm.ts';
import { row } from '../../rows.ts';

/** Names by which graphs refer to what is kept elsewhere. */
export interface References {
  readonly sequenceKeys: readonly string[];
  /** As segmentKey writes them. */
  readonly segments: readonly string[];
  readonly topics: readonly string[];
}

/** Those of the names that the project has. */
export async function knownReferences(
  em: EntityManager,
  projectId: string,
  { sequenceKeys, segments, topics }: References,
): Promise<References> {
  const known = await row(
    em,
    sql<References>`
      select array(select key from sequences where project_id = ${projectId} and deleted_at is null and key = any(${[...sequenceKeys]}::text[]))
          as "sequenceKeys",
        array(select lower(label) from segments where project_id = ${projectId} and lower(label) = any(${[...segments]}::text[])) as segments,
        array(select key from topics where project_id = ${projectId} and key = any(${[...topics]}::text[])) as topics`,
  );
  return known ?? { sequenceKeys: [], segments: [], topics: [] };
}
