import { timingSafeEqual } from 'node:crypto';
import { sql } from 'kysely';
import { MOST_KEYS } from '../../../domain/projects/api-key.ts';
import { randomBase62, sha256 } from '../../../domain/projects/crypto.ts';
import { ApiKey, type ApiKeyRow, type BrandRow, type ProjectRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { preparedStatement, row } from '../../rows.ts';

/** The project as a request needs it: no secrets. */
export interface RequestProject
  extends Pick<
    ProjectRow,
    'id' | 'slug' | 'status' | 'owner_email_verified' | 'sandbox' | 'executables' | 'campaign_approval' | 'send_window'
  > {
  /** null: the project has no brand. */
  readonly default_brand: BrandRow['slug'] | null;
  /** Some brand asks who signs up to confirm. */
  readonly has_double_opt_in: boolean;
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

/** A key that works, with its project. */
export interface HolderRow extends RequestProject, Pick<ApiKeyRow, 'scopes' | 'is_test'> {
  readonly key_id: ApiKeyRow['id'];
  readonly key_used_at: ApiKeyRow['last_used_at'];
}

interface KeyRow extends HolderRow, Pick<ApiKeyRow, 'public_id' | 'hash'> {}

/** The columns of a HolderRow and where they are from: `k` is the key. */
export const HOLDER = sql`
    k.id as key_id, k.scopes, k.is_test, k.last_used_at as key_used_at, p.id, p.slug, p.status, p.owner_email_verified, p.sandbox,
    p.executables, p.campaign_approval, p.send_window, b.slug as default_brand,
    exists (select 1 from brands o where o.project_id = p.id and o.double_opt_in) as has_double_opt_in
  from api_keys k join projects p on p.id = k.project_id left join brands b on b.project_id = p.id and b.is_default`;

const HOLDERS = preparedStatement(sql<KeyRow>`
  select k.public_id, k.hash, ${HOLDER} where k.public_id = any($1) and k.revoked_at is null`);

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
    const { public_id: _, hash: __, ...holder } = row;
    if (isUseToNote(row.key_used_at, now)) used.add(row.key_id);
    return holderOf(holder);
  });
  if (used.size > 0) await noteKeyUse(em, [...used], now);
  return holders;
}

/** Whether a use is written down: when the last that was is a while ago. */
export function isUseToNote(last: Date | null, now: Date): boolean {
  return !last || now.getTime() - last.getTime() > LAST_USED_EVERY_MS;
}

export async function noteKeyUse(em: EntityManager, ids: readonly string[], now: Date): Promise<void> {
  await em.nativeUpdate(ApiKey, { id: { $in: [...ids] } }, { last_used_at: now });
}

export function holderOf({ key_id: keyId, key_used_at: _, scopes, is_test: isTest, ...project }: HolderRow): KeyHolder {
  return { keyId, scopes, isTest, project };
}

export interface NewApiKey {
  readonly id: string;
  readonly projectId: string;
  readonly scopes: readonly string[];
  readonly name?: string | undefined;
  readonly isTest?: boolean;
  /** The key that makes it; an operator when omitted. */
  readonly madeBy?: string;
}

/** The key itself is in the answer and nowhere else: only its SHA-256 is stored. */
export async function createApiKey(em: EntityManager, input: NewApiKey): Promise<{ id: string; key: string; scopes: readonly string[] }> {
  const publicId = randomBase62(8).slice(-PUBLIC_ID_LENGTH);
  const { id, projectId, scopes, name, isTest = false, madeBy = null } = input;
  const key = `${isTest ? TEST_PREFIX : LIVE_PREFIX}${publicId}_${randomBase62(32)}`;
  const shown = {
    id,
    project_id: projectId,
    public_id: publicId,
    scopes: [...scopes],
    name: name ?? null,
    is_test: isTest,
    made_by: madeBy,
  };
  await em.insert(ApiKey, { ...shown, hash: sha256(key) });
  return { id, key, scopes };
}

/** Whether the key still works, and will until the transaction ends: whoever makes or revokes keys of its project waits. */
export async function holdWorkingKey(tx: EntityManager, projectId: string, id: string): Promise<boolean> {
  await row(tx, sql`select 1 from projects where id = ${projectId} for no key update`);
  return (await tx.count(ApiKey, { id, project_id: projectId, revoked_at: null })) === 1;
}

/** Whether the project has as many keys that work as it may. Right only while `holdWorkingKey` holds. */
export async function hasMostKeys(tx: EntityManager, projectId: string): Promise<boolean> {
  return (await tx.count(ApiKey, { project_id: projectId, revoked_at: null })) >= MOST_KEYS;
}

/** Every key of the project without its hash, newest first. */
export async function listApiKeys(em: EntityManager, projectId: string): Promise<Omit<ApiKeyRow, 'hash'>[]> {
  const keys = await em.find(ApiKey, { project_id: projectId }, { orderBy: { created_at: 'desc' } });
  return keys.map(({ hash: _, ...shown }) => shown);
}

/** Whether there was such a key that still worked. */
export async function revokeApiKey(em: EntityManager, id: string, now: Date): Promise<boolean> {
  return em.transactional(async (tx) => {
    // What the key itself is making at this moment is made before, or not at all.
    await row(tx, sql`select 1 from projects where id = (select project_id from api_keys where id = ${id}) for no key update`);
    return (await tx.nativeUpdate(ApiKey, { id, revoked_at: null }, { revoked_at: now })) === 1;
  });
}
