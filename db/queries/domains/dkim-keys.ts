import { sql } from 'kysely';
import type { KeyTurn } from '../../../domain/domains/key-turns.ts';
import { DkimKey, type DkimKeyRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { rows } from '../../rows.ts';

/** All keys of a domain, the oldest first. */
export async function dkimKeysOf(em: EntityManager, domainId: string): Promise<DkimKeyRow[]> {
  return em.find(DkimKey, { domain_id: domainId }, { orderBy: { created_at: 'asc', id: 'asc' }, refresh: true });
}

export type NewDkimKey = Pick<DkimKeyRow, 'id' | 'domain_id' | 'algorithm' | 'selector' | 'record' | 'created_at'> & {
  readonly sealed_private_key: Buffer;
};

/** Written at once: a look at the domain in the same transaction finds it. */
export async function insertDkimKey(tx: EntityManager, key: NewDkimKey): Promise<void> {
  await tx.insert(DkimKey, key);
}

/** Writes what has become of the keys of a domain, which the transaction holds. */
export async function turnKeys(tx: EntityManager, turns: readonly KeyTurn[]): Promise<void> {
  for (const turn of turns) {
    const { id } = turn;
    if ('isGone' in turn) await tx.nativeDelete(DkimKey, { id });
    else {
      const { signs, signed_at, retired_at, isForgotten } = turn;
      await tx.nativeUpdate(DkimKey, { id }, { signs, signed_at, retired_at, ...(isForgotten && { sealed_private_key: null }) });
    }
  }
}

export interface SigningKey extends Pick<DkimKeyRow, 'id' | 'selector' | 'algorithm'> {
  readonly domain: string;
  readonly sealed_private_key: Buffer;
}

/** The keys of a project by which mail is signed, those of RSA first. */
export async function signingKeys(em: EntityManager, projectId: string): Promise<SigningKey[]> {
  return rows(
    em,
    sql<SigningKey>`
      select d.domain, k.id, k.selector, k.algorithm, k.sealed_private_key from sending_domains d join dkim_keys k on k.domain_id = d.id
      where d.project_id = ${projectId} and k.signs and k.sealed_private_key is not null order by d.domain, k.algorithm desc`,
  );
}

export interface AwaitedKey extends Pick<DkimKeyRow, 'selector' | 'created_at'> {
  readonly domain_id: string;
  readonly domain: string;
}

/** Keys of domains whose mail is signed that have never signed yet, since their records are not found: the one that waits longest first. */
export async function keysAwaited(em: EntityManager, projectId: string): Promise<AwaitedKey[]> {
  return rows(
    em,
    sql<AwaitedKey>`
      select d.id as domain_id, d.domain, k.selector, k.created_at from sending_domains d join dkim_keys k on k.domain_id = d.id
      where d.project_id = ${projectId} and k.signed_at is null and k.retired_at is null
        and exists (select 1 from dkim_keys o where o.domain_id = d.id and o.signs) order by k.created_at, k.id`,
  );
}
