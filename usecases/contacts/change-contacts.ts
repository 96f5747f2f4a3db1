import { isDeepStrictEqual } from 'node:util';
import { SEEN_COLUMNS } from '../../db/contact-columns.ts';
import type { ContactRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { type ChangedContact, keepConsentChanges } from '../../db/queries/contacts/consent-changes.ts';
import { type ContactWrite, updateContacts } from '../../db/queries/contacts/contacts.ts';
import { signalWindowHolds } from '../../db/queries/sequences/enrollment-signals.ts';
import { emitAll, statusEvents, topicEvents } from '../../db/queries/webhooks/emit.ts';
import type { ConsentCause } from '../../domain/contacts/consent.ts';
import { stopAsking } from './ask-to-confirm.ts';
import { tellOfChange } from './tell-of-change.ts';

/** By what contacts are changed, and when. */
export interface ContactChange {
  readonly by: ConsentCause;
  readonly now: Date;
}

/** Changes existing contacts, whose rows are locked. `before` has all that `after` has. */
export async function changeContacts(
  tx: EntityManager,
  before: readonly ContactRow[],
  after: readonly ContactWrite[],
  change: ContactChange,
): Promise<ContactRow[]> {
  const [{ project_id: projectId } = { project_id: '' }] = before;
  const changed = await updateContacts(tx, projectId, after, change.now);
  const stored = new Map(before.map((contact) => [contact.id, contact]));
  const pairs = changed.map((contact) => [stored.get(contact.id) as ContactRow, contact] as const);
  await noteContactChanges(tx, projectId, pairs, change);
  return changed;
}

/**
 * What every change of existing contacts comes with, in its transaction: it keeps what changed of status, topics and consent, asks nobody any more who is not pending, emits the events of
 * these and signals the enrollments that watch the contacts.
 */
export async function noteContactChanges(
  tx: EntityManager,
  projectId: string,
  pairs: readonly ChangedContact[],
  { by, now }: ContactChange,
): Promise<void> {
  await keepConsentChanges(tx, pairs, by, now);
  const moved = pairs.filter(([before, after]) => before.status !== after.status);
  const answered = moved.filter(([before]) => before.status === 'pending');
  await stopAsking(
    tx,
    projectId,
    answered.map(([, { id }]) => id),
    now,
  );
  const events = [...moved.flatMap(([, after]) => statusEvents(after)), ...pairs.flatMap(([before, after]) => topicEvents(before, after))];
  await emitAll(tx, projectId, events);
  const different = pairs.filter(([before, after]) => !looksTheSame(before, after));
  await tellOfChange(
    tx,
    projectId,
    different.map(([, { id }]) => id),
  );
  const inOtherZone = different.filter(([before, after]) => before.timezone !== after.timezone).map(([, { id }]) => id);
  if (inOtherZone.length > 0) await signalWindowHolds(tx, projectId, inOtherZone);
}

/** Whether no condition could tell the two apart. */
function looksTheSame(a: ContactRow, b: ContactRow): boolean {
  return SEEN_COLUMNS.every((name) => isDeepStrictEqual(a[name], b[name]));
}
