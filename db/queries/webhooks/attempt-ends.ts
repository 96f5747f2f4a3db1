import { type RawBuilder, sql } from 'kysely';
import type { AttemptAnswer, DeliveryStatus } from '../../../domain/webhooks/delivery.ts';
import { AFTER_ATTEMPT, type AttemptEnd, DELIVERY_STATES, type EndTransition } from '../../../domain/webhooks/delivery-states.ts';
import type { ShownAnswer } from '../../../domain/webhooks/shown-answer.ts';
import { isoText } from '../../iso-text.ts';
import type { EntityManager } from '../../orm.ts';
import { noteMessages } from '../../outbox-signal.ts';
import { preparedStatement } from '../../rows.ts';
import { startingWhenDue } from '../operations/outbox.ts';
import { STATE } from './burst-or-workflow.ts';
import { keepingAnswers } from './webhook-answers.ts';

/** How one attempt ended, and what becomes of its delivery. */
export interface EndedAttempt {
  readonly id: string;
  readonly token: string;
  readonly begunAt: Date;
  readonly answer: AttemptAnswer;
  /** null: not known. */
  readonly milliseconds: number | null;
  /** What is kept of the answer, if anything is. */
  readonly kept?: ShownAnswer | undefined;
  readonly settled: Exclude<DeliveryStatus, 'pending'> | null;
  /** Of the next attempt, unless it is settled. */
  readonly nextAt: Date | null;
}

/**
 * Whether such a transition is that of the delivery `d` by the attempt `e`. A condition, and no join with the table: it is asked again of a row that
 * changed while it was waited for, where a join would have lost that row and the end of its attempt.
 */
function isTransition(isSuch: (transition: EndTransition) => boolean): RawBuilder<boolean> {
  const ofEnds = Object.entries(AFTER_ATTEMPT).flatMap(([end, ofState]) => {
    const states = DELIVERY_STATES.filter((state) => isSuch(ofState[state]));
    if (states.length === 0) return [];
    const isEnd = sql`e.ended = ${sql.lit(end)}`;
    if (states.length === DELIVERY_STATES.length) return [isEnd];
    return [sql`(${isEnd} and ${STATE} in (${sql.join(states.map((state) => sql.lit(state)))}))`];
  });
  return sql`(${sql.join(ofEnds, sql` or `)})`;
}

const IS_COUNTED = isTransition(({ attempts }) => attempts === 'one more');

/** The log with the entry of this attempt told anew, wherever it stands. */
const CORRECTED_LOG = sql`(
  select coalesce(jsonb_agg(case when l.entry ->> 'at' = e.at then l.entry || e.outcome else l.entry end order by l.nth), '[]')
  from jsonb_array_elements(d.attempt_log) with ordinality l(entry, nth))`;

/**
 * Makes the transitions of AFTER_ATTEMPT, once for each attempt. One that is not held any more was counted as cut off by somebody else. A
 * delivery that leaves its burst unsettled is to get its workflow when it is due again.
 */
const ENDING = preparedStatement(sql<{ messages: number }>`
  with batch as materialized (
    select * from json_to_recordset($1::json) as r(
      id uuid, token uuid, begun_at timestamptz, status smallint, error text, milliseconds integer, reported text, next_at timestamptz, kept jsonb)
  ), held as (
    delete from webhook_attempts h using batch r where h.delivery_id = r.id and h.token = r.token returning h.delivery_id, h.token
  ), ended as materialized (
    select r.*, d.in_lane as was_in_burst, ${isoText(sql`r.begun_at`)} as at,
           jsonb_build_object('status', r.status, 'error', r.error, 'milliseconds', r.milliseconds) as outcome,
           case when (r.id, r.token) in (select delivery_id, token from held) then r.reported
                when r.reported = 'taken' then 'taken late' end as ended
    from batch r join webhook_deliveries d on d.id = r.id
  ), written as (
    update webhook_deliveries d set
      status = case when ${isTransition(({ to }) => to === 'delivered')} then 'delivered'
                    when ${isTransition(({ to }) => to === 'failed')} then 'failed' else 'pending' end,
      in_lane = false,
      attempts = d.attempts + case when ${IS_COUNTED} then 1 else 0 end,
      attempt_log = case when ${IS_COUNTED}
        then d.attempt_log || (jsonb_build_object('series', d.series, 'number', d.attempts + 1, 'at', e.at) || e.outcome)
        else ${CORRECTED_LOG} end,
      response_status = case when ${isTransition(({ response }) => response === 'of the attempt')} then e.status else d.response_status end,
      next_attempt_at = case when ${isTransition(({ next }) => next === 'planned')} then e.next_at
                             else greatest(e.begun_at, (d.attempt_log -> -1 ->> 'at')::timestamptz) end
    from ended e
    where d.id = e.id and e.ended is not null
    returning d.id, d.project_id, d.event_id, d.next_attempt_at as due_at, e.was_in_burst and d.status = 'pending' as needs_workflow
  ), answered as (
    ${keepingAnswers('ended', 'written')}
  ), started as (
    ${startingWhenDue(sql`select id, project_id, due_at from written where needs_workflow`)} returning 1
  )
  select count(*) as messages from started`);

/** How an attempt ended by the word of whoever made it. */
function reportedEnd({ settled }: EndedAttempt): Exclude<AttemptEnd, 'taken late'> {
  if (settled === null) return 'refused';
  return settled === 'delivered' ? 'taken' : 'given up';
}

/** Writes how the attempts of a batch ended; of one delivery there may be several, in their order. */
export async function endAttempts(em: EntityManager, batch: readonly EndedAttempt[]): Promise<void> {
  // One statement changes a row once.
  const ofEach = [...Map.groupBy(batch, ({ id }) => id).values()];
  const written = ofEach
    .flatMap((attempts) => attempts.slice(0, 1))
    .map((attempt) => ({
      id: attempt.id,
      token: attempt.token,
      begun_at: attempt.begunAt,
      status: attempt.answer.status,
      error: attempt.answer.error ?? null,
      milliseconds: attempt.milliseconds === null ? null : Math.round(attempt.milliseconds),
      reported: reportedEnd(attempt),
      next_at: attempt.nextAt,
      kept: attempt.kept ?? null,
    }));
  const [ended] = await ENDING(em, [JSON.stringify(written)]);
  if (ended && ended.messages > 0) noteMessages(em);
  const further = ofEach.flatMap((attempts) => attempts.slice(1));
  if (further.length > 0) await endAttempts(em, further);
}
