import { sql } from 'kysely';
import { Refusal } from '../../domain/errors.ts';
import { type ProjectTemplateRow, TemplateSetting, TemplateVersion } from '../entities/index.ts';
import type { EntityManager } from '../orm.ts';
import { row } from '../rows.ts';
import { anyOf, tables } from '../tables.ts';

/** Templates of its own that one project may have. */
export const MOST_PROJECT_TEMPLATES = 200;

export type NewProjectTemplate = Omit<ProjectTemplateRow, 'created_at'>;

/** Throws too_many_templates when the project has as many as it may, also where several are made at once; 409 when it has the key. */
export async function createProjectTemplate(em: EntityManager, template: NewProjectTemplate): Promise<void> {
  const { project_id, key, data_schema, content, compiled } = template;
  await em.transactional(async (tx) => {
    await row(tx, sql`select 1 from projects where id = ${project_id} for no key update`);
    const own = tables(tx).selectFrom('project_templates').where('project_id', '=', project_id);
    if (await own.select('id').where('key', '=', key).executeTakeFirst()) {
      throw new Refusal('duplicate_key', `the project has a template with the key ${key} already; DELETE it first`, { status: 409 });
    }
    const { many } = await own.select(({ fn }) => fn.countAll<string>().as('many')).executeTakeFirstOrThrow();
    if (Number(many) >= MOST_PROJECT_TEMPLATES) {
      throw new Refusal('too_many_templates', `a project has at most ${MOST_PROJECT_TEMPLATES} templates of its own`);
    }
    const json = { data_schema: JSON.stringify(data_schema), content: JSON.stringify(content), compiled: JSON.stringify(compiled) };
    await tables(tx)
      .insertInto('project_templates')
      .values({ ...template, ...(json as object) })
      .execute();
  });
}

/** Which templates have these keys now, of those that the project has made. */
export async function projectTemplateIds(
  em: EntityManager,
  projectId: string,
  keys: readonly string[],
): Promise<Pick<ProjectTemplateRow, 'id' | 'key'>[]> {
  const own = tables(em).selectFrom('project_templates').select(['id', 'key']).where('project_id', '=', projectId);
  return own.where('key', '=', anyOf(keys)).execute();
}

export async function findProjectTemplate(em: EntityManager, id: string): Promise<ProjectTemplateRow | undefined> {
  return tables(em).selectFrom('project_templates').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The project's own templates, without what they hold. */
export async function listProjectTemplates(em: EntityManager, projectId: string): Promise<Pick<ProjectTemplateRow, 'key' | 'type'>[]> {
  return tables(em).selectFrom('project_templates').select(['key', 'type']).where('project_id', '=', projectId).execute();
}

/** Keeps it from being deleted until the transaction ends. False when it is gone. */
export async function holdProjectTemplate(tx: EntityManager, id: string): Promise<boolean> {
  return (await row(tx, sql`select 1 from project_templates where id = ${id} for key share`)) !== undefined;
}

/** Deletes it with what its brands have set and written. False when the project has none of this key. */
export async function deleteProjectTemplate(em: EntityManager, projectId: string, key: string): Promise<boolean> {
  return em.transactional(async (tx) => {
    const ofKey = tables(tx).deleteFrom('project_templates').where('project_id', '=', projectId).where('key', '=', key);
    const { numDeletedRows } = await ofKey.executeTakeFirstOrThrow();
    if (numDeletedRows === 0n) return false;
    // In this order, so that nothing is added meanwhile: who adds holds the row.
    await tx.nativeDelete(TemplateSetting, { project_id: projectId, template: key });
    await tx.nativeDelete(TemplateVersion, { project_id: projectId, template: key });
    return true;
  });
}
