import { type ExpressionBuilder, sql } from 'kysely';
import type { CompiledContent } from '../../../domain/templates/compiled-content.ts';
import type { Content } from '../../../domain/templates/content.ts';
import { DEFAULT_LANGUAGE } from '../../../domain/templates/languages.ts';
import type { TemplateSettingRow, TemplateVersionRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { row } from '../../rows.ts';
import { type Tables, tables } from '../../tables.ts';

/** One template as one brand sees it. */
export interface BrandTemplate {
  readonly projectId: string;
  readonly brand: string;
  readonly template: string;
  /** Of a template that the project has made by itself: what is written for it goes when it does. */
  readonly ownId?: string | undefined;
  /** BCP 47 in its usual spelling; undefined: the default. */
  readonly locale?: string | undefined;
}

/** What a brand has set, by template key. A template without a row is disabled and has nothing set. */
export async function listTemplateSettings(em: EntityManager, projectId: string, brand: string): Promise<TemplateSettingRow[]> {
  const ofProject = tables(em).selectFrom('template_settings').selectAll().where('project_id', '=', projectId);
  return ofProject.where('brand_id', '=', brand).execute();
}

export async function findTemplateSetting(em: EntityManager, at: BrandTemplate): Promise<TemplateSettingRow | undefined> {
  return tables(em).selectFrom('template_settings').selectAll().where(isAt(at)).executeTakeFirst();
}

/** The versions of one language of it. */
function isOfLanguage(at: BrandTemplate) {
  return ({ and }: ExpressionBuilder<Tables, 'template_versions'>) =>
    and({ project_id: at.projectId, brand_id: at.brand, template: at.template, locale: at.locale ?? DEFAULT_LANGUAGE });
}

/** The rows of one template of one brand. */
function isAt({ projectId, brand, template }: BrandTemplate) {
  return ({ and }: ExpressionBuilder<Tables, 'template_settings' | 'template_versions'>) =>
    and({ project_id: projectId, brand_id: brand, template });
}

export interface TemplateSettingChange {
  readonly enabled: boolean;
  /** undefined: unchanged. "" clears. */
  readonly subject: string | undefined;
  /** undefined: unchanged. null clears. */
  readonly from: { readonly email: string; readonly name: string | null } | null | undefined;
}

export async function upsertTemplateSetting(tx: EntityManager, at: BrandTemplate, change: TemplateSettingChange): Promise<void> {
  const { enabled, subject, from } = change;
  const set = {
    ...(subject === undefined ? {} : { subject }),
    ...(from === undefined ? {} : { from_email: from?.email ?? null, from_name: from?.name ?? null }),
    enabled,
  };
  await tables(tx)
    .insertInto('template_settings')
    .values({ project_id: at.projectId, brand_id: at.brand, template: at.template, ...set })
    .onConflict((of) => of.columns(['project_id', 'brand_id', 'template']).doUpdateSet({ ...set, updated_at: sql`now()` }))
    .execute();
}

export type StoredVersion = Pick<TemplateVersionRow, 'version' | 'content' | 'compiled' | 'subject'>;

/** Drafts of a template that stay to be read once others have replaced them. */
export const REPLACED_DRAFTS_KEPT = 10;

/** The draft and the published version, where there are any. The published version is the highest that is no draft. */
export async function findTemplateVersions(
  em: EntityManager,
  at: BrandTemplate,
): Promise<{ readonly draft: StoredVersion | undefined; readonly published: StoredVersion | undefined }> {
  const versions = tables(em)
    .selectFrom('template_versions')
    .select(['version', 'is_draft', 'content', 'compiled', 'subject'])
    .where(isOfLanguage(at));
  const found = await versions
    .where('replaced_at', 'is', null)
    .where('retired_at', 'is', null)
    .distinctOn('is_draft')
    .orderBy('is_draft')
    .orderBy('version', 'desc')
    .execute();
  return { draft: found.find(({ is_draft }) => is_draft), published: found.find(({ is_draft }) => !is_draft) };
}

/** One published version. Undefined when its brand is gone. */
export async function findPublished(
  em: EntityManager,
  at: BrandTemplate,
  version: number,
): Promise<Pick<StoredVersion, 'content' | 'compiled'> | undefined> {
  const published = tables(em).selectFrom('template_versions').select(['content', 'compiled']).where('is_draft', '=', false);
  return published.where(isAt(at)).where('version', '=', version).executeTakeFirst();
}

export interface NewTemplateVersion {
  readonly content: Content;
  readonly compiled: CompiledContent;
  /** false: replaces the draft. true: becomes the published version and removes the draft. */
  readonly publish: boolean;
  /** Liquid. A published one's becomes the brand's. undefined: a draft has none, and what is set stays. */
  readonly subject: string | undefined;
  /** Of a language that ships: its subject, while mails have that. */
  readonly shippedSubject?: string | undefined;
  /** Which key saves it. */
  readonly keyId: string;
}

/** Numbers of the latest version of all, and of the language alone; 0 when there is none. */
export interface LatestVersions {
  readonly ofAll: number;
  readonly ofLanguage: number;
}

/** Until the transaction ends nobody else saves a version of it, in whatever language. */
export async function lockTemplateVersions(tx: EntityManager, at: BrandTemplate): Promise<LatestVersions> {
  const name = JSON.stringify(['template', at.projectId, at.brand, at.template]);
  await row(tx, sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`);
  const versions = tables(tx).selectFrom('template_versions').where(isAt(at));
  const last = await versions
    .select(({ fn }) => [
      fn.max('version').as('all'),
      fn
        .max('version')
        .filterWhere('locale', '=', at.locale ?? DEFAULT_LANGUAGE)
        .filterWhere('retired_at', 'is', null)
        .as('language'),
    ])
    .executeTakeFirst();
  return { ofAll: last?.all ?? 0, ofLanguage: last?.language ?? 0 };
}

/** Writes a version under this number, in place of the draft. */
export async function insertTemplateVersion(
  tx: EntityManager,
  at: BrandTemplate,
  { version, ...saved }: NewTemplateVersion & { readonly version: number },
): Promise<void> {
  const locale = at.locale ?? DEFAULT_LANGUAGE;
  const of = { project_id: at.projectId, brand_id: at.brand, template: at.template, locale };
  await replaceDraft(tx, at, saved);
  const { content, compiled, publish, keyId } = saved;
  const subject = await subjectOf(tx, at, saved);
  if (publish && locale === DEFAULT_LANGUAGE) await changeSubject(tx, at, subject);
  // With parameters: the ORM writes every letter of hundreds of kilobytes into the statement.
  await tables(tx)
    .insertInto('template_versions')
    .values({
      ...{ ...of, version, is_draft: !publish, key_id: keyId },
      content: sql`${JSON.stringify(content)}`,
      compiled: sql`${JSON.stringify(compiled)}`,
      subject: publish && locale === DEFAULT_LANGUAGE ? null : (subject ?? null),
    })
    .execute();
}

/** A language keeps the subject that it has where another is not given; that of the default stands in its setting. */
async function subjectOf(
  tx: EntityManager,
  at: BrandTemplate,
  { publish, subject, shippedSubject = '' }: NewTemplateVersion,
): Promise<string | undefined> {
  if (subject !== undefined || !publish || at.locale === undefined) return subject;
  return (await findTemplateVersions(tx, at)).published?.subject ?? shippedSubject;
}

/** The draft goes. What it said stays to be read, unless that is just what is saved now. */
async function replaceDraft(tx: EntityManager, at: BrandTemplate, { content, subject }: NewTemplateVersion): Promise<void> {
  const isDraft = sql`project_id = ${at.projectId} and brand_id = ${at.brand} and template = ${at.template} and locale = ${at.locale ?? DEFAULT_LANGUAGE} and is_draft`;
  await row(
    tx,
    sql`
      delete from template_versions where ${isDraft} and replaced_at is null and retired_at is null
        and content = ${JSON.stringify(content)}::jsonb and subject is not distinct from ${subject ?? null}::text`,
  );
  await row(tx, sql`update template_versions set replaced_at = now() where ${isDraft} and replaced_at is null and retired_at is null`);
  await row(
    tx,
    sql`
      delete from template_versions where ${isDraft} and version <= (
        select version from template_versions where ${isDraft} order by version desc offset ${REPLACED_DRAFTS_KEPT} limit 1)`,
  );
}

/** Keeps the subject with the version that it was published with, and sets another where one is given. */
async function changeSubject(tx: EntityManager, at: BrandTemplate, subject: string | undefined): Promise<void> {
  const isIt = sql`project_id = ${at.projectId} and brand_id = ${at.brand} and template = ${at.template}`;
  const isDefault = sql`${isIt} and locale = ${DEFAULT_LANGUAGE}`;
  await row(
    tx,
    sql`
      update template_versions set subject = coalesce((select s.subject from template_settings s where ${isIt}), '')
      where ${isDefault} and version = (select max(version) from template_versions where ${isDefault} and not is_draft)`,
  );
  if (subject === undefined) return;
  await tables(tx)
    .insertInto('template_settings')
    .values({ project_id: at.projectId, brand_id: at.brand, template: at.template, enabled: false, subject })
    .onConflict((conflict) => conflict.columns(['project_id', 'brand_id', 'template']).doUpdateSet({ subject, updated_at: sql`now()` }))
    .execute();
}
