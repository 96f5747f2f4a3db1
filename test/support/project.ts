import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { type EntityManager, type MikroORM, openDatabase } from '../../db/orm.ts';
import { setSendingDomain } from '../../db/queries/domains/sending-domains.ts';
import { createApiKey } from '../../db/queries/projects/api-keys.ts';
import { setBrand } from '../../db/queries/projects/brands.ts';
import { createProject } from '../../db/queries/projects/projects.ts';
import { createVault } from '../../domain/projects/crypto.ts';
import { afterFile } from './after-file.ts';
import { type Api, api } from './api.ts';
import { testEnvironment } from './environment.ts';
import type { Everpost } from './everpost.ts';

export interface TestProject {
  readonly id: string;
  readonly slug: string;
  readonly key: string;
  readonly keyId: string;
  readonly api: Api;
  /** Verified for sending; unique to this project. */
  readonly domain: string;
  readonly inboundId: string;
  readonly inboundSecret: string;
  readonly webhookSecret: string;
  /** An address that no other test uses. */
  address(name?: string): string;
  /** One more key. */
  newKey(scopes: readonly string[], isTest?: boolean): Promise<{ id: string; key: string; api: Api }>;
}

export interface ProjectOptions {
  readonly scopes?: readonly string[];
  readonly noBrand?: boolean;
  readonly ownerVerified?: boolean;
  /** The instance to make it in; the shared one when omitted. */
  readonly everpost?: Pick<Everpost, 'url' | 'databaseUrl'>;
}

const opened = new Map<string, Promise<MikroORM>>();

/** A fork on the shared database, or on another, which is closed after the test file. */
export async function database(url: string = testEnvironment().databaseUrl): Promise<EntityManager> {
  let orm = opened.get(url);
  if (!orm) {
    const opening = openDatabase({ url, poolSize: 2, patience: 100_000, applicationName: 'everpost-test' });
    orm = opening;
    opened.set(url, opening);
    if (url !== testEnvironment().databaseUrl)
      afterFile(async () => {
        opened.delete(url);
        await (await opening).close();
      });
  }
  return (await orm).em.fork();
}

/** A project with a brand, a verified sending domain and a key with every scope, unless told otherwise. */
export async function newProject(options: ProjectOptions = {}): Promise<TestProject> {
  const { apiUrl, databaseUrl, secretKey } = testEnvironment();
  const em = await database(options.everpost?.databaseUrl ?? databaseUrl);
  const baseUrl = options.everpost?.url ?? apiUrl;
  const slug = `p-${randomBytes(6).toString('hex')}`;
  const domain = `${slug}.example`;
  const { id, inboundId, inboundSecret, webhookSecret } = await createProject(em, createVault(Buffer.from(secretKey, 'base64')), {
    id: uuidv7(),
    slug,
    name: `Project ${slug}`,
    from: `hello@${domain}`,
    fromName: 'The Sender',
    withBrand: !options.noBrand,
    ownerVerified: options.ownerVerified ?? true,
  });
  if (!options.noBrand) await setBrand(em, id, slug, { address: '1 Test Street, Testville' }, true);
  await setSendingDomain(em, { id: uuidv7(), projectId: id, domain, verified: true });
  const newKey = async (scopes: readonly string[], isTest = false) => {
    const created = await createApiKey(em, { id: uuidv7(), projectId: id, scopes, isTest });
    return { id: created.id, key: created.key, api: api(created.key, baseUrl) };
  };
  const key = await newKey(options.scopes ?? ['*']);
  return {
    ...{ id, slug, domain, inboundId, inboundSecret, webhookSecret, newKey },
    ...{ key: key.key, keyId: key.id, api: key.api },
    address: (name = 'person') => `${name}-${randomBytes(5).toString('hex')}@to.${domain}`,
  };
}
