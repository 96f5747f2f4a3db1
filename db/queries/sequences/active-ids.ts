import type { EntityManager } from '../../orm.ts';
import { LOWEST_ID } from '../../outermost-ids.ts';
import { anyOf, tables } from '../../tables.ts';

/** Whether an enrollment is there that is not active any more. */
export async function hasEnded(em: EntityManager, enrollmentId: string): Promise<boolean> {
  const found = await tables(em).selectFrom('enrollments').select('status').where('id', '=', enrollmentId).executeTakeFirst();
  return found !== undefined && found.status !== 'active';
}

/** Which of these are active still. */
export async function activeEnrollments(em: EntityManager, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  return idsOf(await active(em).where('id', '=', anyOf(ids)).execute());
}

/** The active enrollments of all projects that come after this id (null: from the first), in order. */
export async function batchOfActive(em: EntityManager, after: string | null, limit: number): Promise<string[]> {
  return idsOf(
    await active(em)
      .where('id', '>', after ?? LOWEST_ID)
      .orderBy('id')
      .limit(limit)
      .execute(),
  );
}

function active(em: EntityManager) {
  return tables(em).selectFrom('enrollments').select('id').where('status', '=', 'active');
}

function idsOf(found: readonly { readonly id: string }[]): string[] {
  return found.map(({ id }) => id);
}
