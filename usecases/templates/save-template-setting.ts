import type { EntityManager } from '../../db/orm.ts';
import { type BrandTemplate, type TemplateSettingChange, upsertTemplateSetting } from '../../db/queries/templates/templates.ts';
import { holdTemplate } from './hold-template.ts';

/** Throws the 404 of a template that was deleted meanwhile. */
export async function saveTemplateSetting(em: EntityManager, at: BrandTemplate, change: TemplateSettingChange): Promise<void> {
  await em.transactional(async (tx) => {
    await holdTemplate(tx, at);
    await upsertTemplateSetting(tx, at, change);
  });
}
