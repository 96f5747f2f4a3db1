import { v7 as uuidv7 } from 'uuid';
import { Project } from '../db/entities/index.ts';
import { type EntityManager, openDatabase } from '../db/orm.ts';
import { setSendingDomain } from '../db/queries/domains/sending-domains.ts';
import { authenticate, createApiKey } from '../db/queries/projects/api-keys.ts';
import { setBrand } from '../db/queries/projects/brands.ts';
import { type ProjectSecrets, readProjectSecrets } from '../db/queries/projects/project-secrets.ts';
import { createProject } from '../db/queries/projects/projects.ts';
import { createVault, SealedWithOtherKey, type Vault } from '../domain/projects/crypto.ts';
import { otherSecretKey, type ReadyConfig } from '../platform/config.ts';
import type { Logger } from '../platform/logger.ts';
import { compileRegistry } from '../sending/compose/compile-registry.ts';
import { saveTemplateSetting } from '../usecases/templates/save-template-setting.ts';
import { DEMO_SLUG, keepDemoKey, keptDemoKey } from './demo-key.ts';

const DOMAIN = 'demo.example';

/** A project to try things in. */
export interface Demo extends ProjectSecrets {
  readonly key: string;
  /** Whether the key has been made just now, so that nobody has seen it. */
  readonly isNew: boolean;
}

/**
 * The demo project. Its key is the same at every start: it is kept in DATA_DIR, readable by its owner only. Throws ConfigError when the
 * secrets of the database were sealed with another key. `secretKeyFrom`: the variable or the file that the present one is from.
 */
export async function demoProject(config: ReadyConfig, log: Logger, secretKeyFrom: string): Promise<Demo> {
  return withSecrets(config, secretKeyFrom, async (em, vault) => {
    const kept = await keptDemoKey(config.dataDir);
    const holder = kept ? (await authenticate(em, [kept], new Date()))[0] : undefined;
    if (kept && holder) return { key: kept, isNew: false, ...(await readProjectSecrets(em, vault, holder.project.id)) };
    const project = await em.findOne(Project, { slug: DEMO_SLUG });
    const projectId = project?.id ?? (await makeProject(em, vault, config, log));
    const { key } = await createApiKey(em, { id: uuidv7(), projectId, scopes: ['*'], name: 'demo' });
    await keepDemoKey(config.dataDir, key);
    return { key, isNew: true, ...(await readProjectSecrets(em, vault, projectId)) };
  });
}

/** Throws ConfigError when the secrets of the database were sealed with another key than the present one. */
export async function requireOwnSecrets(config: ReadyConfig, secretKeyFrom: string): Promise<void> {
  await withSecrets(config, secretKeyFrom, async (em, vault) => {
    const [project] = await em.find(Project, {}, { orderBy: { id: 'asc' }, limit: 1 });
    if (project) await readProjectSecrets(em, vault, project.id);
  });
}

async function withSecrets<T>(
  config: ReadyConfig,
  secretKeyFrom: string,
  work: (em: EntityManager, vault: Vault) => Promise<T>,
): Promise<T> {
  const orm = await openDatabase({ url: config.databaseUrl, poolSize: 1, applicationName: 'everpost-start' });
  try {
    return await work(orm.em.fork(), createVault(config.secretKey, config.previousSecretKeys));
  } catch (error) {
    if (!(error instanceof SealedWithOtherKey)) throw error;
    throw otherSecretKey(secretKeyFrom);
  } finally {
    await orm.close();
  }
}

/** Everything that sending needs: a brand with a postal address, a verified domain, every template switched on. All or nothing. */
async function makeProject(em: EntityManager, vault: Vault, config: ReadyConfig, log: Logger): Promise<string> {
  const registry = await compileRegistry(config, log);
  const id = uuidv7();
  await em.transactional(async (tx) => {
    await createProject(tx, vault, {
      id,
      slug: DEMO_SLUG,
      name: 'Demo',
      from: `hello@${DOMAIN}`,
      fromName: 'Demo',
    });
    await setBrand(tx, id, DEMO_SLUG, { address: '1 Example Street, 12345 Exampletown', website: 'https://example.com' }, true);
    await setSendingDomain(tx, { id: uuidv7(), projectId: id, domain: DOMAIN, verified: true });
    for (const { key } of registry.list(DEMO_SLUG)) {
      await saveTemplateSetting(
        tx,
        { projectId: id, brand: DEMO_SLUG, template: key },
        { enabled: true, subject: undefined, from: undefined },
      );
    }
  });
  return id;
}
