import type { BrandRow } from '../db/entities/index.ts';
import type { EntityManager } from '../db/orm.ts';
import { brandExists, findBrand } from '../db/queries/projects/brands.ts';
import { invalidRequest, noBrand, noSuchBrand } from '../domain/errors.ts';
import type { KeyContext } from './route.ts';

/** Refuses a brand that a caller names and the project does not have. */
export async function requireBrand(em: EntityManager, projectId: string, slug: string | null | undefined): Promise<void> {
  if (slug && !(await brandExists(em, projectId, slug))) throw invalidRequest([noSuchBrand('brand')]);
}

/** The brand that a template route is about: the named one, else the project's default. */
export async function brandOf({ em, project }: KeyContext, slug: string | null | undefined): Promise<BrandRow> {
  const brand = await findBrand(em, project.id, slug ?? undefined);
  if (brand) return brand;
  if (slug && project.default_brand) throw invalidRequest([noSuchBrand('brand')]);
  throw noBrand();
}
