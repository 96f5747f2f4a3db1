import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { Contact, Send, type SendRow } from '../../db/entities/index.ts';
import { type EntityManager, type MikroORM, openDatabase } from '../../db/orm.ts';
import { createProject } from '../../db/queries/projects/projects.ts';
import { row } from '../../db/rows.ts';
import { createVault } from '../../domain/projects/crypto.ts';
import { afterFile } from './after-file.ts';
import { createMigrated } from './databases.ts';
import { testEnvironment } from './environment.ts';
import { type TcpProxy, tcpProxy } from './tcp-proxy.ts';

/** A migrated database that no process works on: what a test writes stays as it is. Closed after the test file. */
export async function ownDatabase(): Promise<MikroORM> {
  const url = await createMigrated(testEnvironment().databaseUrl);
  const orm = await openDatabase({ url, poolSize: 4, patience: 30_000, applicationName: 'everpost-test' });
  afterFile(() => orm.close());
  return orm;
}

/**
 * Before many rows are written to a database that no worker looks at: no index gets a long list of new entries, which would be read for each search, as
 * none has for long where a worker merges them.
 */
export async function keepSearchEntriesFew(em: EntityManager): Promise<void> {
  for (const index of ['contacts_columns_idx', 'contacts_project_tags_idx', 'sends_stranger_trigrams_idx'])
    await row(em, sql`alter index ${sql.ref(index)} set (gin_pending_list_limit = 256)`);
}

/** The same database through a door that can be shut. Closed after the test file. */
export async function throughDoor(own: MikroORM): Promise<{ readonly door: TcpProxy; readonly em: EntityManager }> {
  const url = new URL(own.config.get('clientUrl') as string);
  const door = await tcpProxy(url.host);
  afterFile(() => door.close());
  url.host = door.address;
  const orm = await openDatabase({ url: url.href, poolSize: 4, patience: 30_000, applicationName: 'everpost-test' });
  afterFile(() => orm.close());
  return { door, em: orm.em.fork() };
}

/** A project with a brand, for rows that need one. */
export async function bareProject(em: EntityManager): Promise<{ id: string; slug: string }> {
  const slug = `p-${randomBytes(6).toString('hex')}`;
  const { id } = await createProject(em, createVault(randomBytes(32)), { id: uuidv7(), slug });
  return { id, slug };
}

/** A mail that went out to a contact of its own, a day ago unless told. */
export async function bareSend(em: EntityManager, project: { id: string; slug: string }, fields: Partial<SendRow> = {}): Promise<SendRow> {
  const [id, contactId] = [fields.id ?? uuidv7(), uuidv7()];
  const email = `${id}@to.example`;
  await em.insert(Contact, { id: contactId, project_id: project.id, email, status: 'subscribed', brand_id: project.slug });
  const aDayAgo = new Date(Date.now() - 86_400_000);
  const times = { opened_at: aDayAgo, closed_at: aDayAgo, created_at: aDayAgo };
  const mail = { to_email: email, template: 'welcome', type: 'marketing', source_type: 'api', status: 'sent' } as const;
  await em.insert(Send, { id, project_id: project.id, brand_id: project.slug, contact_id: contactId, ...mail, ...times, ...fields });
  return em.fork().findOneOrFail(Send, { id });
}
