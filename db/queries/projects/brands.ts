import { sql } from 'kysely';
import { withoutUndefined } from '../../../domain/without-undefined.ts';
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

/** What a brand's record shows, null where there is none; brand_id of every other record is `slug`. */
export interface BrandFields {
  readonly name?: string | undefined;
  readonly from_email?: string | null | undefined;
  readonly from_name?: string | null | undefined;
  readonly reply_to?: string | null | undefined;
  readonly logo_url?: string | null | undefined;
  readonly color?: string | null | undefined;
  readonly address?: string | null | undefined;
  readonly website?: string | null | undefined;
  readonly track_transactional?: boolean | undefined;
  readonly double_opt_in?: boolean | undefined;
  readonly confirm_template?: string | null | undefined;
  readonly confirm_reminders?: number[] | undefined;
  readonly confirm_prune_days?: number | null | undefined;
}

/** Creates the brand or updates the given fields; the first brand of a project becomes its default. undefined: it would be one more than `most`. */
export async function setBrand(
  em: EntityManager,
  projectId: string,
  slug: string,
  fields: BrandFields,
  makeDefault: boolean,
  most = Number.POSITIVE_INFINITY,
): Promise<BrandRow | undefined> {
  const given = withoutUndefined(fields);
  return em.transactional(async (tx) => {
    // Two commands at once must not make two defaults.
    await row(tx, sql`select 1 from projects where id = ${projectId} for update`);
    const exists = (await tx.count(Brand, { project_id: projectId, slug })) > 0;
    if (!exists && (await tx.count(Brand, { project_id: projectId })) >= most) return undefined;
    const hasDefault = (await tx.count(Brand, { project_id: projectId, is_default: true })) > 0;
    const becomesDefault = makeDefault || !hasDefault;
    if (becomesDefault) await tx.nativeUpdate(Brand, { project_id: projectId, is_default: true }, { is_default: false });
    const changed = { ...given, ...(becomesDefault ? { is_default: true } : {}) };
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
