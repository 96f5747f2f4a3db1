import type { DkimKeyRow, SendingDomainRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { dkimKeysOf, insertDkimKey } from '../../db/queries/domains/dkim-keys.ts';
import type { DkimAlgorithm } from '../../domain/domains/key-turns.ts';
import type { Vault } from '../../domain/projects/crypto.ts';
import { sealedOf } from '../../domain/projects/sealed.ts';
import { createDkimKey } from '../../platform/mail/dkim-key.ts';

/** What keys are made with. */
export interface KeyMaking {
  readonly vault: Vault;
  readonly newId: () => string;
  readonly now: () => Date;
}

/** Which keys a domain is to get beside those that it has. */
export type Lacking = (domain: SendingDomainRow, keys: readonly DkimKeyRow[]) => readonly DkimAlgorithm[];

/**
 * Makes those keys of a domain that are lacking, in the transaction that holds the domain (`lockSendingDomain`): of calls at the same time one makes a key,
 * and the others find it. Returns the keys that it had.
 */
export async function makeKeys(
  tx: EntityManager,
  { vault, newId, now }: KeyMaking,
  domain: SendingDomainRow,
  lacking: Lacking,
): Promise<{ readonly had: readonly DkimKeyRow[]; readonly made: number }> {
  const had = await dkimKeysOf(tx, domain.id);
  const algorithms = lacking(domain, had);
  for (const algorithm of algorithms) {
    const { privateKey, record } = await createDkimKey(algorithm);
    const id = newId();
    const sealed = vault.seal(Buffer.from(privateKey), sealedOf.dkimKey(id));
    const written = { id, domain_id: domain.id, algorithm, selector: selectorOf(id), record, created_at: now() };
    await insertDkimKey(tx, { ...written, sealed_private_key: sealed });
  }
  return { had, made: algorithms.length };
}

/** Two projects may have the same domain, and each its keys. */
function selectorOf(keyId: string): string {
  return `ep-${keyId.replaceAll('-', '').slice(-8)}`;
}

let last: Promise<unknown> = Promise.resolve();

/**
 * Works in a transaction in which keys may be made, one after the other in this process: a key of RSA takes some hundred milliseconds, for which a
 * connection to the database waits, and however many are asked for at once it is one.
 */
export function inTurnForKeys<T>(em: EntityManager, work: (tx: EntityManager) => Promise<T>): Promise<T> {
  const mine = last.then(() => em.transactional(work));
  last = mine.catch(() => undefined);
  return mine;
}
