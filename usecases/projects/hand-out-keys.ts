import type { EntityManager } from '../../db/orm.ts';
import { type ApiKeyRecord, findApiKey } from '../../db/queries/projects/administration.ts';
import { createApiKey, hasMostKeys, holdWorkingKey, revokeApiKey } from '../../db/queries/projects/api-keys.ts';
import { notFound, Refusal } from '../../domain/errors.ts';
import { MOST_KEYS } from '../../domain/projects/api-key.ts';
import { areReadsNamed, beyond, type Scope } from '../../domain/projects/scopes.ts';

/** The key that makes and revokes others: those that may no more than itself. docs/contract/identity.md 25 to 29. */
export interface HandingKey {
  readonly id: string;
  readonly projectId: string;
  readonly scopes: readonly string[];
  readonly isTest: boolean;
}

export interface HandedKey {
  readonly id: string;
  readonly name: string | undefined;
  readonly scopes: readonly (Scope | '*')[];
  readonly isTest: boolean;
}

/** Makes a key; `secret` is the key itself, which is nowhere else. Throws forbidden, too_many_keys, and unauthorized once `by` is revoked. */
export async function makeKey(em: EntityManager, by: HandingKey, asked: HandedKey): Promise<{ key: ApiKeyRecord; secret: string }> {
  if (by.isTest && !asked.isTest) throw new Refusal('forbidden', 'a test key (ep_test_…) makes test keys only: ask with `isTest: true`');
  const more = beyond(asked.scopes, by.scopes);
  if (more.length > 0) throw new Refusal('forbidden', tooMuch(asked.scopes, more));
  return em.transactional(async (tx) => {
    await holdOrRefuse(tx, by);
    if (await hasMostKeys(tx, by.projectId)) {
      throw new Refusal('too_many_keys', `a project has at most ${MOST_KEYS} active keys; revoke unused ones`);
    }
    const { id, key } = await createApiKey(tx, { ...asked, projectId: by.projectId, madeBy: by.id });
    return { key: (await findApiKey(tx, id)) ?? notFound('key'), secret: key };
  });
}

/** Ends a key with its next request, and its sessions of the console; one that was revoked before stays so. Throws not_found and forbidden. */
export async function revokeKey(em: EntityManager, by: HandingKey, id: string, now: Date): Promise<ApiKeyRecord> {
  return em.transactional(async (tx) => {
    await holdOrRefuse(tx, by);
    const found = await findApiKey(tx, id);
    if (found?.project_id !== by.projectId) return notFound('key');
    if (by.isTest && !found.is_test) throw new Refusal('forbidden', 'a test key (ep_test_…) revokes test keys only');
    const more = beyond(found.scopes, by.scopes);
    if (more.length > 0)
      throw new Refusal('forbidden', `that key can do more than this one (${more.join(', ')}); use a key with at least the same scopes`);
    await revokeApiKey(tx, id, now);
    return (await findApiKey(tx, id)) ?? notFound('key');
  });
}

/** Between the request's check of its key and now somebody may have revoked it, so as to end what it does. */
async function holdOrRefuse(tx: EntityManager, by: HandingKey): Promise<void> {
  if (!(await holdWorkingKey(tx, by.projectId, by.id))) throw new Refusal('unauthorized', 'this API key was revoked');
}

function tooMuch(asked: readonly string[], more: readonly string[]): string {
  const isByReading = !areReadsNamed(asked) && more.every((scope) => scope.endsWith(':read') && !asked.includes(scope));
  return isByReading
    ? `without a reading scope the new key would read more than this one (${more.join(', ')}); name what it is to read, like templates:read`
    : `a key gives no more than it has; this one lacks ${more.join(', ')}`;
}
