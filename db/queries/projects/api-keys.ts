import { timingSafeEqual } from 'node:crypto';
import { sql } from 'kysely';
import { randomBase62, sha256 } from '../../../domain/projects/crypto.ts';
import { ApiKey, type ApiKeyRow, type BrandRow, type ProjectRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { preparedStatement } from '../../rows.ts';

/** The project as a request needs it: no secrets. */
export interface RequestProject extends Pick<ProjectRow, 'id' | 'slug' | 'status' | 'owner_email_verified' | 'sandbox' | 'executables'> {
  /** null: the project has no brand. */
  readonly default_brand: BrandRow['slug'] | null;
}

export interface KeyHolder {
  readonly keyId: ApiKeyRow['id'];
  readonly scopes: readonly string[];
  /** No mail that it asks for leaves. */
  readonly isTest: boolean;
  readonly project: RequestProject;
}

const [LIVE_PREFIX, TEST_PREFIX] = ['ep_live_', 'ep_test_'];
const PUBLIC_ID_LENGTH = 8;
const KEY = new RegExp(`^(?:${LIVE_PREFIX}|${TEST_PREFIX})([0-9A-Za-z]{${PUBLIC_ID_LENGTH}})_[0-9A-Za-z]{20,64}$`);
/** last_used_at is written at most this often a key: docs/contract/identity.md 10. */
const LAST_USED_EVERY_MS = 60_000;

interface KeyRow extends RequestProject, Pick<ApiKeyRow, 'public_id' | 'hash' | 'scopes' | 'is_test' | 'last_used_at'> {
  readonly key_id: ApiKeyRow['id'];
}

const HOLDERS = preparedStatement(sql<KeyRow>`
  select k.public_id, k.id as key_id, k.hash, k.scopes, k.is_test, k.last_used_at, p.id, p.slug, p.status, p.owner_email_verified, p.sandbox,
    p.executables, b.slug as default_brand
  from api_keys k join projects p on p.id = k.project_id left join brands b on b.project_id = p.id and b.is_default
  where k.public_id = any($1) and k.revoked_at is null`);

/** Asked on every request, so that a revoked key stops working on the very next one; several requests that come together ask once. */
export async function authenticate(
  em: EntityManager,
  keys: readonly (string | undefined)[],
  now: Date,
): Promise<readonly (KeyHolder | undefined)[]> {
  const publicIds = keys.map((key) => KEY.exec(key ?? '')?.[1]);
  const asked = [...new Set(publicIds.filter((id) => id !== undefined))];
  if (asked.length === 0) return keys.map(() => undefined);
  const found = new Map((await HOLDERS(em, [asked])).map((row) => [row.public_id, row]));
  const used = new Set<string>();
  const holders = keys.map((key, index) => {
    const row = found.get(publicIds[index] ?? '');
    if (!key || !row || !timingSafeEqual(row.hash, sha256(key))) return undefined;
    const { public_id: _, key_id, hash, scopes, is_test, last_used_at, ...project } = row;
    if (!last_used_at || now.getTime() - last_used_at.getTime() > LAST_USED_EVERY_MS) used.add(key_id);
    return { keyId: key_id, scopes, isTest: is_test, project };
  });
  if (used.size > 0) await em.nativeUpdate(ApiKey, { id: { $in: [...used] } }, { last_used_at: now });
  return holders;
}

export interface NewApiKey {
  readonly id: string;
  readonly projectId: string;
  readonly scopes: readonly string[];
  readonly name?: string | undefined;
  readonly isTest?: boolean;
}

/** The key itself is in the answer and nowhere else: only its SHA-256 is stored. */
export async function createApiKey(em: EntityManager, input: NewApiKey): Promise<{ id: string; key: string; scopes: readonly string[] }> {
  const publicId = randomBase62(8).slice(-PUBLIC_ID_LENGTH);
  const { id, projectId, scopes, name, isTest = false } = input;
  const key = `${isTest ? TEST_PREFIX : LIVE_PREFIX}${publicId}_${randomBase62(32)}`;
  const shown = { id, project_id: projectId, public_id: publicId, scopes: [...scopes], name: name ?? null, is_test: isTest };
  await em.insert(ApiKey, { ...shown, hash: sha256(key) });
  return { id, key, scopes };
}

/** Every key of the project without its hash, newest first. */
export async function listApiKeys(em: EntityManager, projectId: string): Promise<Omit<ApiKeyRow, 'hash'>[]> {
  const keys = await em.find(ApiKey, { project_id: projectId }, { orderBy: { created_at: 'desc' } });
  return keys.map(({ hash: _, ...shown }) => shown);
}

/** Whether there was such a key that still worked. */
export async function revokeApiKey(em: EntityManager, id: string, now: Date): Promise<boolean> {
  return (await em.nativeUpdate(ApiKey, { id, revoked_at: null }, { revoked_at: now })) === 1;
}
