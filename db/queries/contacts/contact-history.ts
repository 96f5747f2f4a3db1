import { type RawBuilder, sql } from 'kysely';
import type { EmailEvent } from '../../../domain/conditions/condition.ts';
import type { EmailLookup, EventLookup } from '../../../domain/conditions/needs.ts';
import { SANDBOX_DOMAIN } from '../../../domain/sends/sandbox.ts';
import { sandboxedType } from '../../../domain/sequences/event-type.ts';

/** Whose history, as a condition over rows with contact_id and project_id. */
type OfContact = RawBuilder<unknown>;
/** The instant from which on things count. */
type Since = RawBuilder<unknown>;

/**
 * Whether so many events of the type happened to the contact. `forSandboxed`, here and below: those of test keys and their mails count too, which do
 * for nothing that may leave.
 */
export function happened(ofContact: OfContact, { type, atLeast }: EventLookup, since: Since, forSandboxed = false): RawBuilder<boolean> {
  return sql`(select count(*) from (
    select 1 from events where ${ofContact} and ${isOfType(type, forSandboxed)} and created_at >= ${since} limit ${atLeast}) e) >= ${atLeast}`;
}

/** Whether an event is of the type, as its `column` says. */
export function isOfType(type: string, forSandboxed: boolean, column = 'type'): RawBuilder<unknown> {
  const is = sql.ref(column);
  return forSandboxed ? sql`${is} in (${type}, ${sandboxedType(type)})` : sql`${is} = ${type}`;
}

/** Whether this happened to some mail to the contact. */
export function mailed(ofContact: OfContact, { template, event }: EmailLookup, since: Since, forSandboxed = false): RawBuilder<boolean> {
  return sql`exists (select 1 from sends s where ${ofContact} and ${isOfTemplate(template)} and ${MAIL_EVENTS[event](since)} and ${counts(forSandboxed)})`;
}

function isOfTemplate(template: string | null): RawBuilder<unknown> {
  return template === null ? sql`true` : sql`s.template = ${template}`;
}

/** Where all mails are sandboxed, to a reserved address or of a project that is a sandbox, each counts. */
const COUNTS = sql.raw(
  `(not s.sandboxed or s.to_email like '%@${SANDBOX_DOMAIN}' or (select p.sandbox from projects p where p.id = s.project_id))`,
);

function counts(forSandboxed: boolean): RawBuilder<unknown> {
  return forSandboxed ? sql`true` : COUNTS;
}

/** When each thing happened to a mail. Bot hits count nowhere. */
const MAIL_EVENTS: Readonly<Record<EmailEvent, (since: Since) => RawBuilder<unknown>>> = {
  sent: (since) => sql`s.status = 'sent' and s.created_at >= ${since}`,
  delivered: (since) => sql`s.delivery_status in ('delivered', 'complained') and s.last_event_at >= ${since}`,
  bounced: (since) => sql`s.delivery_status = 'bounced' and s.last_event_at >= ${since}`,
  opened: (since) => sql`(s.first_opened_at >= ${since} or ${hitAgain('opened', since)})`,
  clicked: (since) => sql`(s.first_clicked_at >= ${since} or ${hitAgain('clicked', since)})`,
};

function hitAgain(kind: 'opened' | 'clicked', since: Since): RawBuilder<unknown> {
  return sql`exists (select 1 from send_hits h where h.send_id = s.id and h.kind = ${kind} and not h.is_bot and h.at >= ${since})`;
}

/** When that happened to the contact which is the last but so many of its type: from then on it happened so often. */
export function lastHappened(ofContact: OfContact, { type, atLeast }: EventLookup, forSandboxed = false): RawBuilder<Date> {
  return sql`(select created_at from events where ${ofContact} and ${isOfType(type, forSandboxed)} order by created_at desc offset ${atLeast - 1} limit 1)`;
}

/** When this last happened to a mail to the contact. */
export function lastMailed(ofContact: OfContact, { template, event }: EmailLookup, forSandboxed = false): RawBuilder<Date> {
  return sql`(select max(${LAST_OF_MAIL[event]}) from sends s where ${ofContact} and ${isOfTemplate(template)} and ${MAIL_EVENTS[event](EVER)} and ${counts(forSandboxed)})`;
}

const EVER = sql`'-infinity'::timestamptz`;

const LAST_OF_MAIL: Readonly<Record<EmailEvent, RawBuilder<unknown>>> = {
  sent: sql`s.created_at`,
  delivered: sql`s.last_event_at`,
  bounced: sql`s.last_event_at`,
  opened: sql`greatest(s.first_opened_at, ${lastHit('opened')})`,
  clicked: sql`greatest(s.first_clicked_at, ${lastHit('clicked')})`,
};

function lastHit(kind: 'opened' | 'clicked'): RawBuilder<unknown> {
  return sql`(select max(h.at) from send_hits h where h.send_id = s.id and h.kind = ${kind} and not h.is_bot)`;
}
