import type { EntityManager } from '../../db/orm.ts';
import { retireLanguage } from '../../db/queries/templates/languages.ts';
import { type BrandTemplate, lockTemplateVersions } from '../../db/queries/templates/templates.ts';

/** Takes a language away from the mails that are made from now on. Whether there was any of it. Who saves a version meanwhile waits. */
export async function deleteLanguage(em: EntityManager, at: BrandTemplate & { readonly locale: string }): Promise<boolean> {
  return em.transactional(async (tx) => {
    await lockTemplateVersions(tx, at);
    return retireLanguage(tx, at);
  });
}
