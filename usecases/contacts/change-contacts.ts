import { isDeepStrictEqual } from 'node:util';
import { SEEN_COLUMNS } from '../../db/contact-columns.ts';
import type { ContactRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { keepConsentChanges } from '../../db/queries/contacts/consent-changes.ts';
import { type ContactWrite, updateContacts } from '../../db/queries/contacts/contacts.ts';
import { signalWatchers } from '../../db/queries/sequences/enrollment-signals.ts';
import { emitAll, statusEvents } from '../../db/queries/webhooks/emit.ts';
import type { ConsentCause } from '../../domain/contacts/consent.ts';

/** By what contacts are changed, and when. */
export interface ContactChange {
  readonly by: ConsentCause;
  readonly now: Date;
}

/**
 * The one way that existing contacts change, whose rows are locked: it keeps what changed of status and consent, emits the events of a changed
 * status and signals the enrollments that watch them. `before` has all that `after` has.
 */
export async function changeContacts(
  tx: EntityManager,
  before: readonly ContactRow[],
  after: readonly ContactWrite[],
  { by, now }: ContactChange,
): Promise<ContactRow[]> {
  const [{ project_id: projectId } = { project_id: '' }] = before;
  const changed = await updateContacts(tx, projectId, after, now);
  const stored = new Map(before.map((contact) => [contact.id, contact]));
  const pairs = changed.map((contact) => [stored.get(contact.id) as ContactRow, contact] as const);
  await keepConsentChanges(tx, pairs, by, now);
  const moved = changed.filter(({ id, status }) => stored.get(id)?.status !== status);
  await emitAll(tx, projectId, moved.flatMap(statusEvents));
  const different = changed.filter((contact) => !looksTheSame(contact, stored.get(contact.id)));
  await signalWatchers(
    tx,
    projectId,
    different.map(({ id }) => id),
  );
  return changed;
}

/** Whether no condition could tell the two apart. */
function looksTheSame(a: ContactRow, b: ContactRow | undefined): boolean {
  return b !== undefined && SEEN_COLUMNS.every((name) => isDeepStrictEqual(a[name], b[name]));
}
