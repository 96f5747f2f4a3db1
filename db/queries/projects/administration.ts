import type { ApiKeyRow, ProjectRow } from '../../entities/index.ts';
import { ApiKey, Project } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';

/** A project's columns without its secrets. */
export type ProjectRecord = Omit<ProjectRow, 'sealed_link_secret' | 'sealed_inbound_secret' | 'sealed_webhook_secret'>;
export type ApiKeyRecord = Omit<ApiKeyRow, 'hash'>;

/** The project of this slug; undefined when there is none. */
export async function findProjectBySlug(em: EntityManager, slug: string): Promise<ProjectRecord | undefined> {
  const project = await em.findOne(Project, { slug });
  return project ? withoutSecrets(project) : undefined;
}

/** All projects, oldest first. */
export async function listProjects(em: EntityManager): Promise<ProjectRecord[]> {
  return (await em.find(Project, {}, { orderBy: { created_at: 'asc', id: 'asc' } })).map(withoutSecrets);
}

/** What an operator decides about a project. */
export type ProjectChange = Partial<Pick<ProjectRow, 'status' | 'owner_email_verified' | 'sandbox' | 'executables' | 'campaign_approval'>>;

/** What a project decides about itself. */
export type ProjectSettings = Partial<Pick<ProjectRow, 'campaign_bounce_limit' | 'campaign_complaint_limit' | 'send_window'>>;

export async function updateProject(tx: EntityManager, id: string, change: ProjectChange | ProjectSettings): Promise<void> {
  await tx.nativeUpdate(Project, { id }, change);
}

/** The project as it is stored now. */
export async function readProject(em: EntityManager, id: string): Promise<ProjectRecord> {
  return withoutSecrets(await em.findOneOrFail(Project, { id }, { refresh: true }));
}

/** The key without its hash; undefined when there is none. */
export async function findApiKey(em: EntityManager, id: string): Promise<ApiKeyRecord | undefined> {
  const key = await em.findOne(ApiKey, { id }, { refresh: true });
  if (!key) return undefined;
  const { hash: _, ...record } = key;
  return record;
}

function withoutSecrets(project: ProjectRow): ProjectRecord {
  const { sealed_link_secret: _link, sealed_inbound_secret: _inbound, sealed_webhook_secret: _webhook, ...record } = project;
  return record;
}
