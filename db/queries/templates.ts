import { sql } from 'kysely';
import type { CompiledContent } from '../../domain/template/compile.ts';
import type { Content } from '../../domain/template/content.ts';
import type { TemplateSettingRow } from '../entities/index.ts';
import type { EntityManager } from '../orm.ts';
import { row, rows } from '../rows.ts';

/** One template as one brand sees it. */
export interface BrandTemplate {
  readonly projectId: string;
  readonly brand: string;
  readonly template: string;
}

/** What a brand has set, by template key. A template without a row is disabled and has nothing set. */
export async function listTemplateSettings(em: EntityManager, projectId: string, brand: string): Promise<TemplateSettingRow[]> {
  return rows(em, sql<TemplateSettingRow>`select * from template_settings where project_id = ${projectId} and brand_id = ${brand}`);
}

export async function findTemplateSetting(em: EntityManager, at: BrandTemplate): Promise<TemplateSettingRow | undefined> {
  return row(
    em,
    sql<TemplateSettingRow>`select * from template_settings
      where project_id = ${at.projectId} and brand_id = ${at.brand} and template = ${at.template}`,
  );
}

export interface TemplateSettingChange {
  readonly enabled: boolean;
  /** undefined: unchanged. "" clears. */
  readonly subject: string | undefined;
  /** undefined: unchanged. null clears. */
  readonly from: { readonly email: string; readonly name: string | null } | null | undefined;
}

export async function saveTemplateSetting(em: EntityManager, at: BrandTemplate, change: TemplateSettingChange): Promise<void> {
  const { enabled, subject, from } = change;
  await row(
    em,
    sql`insert into template_settings as s (project_id, brand_id, template, enabled, subject, from_email, from_name)
        values (${at.projectId}, ${at.brand}, ${at.template}, ${enabled}, ${subject ?? ''}, ${from?.email ?? null}, ${from?.name ?? null})
        on conflict (project_id, brand_id, template) do update set
          enabled = excluded.enabled,
          subject = case when ${subject !== undefined} then excluded.subject else s.subject end,
          from_email = case when ${from !== undefined} then excluded.from_email else s.from_email end,
          from_name = case when ${from !== undefined} then excluded.from_name else s.from_name end,
          updated_at = now()`,
  );
}

export interface TemplateVersion {
  readonly version: number;
  readonly content: Content;
  readonly compiled: CompiledContent;
}

/** The draft and the published version, where there are any. The published version is the highest that is no draft. */
export async function findTemplateVersions(
  em: EntityManager,
  at: BrandTemplate,
): Promise<{ readonly draft: TemplateVersion | undefined; readonly published: TemplateVersion | undefined }> {
  const found = await rows(
    em,
    sql<TemplateVersion & { is_draft: boolean }>`
      select distinct on (is_draft) version, is_draft, content, compiled from template_versions
      where project_id = ${at.projectId} and brand_id = ${at.brand} and template = ${at.template}
      order by is_draft, version desc`,
  );
  return { draft: found.find(({ is_draft }) => is_draft), published: found.find(({ is_draft }) => !is_draft) };
}

/** One published version. Undefined when its brand is gone. */
export async function findPublished(
  em: EntityManager,
  at: BrandTemplate,
  version: number,
): Promise<Pick<TemplateVersion, 'content' | 'compiled'> | undefined> {
  return row(
    em,
    sql<Pick<TemplateVersion, 'content' | 'compiled'>>`select content, compiled from template_versions
      where project_id = ${at.projectId} and brand_id = ${at.brand} and template = ${at.template} and version = ${version} and not is_draft`,
  );
}

export interface NewTemplateVersion {
  readonly content: Content;
  readonly compiled: CompiledContent;
  /** false: replaces the draft. true: becomes the published version and removes the draft. */
  readonly publish: boolean;
}

/**
 * Saves content under the next number. Of two calls at once one waits for the other, so both get a number and the later
 * one wins; running work keeps the published version that it has pinned.
 */
export async function saveTemplateVersion(em: EntityManager, at: BrandTemplate, saved: NewTemplateVersion): Promise<number> {
  return em.transactional(async (tx) => {
    const name = JSON.stringify(['template', at.projectId, at.brand, at.template]);
    await row(tx, sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`);
    const last = await row(
      tx,
      sql<{ version: number }>`select max(version) as version from template_versions
        where project_id = ${at.projectId} and brand_id = ${at.brand} and template = ${at.template}`,
    );
    const version = (last?.version ?? 0) + 1;
    await row(
      tx,
      sql`delete from template_versions
        where project_id = ${at.projectId} and brand_id = ${at.brand} and template = ${at.template} and is_draft`,
    );
    await row(
      tx,
      sql`insert into template_versions (project_id, brand_id, template, version, is_draft, content, compiled)
        values (${at.projectId}, ${at.brand}, ${at.template}, ${version}, ${!saved.publish},
                ${JSON.stringify(saved.content)}::jsonb, ${JSON.stringify(saved.compiled)}::jsonb)`,
    );
    return version;
  });
}

/** The project's domains that senders may be on. */
export async function verifiedDomains(em: EntityManager, projectId: string): Promise<string[]> {
  const found = await rows(em, sql<{ domain: string }>`select domain from sending_domains where project_id = ${projectId} and verified`);
  return found.map(({ domain }) => domain);
}
