import { isDeepStrictEqual } from 'node:util';
import type { ProjectTemplateRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { insertTemplateSchema, lockTemplateSchema } from '../../db/queries/templates/project-templates.ts';
import { refuseStale } from '../../domain/errors.ts';
import type { DataField } from '../../domain/templates/registry-entry.ts';
import { deletedTemplate } from './hold-template.ts';

/**
 * Declares the variables anew, under the next version unless nothing is different. Of two calls at once one waits for the other. Answers with
 * the version that counts then. Throws `version_conflict`, and unknown_template when the template is gone.
 */
export async function saveTemplateSchema(
  em: EntityManager,
  { id, key }: Pick<ProjectTemplateRow, 'id' | 'key'>,
  dataSchema: readonly DataField[],
  ifVersion: number | undefined,
): Promise<number> {
  return em.transactional(async (tx) => {
    const before = await lockTemplateSchema(tx, id);
    if (!before) throw deletedTemplate(key);
    refuseStale('schema', before.version, ifVersion);
    if (isDeepStrictEqual(before.dataSchema, dataSchema)) return before.version;
    const version = before.version + 1;
    await insertTemplateSchema(tx, id, { version, dataSchema });
    return version;
  });
}
