import type { EntityManager } from '../../db/orm.ts';
import { insertRefusedEntries, type RefusedEntry } from '../../db/queries/sequences/refused-entries.ts';
import { type ErrorCode, Refusal, type RefusalDetails } from '../../domain/errors.ts';
import type { EnrollResult } from './enroll.ts';

interface RefusedContact {
  readonly projectId: string;
  readonly contactId: string;
  readonly entry: RefusedEntry;
  /** A try of a test key leaves no trace. */
  readonly isSandboxed: boolean;
}

/** A refusal since a contact has unsubscribed: all that its call has written is taken back, and then the contact's timeline tells of it. */
export class EntryRefused extends Refusal {
  readonly refused: RefusedContact;

  constructor(refused: RefusedContact, code: ErrorCode, message: string, details?: RefusalDetails) {
    super(code, message, details);
    this.refused = refused;
  }
}

/** After the transaction of the call, whose end takes back what is written in it. */
export async function keepRefusedEntry(em: EntityManager, error: unknown, newId: () => string): Promise<void> {
  if (!(error instanceof EntryRefused) || error.refused.isSandboxed) return;
  const { projectId, contactId, entry } = error.refused;
  await insertRefusedEntries(em, projectId, entry, [{ id: newId(), contactId }]);
}

/** Of several that were asked for at once, where the call goes on with the others; in its transaction. */
export async function keepRefusedEntries(
  tx: EntityManager,
  asked: {
    readonly project: { readonly id: string };
    readonly sequence: { readonly id: string };
    readonly isSandboxed: boolean;
    readonly newId: () => string;
  },
  refused: EnrollResult['refused'],
): Promise<void> {
  const unsubscribed = refused.filter(({ reason }) => reason === 'contact_unsubscribed');
  if (asked.isSandboxed || unsubscribed.length === 0) return;
  const kept = unsubscribed.map(({ contactId }) => ({ id: asked.newId(), contactId }));
  await insertRefusedEntries(tx, asked.project.id, { sequence_id: asked.sequence.id }, kept);
}
