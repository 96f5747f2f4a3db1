import type { EntityManager } from '../../db/orm.ts';
import type { NewRecipient } from '../../sending/batch-deps.ts';
import { upsertContacts } from './upsert-contacts.ts';

/** Makes the recipient of a mail a contact: docs/contract/sends.md 6. */
export async function makeContact(
  em: EntityManager,
  { projectId, email, brand, caller, isSandboxed, now, newId }: NewRecipient,
): Promise<void> {
  const origin = { source: 'send', ip: caller?.ip, userAgent: caller?.userAgent, isSandboxed, now };
  const inputs = [{ email, brand }];
  await em.transactional((tx) => upsertContacts(tx, { projectId, defaultBrand: brand, inputs, isList: false, origin, newId }));
}
