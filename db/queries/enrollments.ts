import { sql } from 'kysely';
import type { EntityManager } from '../orm.ts';
import { row, rows } from '../rows.ts';

/** Whether an enrollment is there that is not active any more. */
export async function hasEnded(em: EntityManager, enrollmentId: string): Promise<boolean> {
  return (await row(em, sql`select 1 from enrollments where id = ${enrollmentId} and status <> 'active'`)) !== undefined;
}

/** Which of these are active still. */
export async function activeEnrollments(em: EntityManager, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const active = await rows(em, sql<{ id: string }>`select id from enrollments where id = any(${ids}::uuid[]) and status = 'active'`);
  return active.map(({ id }) => id);
}

/** The active enrollments of all projects that come after this id (null: from the first), in order. */
export async function pageOfActive(em: EntityManager, after: string | null, limit: number): Promise<string[]> {
  const page = await rows(
    em,
    sql<{ id: string }>`select id from enrollments where status = 'active' and id > ${after ?? NIL}::uuid order by id limit ${limit}`,
  );
  return page.map(({ id }) => id);
}

/** Before every other. */
const NIL = '00000000-0000-0000-0000-000000000000';
