import { timingSafeEqual } from 'node:crypto';
import { sql } from 'kysely';
import { randomBase62, sha256 } from '../../domain/crypto.ts';
import { ApiKey, type ApiKeyRow } from '../entities/index.ts';
import type { EntityManager } from '../orm.ts';
import { hotRow } from '../rows.ts';

/** The project as a request needs it: no secrets. */
export interface RequestProject {
  readonly id: string;
  readonly slug: string;
  readonly status: 'active' | 'suspended';
  readonly owner_email_verified: boolean;
  /** undefined: the project has no brand. */
  readonly default_brand: string | null;
}

export interface KeyHolder {
  readonly scopes: readonly string[];
  readonly project: RequestProject;
}

const PREFIX = 'ep_live_';
const PUBLIC_ID_LENGTH = 8;
const KEY = new RegExp(`^${PREFIX}([0-9A-Za-z]{${PUBLIC_ID_LENGTH}})_[0-9A-Za-z]{20,64}$`);
/** last_used_at is written at most this often a key: decisions.md 2. */
const LAST_USED_EVERY_MS = 60_000;

/** Asked on every request, so that a revoked key stops working on the very next one. */
export async function authenticate(em: EntityManager, key: string | undefined, now: Date): Promise<KeyHolder | undefined> {
  const publicId = KEY.exec(key ?? '')?.[1];
  if (!key || !publicId) return undefined;
  const found = await hotRow(
    em,
    sql<RequestProject & { key_id: string; hash: Buffer; scopes: string[]; last_used_at: Date | null }>`
      select k.id as key_id, k.hash, k.scopes, k.last_used_at, p.id, p.slug, p.status, p.owner_email_verified, b.slug as default_brand
      from api_keys k join projects p on p.id = k.project_id left join brands b on b.project_id = p.id and b.is_default
      where k.public_id = ${publicId} and k.revoked_at is null`,
  );
  if (!found || !timingSafeEqual(found.hash, sha256(key))) return undefined;
  const { key_id, hash: _, scopes, last_used_at, ...project } = found;
  if (!last_used_at || now.getTime() - last_used_at.getTime() > LAST_USED_EVERY_MS) {
    await em.nativeUpdate(ApiKey, { id: key_id }, { last_used_at: now });
  }
  return { scopes, project };
}

/** The key itself is in the answer and nowhere else: only its SHA-256 is stored. */
export async function createApiKey(
  em: EntityManager,
  input: { readonly id: string; readonly projectId: string; readonly scopes: readonly string[]; readonly name?: string | undefined },
): Promise<{ id: string; key: string; scopes: readonly string[] }> {
  const publicId = randomBase62(8).slice(-PUBLIC_ID_LENGTH);
  const key = `${PREFIX}${publicId}_${randomBase62(32)}`;
  const { id, projectId, scopes, name } = input;
  await em.insert(ApiKey, { id, project_id: projectId, public_id: publicId, hash: sha256(key), scopes: [...scopes], name: name ?? null });
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
