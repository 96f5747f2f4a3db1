import type { BrandRow } from '../entities/index.ts';
import { Brand } from '../entities/index.ts';
import type { EntityManager } from '../orm.ts';

/** The brand of this slug, or the project's default one. */
export async function findBrand(em: EntityManager, projectId: string, slug: string | undefined): Promise<BrandRow | undefined> {
  return (
    (await em.findOne(Brand, slug === undefined ? { project_id: projectId, is_default: true } : { project_id: projectId, slug })) ??
    undefined
  );
}
