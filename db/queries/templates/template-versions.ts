import { type RawBuilder, sql } from 'kysely';
import { DEFAULT_LANGUAGE } from '../../../domain/templates/languages.ts';
import type { TemplateVersionRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { row, rows } from '../../rows.ts';
import type { BrandTemplate } from './templates.ts';

/** `published`: what mails say. `superseded`: what they said before. `replaced`: a draft that another version has replaced. */
export interface ListedTemplateVersion extends Pick<TemplateVersionRow, 'version' | 'created_at' | 'key_id'> {
  readonly state: 'draft' | 'published' | 'superseded' | 'replaced';
  /** Liquid; '' for the template's own. null: it was saved without one, or which it was is not kept. */
  readonly subject: string | null;
  /** See publicationOf; null of what was never published. */
  readonly publication: number | null;
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
      select ${LISTED} from ${numbered(at)} where version < coalesce(${before ?? null}::integer, 2147483647) order by version desc limit ${limit}`,
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
    >`select ${LISTED}, content from ${numbered(at)} where version = ${version}`,
  );
}

/** 1 for the first version that was published, 2 for the next. Published versions are deleted only with all others, so it stays what it is. */
export async function publicationOf(em: EntityManager, at: BrandTemplate, version: number): Promise<number> {
  const counted = sql<{ count: number }>`select count(*)::integer from ${ofBrand(at)} and not is_draft and version <= ${version}`;
  return (await row(em, counted))?.count ?? 0;
}

/** Each with its publication, and with the version that is published. Read once over all of them, however many a page has. */
function numbered(at: BrandTemplate): RawBuilder<unknown> {
  const publication = sql`case when not is_draft then (count(*) filter (where not is_draft) over (order by version))::integer end`;
  const published = sql`max(version) filter (where not is_draft) over ()`;
  return sql`(select *, ${publication} as publication, ${published} as published from ${ofBrand(at)}) v`;
}

/** Of one language. */
function ofBrand({ projectId, brand, template, locale = DEFAULT_LANGUAGE }: BrandTemplate): RawBuilder<unknown> {
  return sql`template_versions v where project_id = ${projectId} and brand_id = ${brand} and template = ${template} and locale = ${locale}`;
}

/** Of those that are no draft the highest is the published one, whose subject is the one that is set. */
const LISTED = sql`
  version, publication, created_at, key_id,
  case when replaced_at is not null then 'replaced' when is_draft then 'draft' when version < published then 'superseded' else 'published' end as state,
  case when is_draft or version < published or locale <> '' then subject else coalesce((
    select s.subject from template_settings s where (s.project_id, s.brand_id, s.template) = (v.project_id, v.brand_id, v.template)), '') end as subject`;
