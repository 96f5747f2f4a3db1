import { sql } from 'kysely';
import type { Block } from '../../../domain/templates/content.ts';
import { MOST_SAVED_BLOCKS } from '../../../domain/templates/saved-block.ts';
import type { SavedBlockRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { row, rows } from '../../rows.ts';

export interface NewSavedBlock {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly block: Block;
}

/** `too_many`: the project has MOST_SAVED_BLOCKS, also where several come at once. `name_taken`: another one has the name, in whatever case. */
export type KeptBlock = SavedBlockRow | 'too_many' | 'name_taken';

export async function insertSavedBlock(em: EntityManager, { id, projectId, name, block }: NewSavedBlock): Promise<KeptBlock> {
  return em.transactional(async (tx) => {
    await row(tx, sql`select 1 from projects where id = ${projectId} for no key update`);
    const counted = await row(
      tx,
      sql<{ readonly many: number; readonly taken: boolean }>`
        select count(*)::integer as many, coalesce(bool_or(lower(name) = lower(${name})), false) as taken
        from saved_blocks where project_id = ${projectId}`,
    );
    if (counted?.taken) return 'name_taken';
    if (!counted || counted.many >= MOST_SAVED_BLOCKS) return 'too_many';
    const kept = await row(
      tx,
      sql<SavedBlockRow>`
        insert into saved_blocks (id, project_id, name, block) values (${id}, ${projectId}, ${name}, ${JSON.stringify(block)}::jsonb)
        returning *`,
    );
    return kept as SavedBlockRow;
  });
}

/** By their names. */
export async function listSavedBlocks(em: EntityManager, projectId: string): Promise<SavedBlockRow[]> {
  return rows(em, sql<SavedBlockRow>`select * from saved_blocks where project_id = ${projectId} order by lower(name), id`);
}

/** undefined: there is none. */
export async function renameSavedBlock(
  em: EntityManager,
  { id, projectId, name }: Omit<NewSavedBlock, 'block'>,
): Promise<SavedBlockRow | 'name_taken' | undefined> {
  return em.transactional(async (tx) => {
    await row(tx, sql`select 1 from projects where id = ${projectId} for no key update`);
    const taken = sql`select 1 from saved_blocks where project_id = ${projectId} and lower(name) = lower(${name}) and id <> ${id}`;
    if (await row(tx, taken)) return 'name_taken';
    return row(
      tx,
      sql<SavedBlockRow>`update saved_blocks set name = ${name}, updated_at = now() where id = ${id} and project_id = ${projectId} returning *`,
    );
  });
}

/** False when the project has none of this id. */
export async function deleteSavedBlock(em: EntityManager, projectId: string, id: string): Promise<boolean> {
  return (await row(em, sql`delete from saved_blocks where id = ${id} and project_id = ${projectId} returning id`)) !== undefined;
}
