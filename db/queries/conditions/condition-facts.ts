import { type RawBuilder, sql } from 'kysely';
import type { Condition } from '../../../domain/conditions/condition.ts';
import { createJudge, type Judge, type LookedUpFacts } from '../../../domain/conditions/judge.ts';
import type { LapsingFacts } from '../../../domain/conditions/lapsing.ts';
import { type FactsNeeded, factsNeeded } from '../../../domain/conditions/needs.ts';
import type { EntityManager } from '../../orm.ts';
import { row } from '../../rows.ts';
import { happened, lastHappened, lastMailed, mailed } from '../contacts/contact-history.ts';

export interface JudgeRequest {
  readonly projectId: string;
  /** Whose events and mails are looked up; undefined for a contact that exists only in a request: nothing happened to it. */
  readonly contactId: string | undefined;
  /** Every condition that the judge will be asked about. */
  readonly conditions: readonly Condition[];
  /** Payload of the latest event. */
  readonly event: unknown;
  readonly now: Date;
  /** Asked for a run of a test key: what test keys did counts too. */
  readonly isSandboxed?: boolean | undefined;
}

/**
 * Reads everything that the conditions ask of the database in one statement, nothing when they ask nothing, and in a second one what the
 * conditions of the segments ask that they name.
 */
export async function lookUpFacts(em: EntityManager, request: JudgeRequest): Promise<LookedUpFacts> {
  const facts = await lookUp(em, request, factsNeeded(request.conditions));
  const { needed, segments, events, emails, topics } = facts;
  const nested = factsNeeded(segments.flatMap(({ filter }) => filter.where ?? []));
  const further = await lookUp(em, request, { ...nested, segments: [] });
  // The answers of a contact that exists only in a request are none at all, so that they stay in the order of what is needed.
  return {
    needed: {
      ...needed,
      events: [...needed.events, ...nested.events],
      emails: [...needed.emails, ...nested.emails],
      topics: [...needed.topics, ...nested.topics],
    },
    segments,
    events: [...events, ...further.events],
    emails: [...emails, ...further.emails],
    topics: [...topics, ...further.topics],
  };
}

async function lookUp(em: EntityManager, request: JudgeRequest, needed: FactsNeeded): Promise<LookedUpFacts> {
  const asksNothing = needed.segments.length + needed.events.length + needed.emails.length + needed.topics.length === 0;
  const answers = asksNothing ? undefined : await readAnswers(em, request, needed);
  return { needed, ...(answers ?? NO_ANSWERS) };
}

/** The same, ready to be asked. */
export async function judgeFor(em: EntityManager, request: JudgeRequest): Promise<Judge> {
  return createJudge(await lookUpFacts(em, request), request.event);
}

/** When the first of these answers turns to no, if nothing happens until then; undefined: none does. */
export async function firstLapse(
  em: EntityManager,
  { projectId, contactId, isSandboxed }: Pick<JudgeRequest, 'projectId' | 'contactId' | 'isSandboxed'>,
  { events, emails }: LapsingFacts,
): Promise<Date | undefined> {
  if (events.length + emails.length === 0) return undefined;
  const ofContact = sql`contact_id = ${contactId} and project_id = ${projectId}`;
  const ends = [
    ...events.map((lookup) => ({ ...lookup, last: lastHappened(ofContact, lookup, isSandboxed) })),
    ...emails.map((lookup) => ({ ...lookup, last: lastMailed(ofContact, lookup, isSandboxed) })),
  ].map(({ last, withinHours }) => sql`${last} + make_interval(secs => ${withinHours * 3600})`);
  const found = await row(em, sql<{ lapses_at: Date | null }>`select least(${sql.join(ends)}) as lapses_at`);
  return found?.lapses_at ?? undefined;
}

type Answers = Omit<LookedUpFacts, 'needed'>;

const NO_ANSWERS: Answers = { segments: [], events: [], emails: [], topics: [] };

async function readAnswers(em: EntityManager, request: JudgeRequest, needed: FactsNeeded): Promise<Answers | undefined> {
  const { projectId, contactId, now, isSandboxed } = request;
  const ofContact = sql`contact_id = ${contactId} and project_id = ${projectId}`;
  const answers = (questions: RawBuilder<unknown>[]): RawBuilder<unknown> =>
    contactId && questions.length > 0 ? sql`array[${sql.join(questions)}]` : sql`'{}'::boolean[]`;
  return row(
    em,
    sql<Answers>`
      select ${answers(needed.events.map((lookup) => happened(ofContact, lookup, since(lookup, now), isSandboxed)))} as events,
             ${answers(needed.emails.map((lookup) => mailed(ofContact, lookup, since(lookup, now), isSandboxed)))} as emails,
             coalesce((select jsonb_agg(jsonb_build_object('label', label, 'filter', filter, 'brand_id', brand_id)) from segments
                       where project_id = ${projectId} and lower(label) = any(${needed.segments}::text[])), '[]') as segments,
             coalesce((select jsonb_agg(jsonb_build_object('key', key, 'defaultOn', default_on)) from topics
                       where project_id = ${projectId} and key = any(${needed.topics}::text[])), '[]') as topics`,
  );
}

function since({ withinHours }: { readonly withinHours: number | null }, now: Date): RawBuilder<unknown> {
  return sql`${withinHours === null ? new Date(0) : new Date(now.getTime() - withinHours * 3_600_000)}`;
}
