import type { ContactRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { lockContact } from '../../db/queries/contacts/contacts.ts';
import { keepEvent } from '../../db/queries/sequences/digests.ts';
import { insertEvent } from '../../db/queries/sequences/events.ts';
import { sequencesTriggeredBy } from '../../db/queries/sequences/sequences.ts';
import { notFound } from '../../domain/errors.ts';
import { sandboxedType } from '../../domain/sequences/event-type.ts';
import { hasDigest, isWalkedAtOnce } from '../../domain/sequences/graph.ts';
import { tellOfChange } from '../contacts/tell-of-change.ts';
import { upsertContacts } from '../contacts/upsert-contacts.ts';
import { advanceEnrollment } from './advance-enrollment.ts';
import { type ClaimedRuns, claimWaits } from './claim-waits.ts';
import { exitSequences } from './end-enrollment.ts';
import { enroll } from './enroll.ts';
import { triggers } from './match-event.ts';
import { EntryRefused } from './refused-entries.ts';

export interface IncomingEvent {
  readonly project: { readonly id: string; readonly default_brand: string | null };
  readonly type: string;
  readonly recipient: { readonly contactId: string } | { readonly email: string };
  readonly data: Readonly<Record<string, unknown>>;
  readonly exitSequences: readonly string[];
  /** A test key asks for it: it reaches runs that such keys asked for, and no others. */
  readonly isSandboxed: boolean;
  readonly caller: { readonly ip: string | undefined; readonly userAgent: string | undefined };
  readonly now: Date;
  readonly newId: () => string;
}

export interface AcceptedEvent extends Omit<ClaimedRuns, 'gatheredIn'> {
  readonly contactId: string;
  readonly enrolled: number;
  readonly exited: number;
  /** The sequences in which a digest has the event, or may have it since it is kept. */
  readonly gathered: number;
  /** The enrollments that this event began. */
  readonly enrolledIds: readonly string[];
  /** The enrollments that this event cancelled. */
  readonly exitedIds: readonly string[];
}

const NO_RUNS: ClaimedRuns = { reArmed: 0, goals: 0, gatheredIn: [] };

/**
 * Everything that a product event does, in the transaction of `tx`: contact, event, exits, re-arms, new enrollments (docs/contract/events.md 8).
 * The contact's row stays locked, so the counts are exact also under concurrent calls. One that is sandboxed is found by sandboxed runs
 * alone, so that nothing that may leave depends on it.
 */
export async function acceptEvent(tx: EntityManager, event: IncomingEvent): Promise<AcceptedEvent> {
  const { project, type, data, isSandboxed, now, newId } = event;
  const { contact, isNew } = await contactOf(tx, event);
  if (contact.status === 'unsubscribed')
    throw new EntryRefused(
      { projectId: project.id, contactId: contact.id, entry: { event_type: type }, isSandboxed },
      'contact_unsubscribed',
      'this contact has unsubscribed; POST /contacts with status subscribed and resubscribe true lifts it',
    );
  const eventId = newId();
  const kept = isSandboxed ? sandboxedType(type) : type;
  await insertEvent(tx, { id: eventId, project_id: project.id, contact_id: contact.id, type: kept, data, created_at: now });
  const arrived = { id: eventId, type, data, now, newId, isSandboxed };
  const exitedIds = await exitSequences(tx, project.id, contact.id, { keys: event.exitSequences, isSandboxed }, now);
  // A new contact has no runs.
  const { gatheredIn, ...claimed } = isNew ? NO_RUNS : await claimWaits(tx, contact, arrived);
  let gathered = gatheredIn.length;
  if (!isNew) await tellOfChange(tx, project.id, [contact.id], { isSandboxed });
  const enrolledIds: string[] = [];
  for (const sequence of await sequencesTriggeredBy(tx, project.id, type)) {
    if (gatheredIn.includes(sequence.id) || !(await triggers(tx, sequence, contact, arrived))) continue;
    const result = await enroll(tx, { project, sequence, contacts: [contact], eventId, isBulk: false, isSandboxed, newId });
    const ids = (result?.enrolled ?? []).map(({ enrollmentId }) => enrollmentId);
    enrolledIds.push(...ids);
    if (isWalkedAtOnce(sequence.graph))
      for (const enrollmentId of ids) await advanceEnrollment(tx, { enrollmentId, report: undefined, now, newId, firstRetrySeconds: 0 });
    const isKept = hasDigest(sequence.graph) && result?.refused[0]?.reason === 'already_enrolled';
    if (isKept && (await keepEvent(tx, { sequence_id: sequence.id, contact_id: contact.id, sandboxed: isSandboxed }, eventId))) gathered++;
  }
  const counts = { enrolled: enrolledIds.length, ...claimed, exited: exitedIds.length, gathered };
  return { contactId: contact.id, ...counts, enrolledIds, exitedIds };
}

/** With its row locked; isNew: made by this call. */
async function contactOf(tx: EntityManager, event: IncomingEvent): Promise<{ readonly contact: ContactRow; readonly isNew: boolean }> {
  const { project, recipient, caller, isSandboxed, now } = event;
  if ('contactId' in recipient) return { contact: (await lockContact(tx, project.id, recipient)) ?? notFound('contact'), isNew: false };
  const made = new Set<string>();
  const newId = (): string => {
    const id = event.newId();
    made.add(id);
    return id;
  };
  const origin = { source: 'event', ip: caller.ip, userAgent: caller.userAgent, isSandboxed, now };
  const inputs = [{ email: recipient.email }];
  const [contact] = (await upsertContacts(tx, {
    projectId: project.id,
    defaultBrand: project.default_brand,
    inputs,
    isList: false,
    origin,
    newId,
  })) as [ContactRow];
  return { contact, isNew: made.has(contact.id) };
}
