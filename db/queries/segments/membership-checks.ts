import { sql } from 'kysely';
import type { MembershipCheckRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { preparedRow, rows } from '../../rows.ts';

/** So many changes of contacts are worked off in one transaction. */
export const CHECKED_AT_ONCE = 500;

/**
 * In the transaction of a change: whether these contacts have become members of segments is to be looked at, where the project has sequences
 * that are entered so. `isSandboxed`: a test key made the change.
 */
export async function noteChecks(
  tx: EntityManager,
  projectId: string,
  contactIds: readonly string[],
  { isSandboxed }: { readonly isSandboxed: boolean },
): Promise<void> {
  if (contactIds.length === 0) return;
  await preparedRow(
    tx,
    sql`insert into membership_checks (project_id, contact_id, sandboxed)
        select ${projectId}, c, ${isSandboxed} from unnest(${contactIds}::uuid[]) c
        where exists (select 1 from segment_triggers where project_id = ${projectId} and ended_at is null)`,
  );
}

/** Projects with changes that are to be worked off. */
export async function projectsToCheck(em: EntityManager): Promise<string[]> {
  // From one project to the next by the index, however many changes each has.
  const found = await rows(
    em,
    sql<{ project_id: string }>`
      with recursive p as (
        (select project_id from membership_checks order by project_id limit 1)
        union all
        select (select k.project_id from membership_checks k where k.project_id > p.project_id order by k.project_id limit 1)
        from p where p.project_id is not null
      ) select project_id from p where project_id is not null`,
  );
  return found.map(({ project_id }) => project_id);
}

/** Takes the oldest of a project's that no other transaction has: they are worked off when this one commits. */
export async function takeChecks(tx: EntityManager, projectId: string): Promise<Pick<MembershipCheckRow, 'contact_id' | 'sandboxed'>[]> {
  return rows(
    tx,
    sql<Pick<MembershipCheckRow, 'contact_id' | 'sandboxed'>>`
      delete from membership_checks where id = any(array(
        select id from membership_checks where project_id = ${projectId} order by id limit ${CHECKED_AT_ONCE} for update skip locked))
      returning contact_id, sandboxed`,
  );
}
