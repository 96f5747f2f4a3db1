import type { ContactRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { lockContacts } from '../../db/queries/contacts/contacts.ts';
import { databaseClock } from '../../db/queries/operations/database-now.ts';
import { nextDue, type PlannedEntry, planEntries, settleEntries } from '../../db/queries/sequences/date-entries.ts';
import { type LookingDateTrigger, nextDated } from '../../db/queries/sequences/date-triggers.ts';
import { endLook, lockLook, markLooked } from '../../db/queries/sequences/trigger-looks.ts';
import { dateTexts, dateValue, type EnteredDate, type EntryWindow, entryWithin } from '../../domain/sequences/date-entry.ts';
import { enrollByTrigger } from './enroll-by-trigger.ts';

/** Everybody is looked at so often, and who is due within the time ahead is kept, so that each enters at its minute. */
const LOOK_EVERY_MS = 10 * 60_000;
export const AHEAD_MS = 2 * 3_600_000;

/** What is due and was not seen to for longer is let be. */
const CAUGHT_UP_MS = 24 * 3_600_000;

/** Of one transaction. */
const PORTION = 500;

/** Keeps who of the next contacts is due soon, or has been for a short time. Whether there may be more to look at. */
export async function lookAtDates(em: EntityManager, triggerId: string): Promise<boolean> {
  return em.transactional(async (tx) => {
    const trigger = await lockLook<LookingDateTrigger>(tx, 'date_triggers', triggerId);
    if (!trigger) return false;
    const { id, rule, since, look_began_at: began } = trigger;
    const window = { from: entryFrom(since, began), to: new Date(began.getTime() + AHEAD_MS) };
    const contacts = await nextDated(tx, trigger, dateTexts(rule, window));
    const last = contacts.at(-1);
    if (!last) {
      await endLook(tx, 'date_triggers', id, LOOK_EVERY_MS);
      return false;
    }
    await planEntries(
      tx,
      id,
      contacts.flatMap(({ id: contact_id, timezone, value }) => {
        const entry = entryWithin(rule, { timezone, value }, window);
        return entry ? [{ contact_id, date: entry.date, due_at: entry.dueAt }] : [];
      }),
    );
    await markLooked(tx, 'date_triggers', id, last);
    return true;
  });
}

/**
 * Enrolls who is due by a trigger, a portion at a time. That somebody was is kept in the same transaction, so that whoever dies, or does so at once with
 * another, enrolls nobody twice for a date. Whether there may be more to do.
 */
export async function enterDue(em: EntityManager, triggerId: string, newId: () => string): Promise<boolean> {
  return em.transactional(async (tx) => {
    const next = await nextDue(tx, triggerId, PORTION);
    if (!next || next.due.length === 0) return false;
    const { trigger, due } = next;
    const { id, project_id, rule, since } = trigger;
    const contacts = await lockContacts(tx, project_id, { ids: due.map(({ contact_id }) => contact_id) });
    const now = await databaseClock(tx);
    const isStill = stillDue(rule, { from: entryFrom(since, now), to: now }, contacts);
    const { enters = [], others = [] } = Object.groupBy(due, (entry) => (isStill(entry) ? 'enters' : 'others'));
    const settled = new Set(await settleEntries(tx, id, { enters, others }));
    const entering = contacts.filter((contact) => settled.has(contact.id));
    await enrollByTrigger(tx, trigger, { contacts: entering, isSandboxed: false, newId });
    return true;
  });
}

/** Nobody who was due before, or before the trigger was turned on, enters. */
function entryFrom(since: Date, now: Date): Date {
  return new Date(Math.max(since.getTime(), now.getTime() - CAUGHT_UP_MS));
}

/** Whether a contact is due for the date by what its date, its zone and the rule are now. */
function stillDue(rule: EnteredDate, window: EntryWindow, contacts: readonly ContactRow[]): (entry: PlannedEntry) => boolean {
  const byId = new Map(contacts.map((contact) => [contact.id, contact]));
  return ({ contact_id, date }) => {
    const contact = byId.get(contact_id);
    if (!contact) return false;
    return entryWithin(rule, { timezone: contact.timezone, value: dateValue(rule, contact) }, window)?.date === date;
  };
}
