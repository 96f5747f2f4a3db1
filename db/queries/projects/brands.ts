import { sql } from 'kysely';
import type { BrandRow } from '../../entities/index.ts';
import { Brand } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { row } from '../../rows.ts';
import { tables } from '../../tables.ts';

/** The brand of this slug, or the project's default one. */
export async function findBrand(em: EntityManager, projectId: string, slug: string | undefined): Promise<BrandRow | undefined> {
  return (
    (await em.findOne(Brand, slug === undefined ? { project_id: projectId, is_default: true } : { project_id: projectId, slug })) ??
    undefined
  );
}

/** The project's brands, the default one first. */
export async function listBrands(em: EntityManager, projectId: string): Promise<BrandRow[]> {
  return em.find(Brand, { project_id: projectId }, { orderBy: { is_default: 'desc', slug: 'asc' } });
}

/** What a brand's record shows; brand_id of every other record is `slug`. */
export interface BrandFields {
  readonly name?: string | undefined;
  readonly from_email?: string | undefined;
  readonly from_name?: string | undefined;
  readonly reply_to?: string | undefined;
  readonly logo_url?: string | undefined;
  readonly color?: string | undefined;
  readonly address?: string | undefined;
  readonly website?: string | undefined;
  readonly track_transactional?: boolean | undefined;
}

/** Creates the brand or updates the given fields; the first brand of a project becomes its default. */
export async function setBrand(
  em: EntityManager,
  projectId: string,
  slug: string,
  fields: BrandFields,
  makeDefault: boolean,
): Promise<BrandRow> {
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  return em.transactional(async (tx) => {
    // Two commands at once must not make two defaults.
    await row(tx, sql`select 1 from projects where id = ${projectId} for update`);
    const hasDefault = (await tx.count(Brand, { project_id: projectId, is_default: true })) > 0;
    const becomesDefault = makeDefault || !hasDefault;
    if (becomesDefault) await tx.nativeUpdate(Brand, { project_id: projectId, is_default: true }, { is_default: false });
    const changed = { ...given, ...(becomesDefault ? { is_default: true } : {}) };
    const exists = (await tx.count(Brand, { project_id: projectId, slug })) > 0;
    if (!exists) await tx.insert(Brand, { project_id: projectId, slug, name: slug, ...changed });
    else if (Object.keys(changed).length > 0) await tx.nativeUpdate(Brand, { project_id: projectId, slug }, changed);
    return tx.findOneOrFail(Brand, { project_id: projectId, slug }, { refresh: true });
  });
}

export async function brandExists(em: EntityManager, projectId: string, slug: string): Promise<boolean> {
  return (await em.count(Brand, { project_id: projectId, slug })) > 0;
}

export async function brandSlugs(em: EntityManager, projectId: string): Promise<string[]> {
  const found = await tables(em).selectFrom('brands').select('slug').where('project_id', '=', projectId).execute();
  return found.map(({ slug }) => slug);
}
