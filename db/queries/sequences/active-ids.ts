import type { EntityManager } from '../../orm.ts';
import { LOWEST_ID } from '../../outermost-ids.ts';
import { anyOf, tables } from '../../tables.ts';

/** Whether a run is there that does not stand at this step any more: it has ended, or was moved. */
export async function hasLeft(em: EntityManager, enrollmentId: string, step: number): Promise<boolean> {
  const found = await tables(em)
    .selectFrom('enrollments')
    .select(['status', 'moved_step'])
    .where('id', '=', enrollmentId)
    .executeTakeFirst();
  return found !== undefined && (found.status !== 'active' || (found.moved_step ?? 0) >= step);
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
