import { type RawBuilder, sql } from 'kysely';
import type { Condition, EmailEvent } from '../../domain/condition/condition.ts';
import { evaluateCondition } from '../../domain/condition/evaluate.ts';
import { type EmailLookup, type EventLookup, emailKey, eventKey, factsNeeded, segmentKey } from '../../domain/condition/needs.ts';
import { isInSegment } from '../../domain/segment-match.ts';
import type { TravellingContact } from '../../domain/sequence/traveller.ts';
import type { EntityManager } from '../orm.ts';
import { row } from '../rows.ts';
import type { SegmentRule } from './segment-filter.ts';

/** Whether a condition holds for a contact as it is at that point of its way; `sent`: templates that simulate has sent it on the way. */
export type Judge = (contact: TravellingContact, condition: Condition, sent?: ReadonlySet<string>) => boolean;

export interface JudgeRequest {
  readonly projectId: string;
  /** Whose events and mails are looked up; undefined for a contact that exists only in a request: nothing happened to it. */
  readonly contactId: string | undefined;
  /** Every condition that the judge will be asked about. */
  readonly conditions: readonly Condition[];
  /** Payload of the latest event. */
  readonly event: unknown;
  readonly now: Date;
}

const NOTHING_SENT: ReadonlySet<string> = new Set();

interface Facts {
  readonly segments: readonly (SegmentRule & { readonly label: string })[];
  readonly events: readonly boolean[];
  readonly emails: readonly boolean[];
}

/** Reads everything that the conditions ask of the database in one statement, and nothing when they ask nothing. */
export async function judgeFor(em: EntityManager, request: JudgeRequest): Promise<Judge> {
  const { conditions, event } = request;
  const needed = factsNeeded(conditions);
  const asksNothing = needed.segments.length + needed.events.length + needed.emails.length === 0;
  const facts = asksNothing ? undefined : await readFacts(em, request, needed);
  const events = keysThatHold(needed.events, facts?.events, eventKey);
  const emails = keysThatHold(needed.emails, facts?.emails, emailKey);
  const sentOnTheWay = (sent: ReadonlySet<string>): string[] =>
    needed.emails.flatMap((lookup) =>
      lookup.event === 'sent' && (lookup.template === null ? sent.size > 0 : sent.has(lookup.template)) ? emailKey(lookup) : [],
    );
  return (contact, condition, sent = NOTHING_SENT) =>
    evaluateCondition(condition, {
      contact: { ...contact, brand: contact.brand_id },
      attributes: contact.attributes,
      event,
      segments: new Set(facts?.segments.flatMap((rule) => (isInSegment(contact, rule) ? segmentKey(rule.label) : []))),
      events,
      emails: sent.size === 0 ? emails : new Set([...emails, ...sentOnTheWay(sent)]),
    });
}

async function readFacts(em: EntityManager, request: JudgeRequest, needed: ReturnType<typeof factsNeeded>): Promise<Facts | undefined> {
  const { projectId, contactId, now } = request;
  const ofContact = sql`contact_id = ${contactId} and project_id = ${projectId}`;
  const answers = (questions: RawBuilder<unknown>[]): RawBuilder<unknown> =>
    contactId && questions.length > 0 ? sql`array[${sql.join(questions)}]` : sql`'{}'::boolean[]`;
  return row(
    em,
    sql<Facts>`
      select ${answers(needed.events.map((lookup) => happened(ofContact, lookup, now)))} as events,
             ${answers(needed.emails.map((lookup) => mailed(ofContact, lookup, now)))} as emails,
             coalesce((select jsonb_agg(jsonb_build_object('label', label, 'filter', filter, 'brand_id', brand_id)) from segments
                       where project_id = ${projectId} and lower(label) = any(${needed.segments}::text[])), '[]') as segments`,
  );
}

function happened(ofContact: RawBuilder<unknown>, { type, withinHours, atLeast }: EventLookup, now: Date): RawBuilder<unknown> {
  return sql`(select count(*) from (
    select 1 from events where ${ofContact} and type = ${type} and created_at >= ${since(withinHours, now)} limit ${atLeast}) e) >= ${atLeast}`;
}

function mailed(ofContact: RawBuilder<unknown>, { template, event, withinHours }: EmailLookup, now: Date): RawBuilder<unknown> {
  const ofTemplate = template === null ? sql`true` : sql`s.template = ${template}`;
  return sql`exists (select 1 from sends s where ${ofContact} and ${ofTemplate} and ${MAIL_EVENTS[event](since(withinHours, now))})`;
}

/** When each thing happened to a mail. Bot hits count nowhere. */
const MAIL_EVENTS: Readonly<Record<EmailEvent, (since: Date) => RawBuilder<unknown>>> = {
  sent: (since) => sql`s.status = 'sent' and s.created_at >= ${since}`,
  delivered: (since) => sql`s.delivery_status in ('delivered', 'complained') and s.last_event_at >= ${since}`,
  bounced: (since) => sql`s.delivery_status = 'bounced' and s.last_event_at >= ${since}`,
  opened: (since) => sql`(s.first_opened_at >= ${since} or ${hitAgain('opened', since)})`,
  clicked: (since) => sql`(s.first_clicked_at >= ${since} or ${hitAgain('clicked', since)})`,
};

function hitAgain(kind: 'opened' | 'clicked', since: Date): RawBuilder<unknown> {
  return sql`exists (select 1 from send_hits h where h.send_id = s.id and h.kind = ${kind} and not h.is_bot and h.at >= ${since})`;
}

function since(withinHours: number | null, now: Date): Date {
  return withinHours === null ? new Date(0) : new Date(now.getTime() - withinHours * 3_600_000);
}

function keysThatHold<T>(
  lookups: readonly T[],
  answers: readonly boolean[] | undefined,
  keyOf: (lookup: T) => string,
): ReadonlySet<string> {
  return new Set(lookups.flatMap((lookup, index) => (answers?.[index] ? keyOf(lookup) : [])));
}
