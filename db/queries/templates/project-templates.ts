import { sql } from 'kysely';
import { type DataField, MOST_PROJECT_TEMPLATES } from '../../../domain/templates/registry-entry.ts';
import { type ProjectTemplateRow, ProjectTemplateSchema, TemplateSetting, TemplateVersion } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { row, rows } from '../../rows.ts';
import { tables } from '../../tables.ts';

export type NewProjectTemplate = Omit<ProjectTemplateRow, 'created_at'>;

/** `too_many`: the project has MOST_PROJECT_TEMPLATES, also where several are made at once. */
export type CreatedTemplate = 'created' | 'key_taken' | 'too_many';

export async function createProjectTemplate(em: EntityManager, template: NewProjectTemplate): Promise<CreatedTemplate> {
  const { project_id, key, data_schema, content, compiled } = template;
  return em.transactional(async (tx) => {
    await row(tx, sql`select 1 from projects where id = ${project_id} for no key update`);
    const own = tables(tx).selectFrom('project_templates').where('project_id', '=', project_id);
    if (await own.select('id').where('key', '=', key).executeTakeFirst()) return 'key_taken';
    const { many } = await own.select(({ fn }) => fn.countAll<string>().as('many')).executeTakeFirstOrThrow();
    if (Number(many) >= MOST_PROJECT_TEMPLATES) return 'too_many';
    const json = { data_schema: JSON.stringify(data_schema), content: JSON.stringify(content), compiled: JSON.stringify(compiled) };
    await tables(tx)
      .insertInto('project_templates')
      .values({ ...template, ...(json as object) })
      .execute();
    return 'created';
  });
}

/** Which template it is, and which version of what it declares. */
export interface ProjectTemplateAt extends Pick<ProjectTemplateRow, 'id' | 'key'> {
  readonly schema_version: number;
}

/** Which templates have these keys now, of those that the project has made. `at`: with what they declared then; now when omitted. */
export async function projectTemplatesAt(
  em: EntityManager,
  projectId: string,
  keys: readonly string[],
  at?: Date,
): Promise<ProjectTemplateAt[]> {
  return rows(
    em,
    sql<ProjectTemplateAt>`
      select t.id, t.key, coalesce((
        select max(s.version) from project_template_schemas s where s.template_id = t.id and s.created_at <= coalesce(${at ?? null}::timestamptz, 'infinity')
      ), 1) as schema_version
      from project_templates t where t.project_id = ${projectId} and t.key = any(${keys}::text[])`,
  );
}

/** With what that version declares; undefined when there is none. */
export async function findProjectTemplate(
  em: EntityManager,
  { id, schema_version: version }: Pick<ProjectTemplateAt, 'id' | 'schema_version'>,
): Promise<ProjectTemplateRow | undefined> {
  const found = await tables(em).selectFrom('project_templates').selectAll().where('id', '=', id).executeTakeFirst();
  if (!found || version === 1) return found;
  const later = tables(em).selectFrom('project_template_schemas').select('data_schema').where('template_id', '=', id);
  const schema = await later.where('version', '=', version).executeTakeFirst();
  return schema && { ...found, ...schema };
}

/** What a template declares, by version. */
export interface StoredSchema {
  readonly version: number;
  readonly dataSchema: readonly DataField[];
}

/** The latest, with the template's row locked until the transaction ends. Undefined when the template is gone. */
export async function lockTemplateSchema(tx: EntityManager, id: string): Promise<StoredSchema | undefined> {
  const template = await row(
    tx,
    sql<Pick<ProjectTemplateRow, 'data_schema'>>`select data_schema from project_templates where id = ${id} for no key update`,
  );
  if (!template) return undefined;
  const versions = tables(tx).selectFrom('project_template_schemas').select(['version', 'data_schema']).where('template_id', '=', id);
  const later = await versions.orderBy('version', 'desc').limit(1).executeTakeFirst();
  const { version, data_schema: dataSchema } = later ?? { version: 1, ...template };
  return { version, dataSchema };
}

export async function insertTemplateSchema(tx: EntityManager, id: string, { version, dataSchema }: StoredSchema): Promise<void> {
  await tx.insert(ProjectTemplateSchema, { template_id: id, version, data_schema: dataSchema });
}

/** The project's own templates, without what they hold. */
export async function listProjectTemplates(
  em: EntityManager,
  projectId: string,
): Promise<Pick<ProjectTemplateRow, 'key' | 'type' | 'name' | 'description'>[]> {
  return tables(em)
    .selectFrom('project_templates')
    .select(['key', 'type', 'name', 'description'])
    .where('project_id', '=', projectId)
    .execute();
}

/** What it is called from now on, and what it is said to be for; null: as before. Undefined: the project has none of this key. */
export async function renameProjectTemplate(
  em: EntityManager,
  projectId: string,
  key: string,
  { name, description }: { readonly name: string | null; readonly description: string | null },
): Promise<Pick<ProjectTemplateRow, 'name' | 'description'> | undefined> {
  return row(
    em,
    sql<Pick<ProjectTemplateRow, 'name' | 'description'>>`
      update project_templates set name = coalesce(${name}, name), description = coalesce(${description}, description)
      where project_id = ${projectId} and key = ${key} returning name, description`,
  );
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
