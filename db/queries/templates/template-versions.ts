import { type RawBuilder, sql } from 'kysely';
import type { TemplateVersionRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { row, rows } from '../../rows.ts';
import type { BrandTemplate } from './templates.ts';

/** `published`: what mails say. `superseded`: what they said before. `replaced`: a draft that another version has replaced. */
export interface ListedTemplateVersion extends Pick<TemplateVersionRow, 'version' | 'created_at' | 'key_id'> {
  readonly state: 'draft' | 'published' | 'superseded' | 'replaced';
  /** Liquid; '' for the template's own. null: it was saved without one, or which it was is not kept. */
  readonly subject: string | null;
}

/** The latest first, of those before a version where one is given. */
export async function listTemplateVersions(
  em: EntityManager,
  at: BrandTemplate,
  { before, limit }: { readonly before: number | undefined; readonly limit: number },
): Promise<ListedTemplateVersion[]> {
  return rows(
    em,
    sql<ListedTemplateVersion>`
      select ${LISTED} from ${ofBrand(at)} and version < coalesce(${before ?? null}::integer, 2147483647) order by version desc limit ${limit}`,
  );
}

export async function findTemplateVersion(
  em: EntityManager,
  at: BrandTemplate,
  version: number,
): Promise<(ListedTemplateVersion & Pick<TemplateVersionRow, 'content'>) | undefined> {
  return row(
    em,
    sql<
      ListedTemplateVersion & Pick<TemplateVersionRow, 'content'>
    >`select ${LISTED}, content from ${ofBrand(at)} and version = ${version}`,
  );
}

function ofBrand({ projectId, brand, template }: BrandTemplate): RawBuilder<unknown> {
  return sql`template_versions v where project_id = ${projectId} and brand_id = ${brand} and template = ${template}`;
}

/** Of those that are no draft the highest is the published one, whose subject is the one that is set. */
const IS_SUPERSEDED = sql`exists (
  select 1 from template_versions later where (later.project_id, later.brand_id, later.template) = (v.project_id, v.brand_id, v.template)
    and later.version > v.version and not later.is_draft)`;

const LISTED = sql`
  version, created_at, key_id,
  case when replaced_at is not null then 'replaced' when is_draft then 'draft' when ${IS_SUPERSEDED} then 'superseded' else 'published' end as state,
  case when is_draft or ${IS_SUPERSEDED} then subject else coalesce((
    select s.subject from template_settings s where (s.project_id, s.brand_id, s.template) = (v.project_id, v.brand_id, v.template)), '') end as subject`;
