import { type RawBuilder, sql } from 'kysely';
import type { LanguageVersion } from '../../../domain/templates/languages.ts';
import type { TemplateVersionRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { row, rows } from '../../rows.ts';
import type { BrandTemplate } from './templates.ts';

interface Operands {
  readonly projectId: RawBuilder<unknown>;
  readonly brand: RawBuilder<unknown>;
  readonly template: RawBuilder<unknown>;
}

/** What a template says in each language, as JSON by its tag; null where it has the default alone. */
export function publishedLanguages({ projectId, brand, template }: Operands): RawBuilder<Readonly<Record<string, LanguageVersion>> | null> {
  return sql`(
    select json_object_agg(l.locale, json_build_object('version', l.version, 'subject', coalesce(l.subject, ''))) from (
      select distinct on (v.locale) v.locale, v.version, v.subject from template_versions v
      where v.project_id = ${projectId} and v.brand_id = ${brand} and v.template = ${template} and v.locale <> '' and not v.is_draft
        and v.retired_at is null order by v.locale, v.version desc) l)`;
}

/** A version of a language. */
export interface LanguageState extends Pick<TemplateVersionRow, 'version' | 'created_at'> {
  /** Liquid; '' for that of the default. null: a draft that was saved without. */
  readonly subject: string | null;
}

/** What a brand has of a template in one language. */
export interface TemplateLanguage {
  readonly locale: string;
  readonly draft: LanguageState | null;
  readonly published: LanguageState | null;
}

/** By their tags, the default ('') first where it has any. */
export async function listLanguages(em: EntityManager, { projectId, brand, template }: BrandTemplate): Promise<TemplateLanguage[]> {
  const found = await rows(
    em,
    sql<{ locale: string; is_draft: boolean } & LanguageState>`
      select distinct on (locale, is_draft) locale, is_draft, version, created_at, subject from template_versions
      where project_id = ${projectId} and brand_id = ${brand} and template = ${template} and replaced_at is null and retired_at is null
      order by locale, is_draft, version desc`,
  );
  const languages = new Map<string, { locale: string; draft: LanguageState | null; published: LanguageState | null }>();
  for (const { locale, is_draft, ...state } of found) {
    const language = languages.get(locale) ?? { locale, draft: null, published: null };
    language[is_draft ? 'draft' : 'published'] = state;
    languages.set(locale, language);
  }
  return [...languages.values()];
}

/** The content that each language has published, by its tag. */
export async function publishedContents(
  em: EntityManager,
  { projectId, brand, template }: BrandTemplate,
): Promise<ReadonlyMap<string, TemplateVersionRow['content']>> {
  const found = await rows(
    em,
    sql<Pick<TemplateVersionRow, 'locale' | 'content'>>`
      select distinct on (locale) locale, content from template_versions
      where project_id = ${projectId} and brand_id = ${brand} and template = ${template} and not is_draft
        and replaced_at is null and retired_at is null
      order by locale, version desc`,
  );
  return new Map(found.map(({ locale, content }) => [locale, content]));
}

/** Takes a language away from the mails that are made from now on; what runs keeps what it has pinned. Whether there was any of it. */
export async function retireLanguage(
  tx: EntityManager,
  { projectId, brand, template, locale }: BrandTemplate & { readonly locale: string },
): Promise<boolean> {
  const retired = await row(
    tx,
    sql`
      with language as (
        update template_versions set retired_at = now()
        where project_id = ${projectId} and brand_id = ${brand} and template = ${template} and locale = ${locale} and retired_at is null returning 1)
      select 1 from language limit 1`,
  );
  return retired !== undefined;
}
