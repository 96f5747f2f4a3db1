import { type RawBuilder, sql } from 'kysely';
import type { Condition, EmailEvent } from '../../domain/condition/condition.ts';
import { createJudge, type Judge, type LookedUpFacts } from '../../domain/condition/judge.ts';
import { type EmailLookup, type EventLookup, type FactsNeeded, factsNeeded } from '../../domain/condition/needs.ts';
import type { EntityManager } from '../orm.ts';
import { row } from '../rows.ts';

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

/** Reads everything that the conditions ask of the database in one statement, and nothing when they ask nothing. */
export async function lookUpFacts(em: EntityManager, request: JudgeRequest): Promise<LookedUpFacts> {
  const needed = factsNeeded(request.conditions);
  const asksNothing = needed.segments.length + needed.events.length + needed.emails.length === 0;
  const answers = asksNothing ? undefined : await readAnswers(em, request, needed);
  return { needed, segments: answers?.segments ?? [], events: answers?.events ?? [], emails: answers?.emails ?? [] };
}

/** The same, ready to be asked. */
export async function judgeFor(em: EntityManager, request: JudgeRequest): Promise<Judge> {
  return createJudge(await lookUpFacts(em, request), request.event);
}

type Answers = Omit<LookedUpFacts, 'needed'>;

async function readAnswers(em: EntityManager, request: JudgeRequest, needed: FactsNeeded): Promise<Answers | undefined> {
  const { projectId, contactId, now } = request;
  const ofContact = sql`contact_id = ${contactId} and project_id = ${projectId}`;
  const answers = (questions: RawBuilder<unknown>[]): RawBuilder<unknown> =>
    contactId && questions.length > 0 ? sql`array[${sql.join(questions)}]` : sql`'{}'::boolean[]`;
  return row(
    em,
    sql<Answers>`
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
