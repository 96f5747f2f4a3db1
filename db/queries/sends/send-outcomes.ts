import { type RawBuilder, sql } from 'kysely';
import { errorText, type SendOutcome } from '../../../domain/sends/send.ts';
import { storable } from '../../../domain/storable-text.ts';
import type { SendRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { noteMessages } from '../../outbox-signal.ts';
import { preparedStatement, row } from '../../rows.ts';
import { signalling } from '../operations/outbox.ts';
import { emitting, sentEvents } from '../webhooks/emit.ts';

/** How the submission of one mail ended. */
export interface Ended {
  readonly outcome: SendOutcome;
  /** Whether the project had an endpoint for events when the send began. */
  readonly hasWebhooks: boolean;
}

/** How one send of a batch ended. */
export interface SendClosing extends Ended {
  readonly id: string;
}

/** A send that has got its outcome, as what follows from a bounce needs it. */
export type ClosedSend = Pick<
  SendRow,
  | 'id'
  | 'project_id'
  | 'contact_id'
  | 'to_email'
  | 'delivery_status'
  | 'opened_at'
  | 'closed_at'
  | 'source_type'
  | 'source_id'
  | 'variant'
  | 'details'
>;

/** A statement that gives sends their outcomes, for a batch as JSON. */
type OutcomeStatement = ReturnType<typeof preparedStatement<Pick<ClosedSend, 'id'> & { readonly messages: number }>>;

/** With the events for webhooks it costs twice as much; most projects have no endpoint. */
export interface OutcomeStatements {
  readonly plain: OutcomeStatement;
  readonly withEvents: OutcomeStatement;
}

/**
 * `closed`: the CTEs that write, the last of them named `closed` with the sends that got their outcome by it. What follows from an outcome is
 * part of the statement: runs that wait for this contact's mails evaluate their step again (docs/contract/events.md 21), and the events for webhooks are written.
 */
export function outcomeStatements(closed: RawBuilder<unknown>): OutcomeStatements {
  const statement = (events: RawBuilder<unknown> | undefined): OutcomeStatement =>
    preparedStatement(sql<Pick<ClosedSend, 'id'> & { readonly messages: number }>`
    with ${closed}, watching as (
      select e.id, e.project_id
      from closed c join enrollments e on e.contact_id = c.contact_id and e.project_id = c.project_id and e.status = 'active' and e.watches_contact
      where c.status = 'sent'
    ), signalled as (${signalling('watching', sql`(select count(*) from closed)`)} returning 1)${events ? sql`, ${events}` : sql``}
    select id, (select count(*) from signalled)${events ? sql` + (select count(*) from emitted_messages)` : sql``} as messages
    from closed`);
  return { plain: statement(undefined), withEvents: statement(emitting(sentEvents('closed'))) };
}

/** Writes the outcomes of a batch in one statement, by its parameters. Answers with the ids of the sends that got theirs by it. */
export async function writeOutcomes(
  em: EntityManager,
  statements: OutcomeStatements,
  batch: readonly Ended[],
  parameters: readonly string[],
): Promise<string[]> {
  const needsEvents = batch.some(({ hasWebhooks, outcome }) => hasWebhooks && outcome.status === 'sent');
  const closed = await statements[needsEvents ? 'withEvents' : 'plain'](em, parameters);
  if (closed[0] && closed[0].messages > 0) noteMessages(em);
  return closed.map(({ id }) => id);
}

/** A send whose outcome this transaction has written. */
export async function closedSend(tx: EntityManager, id: string): Promise<ClosedSend> {
  const found = await row(
    tx,
    sql<ClosedSend>`select id, project_id, contact_id, to_email, delivery_status, opened_at, closed_at, source_type, source_id, variant, details
      from sends where id = ${id}`,
  );
  return found as ClosedSend;
}

/** The columns of a send's row that its outcome gives. */
export function outcomeColumns(outcome: SendOutcome): object {
  const { status, provider } = outcome;
  return status === 'sent'
    ? { status, provider, provider_id: outcome.providerId && storable(outcome.providerId) }
    : { status, provider, error: storable(errorText(outcome.reason, outcome.message)) };
}

/** Whether the outcome of the send `s` is unknown. */
export const IS_UNKNOWN = sql.raw(`(s.status = 'failed' and s.error like 'outcome_unknown%')`);

/** Whether the send `s`, whose outcome is unknown, was opened again since: it is asked for once more under its key, or was when its process died. */
export const IS_REOPENED = sql.raw(`coalesce(s.opened_at > s.closed_at, false)`);

/**
 * Whether the row `s` takes the outcome of `r`, which may come late: the truth of a mail wins over `outcome_unknown`, whoever settled it by
 * then.
 */
export const TAKES_LATE_OUTCOME = sql`(${IS_UNKNOWN} and coalesce(r.error, '') not like 'outcome_unknown%')`;

/** The error of `r` for the row `s`: what a provider says of an erased person may name the address. */
export const OUTCOME_ERROR = sql.raw(`case when s.to_email = '' then split_part(r.error, ': ', 1) else r.error end`);

/**
 * Only a pending intent gets an outcome, or one whose outcome was unknown the truth. Each row has to be found by its id: the `coalesce` keeps the planner from the index of pending
 * intents, which is full of those that just had their outcome, and the condition on the status makes it expect a short batch, for which it
 * scans no table.
 */
const CLOSING = outcomeStatements(sql`
  batch as materialized (
    select * from json_to_recordset($1::json) as r(id uuid, status text, provider_id text, provider text, error text, frees_key boolean)
    where r.status in ('sent', 'failed')
  ), closed as (
    update sends s set status = r.status, provider_id = r.provider_id, provider = r.provider, error = ${OUTCOME_ERROR}, closed_at = now(), journal = null,
           idempotency_key = case when r.frees_key then null else s.idempotency_key end,
           freed_key = case when r.frees_key then s.idempotency_key end
    from batch r where s.id = r.id and (coalesce(s.status, 'pending') = 'pending' or ${TAKES_LATE_OUTCOME}) returning s.*
  )`);

/** Gives the sends of a batch their outcomes, and answers with the ids of those that got theirs by it; a late repetition changes nothing. */
export async function closeMany(em: EntityManager, batch: readonly SendClosing[]): Promise<string[]> {
  const closings = batch.map(({ id, outcome }) => ({
    id,
    ...outcomeColumns(outcome),
    // What surely was not accepted may be asked for again under the same key: docs/contract/sends.md 7.
    frees_key: outcome.status === 'failed' && outcome.reason === 'provider_unavailable',
  }));
  return writeOutcomes(em, CLOSING, batch, [JSON.stringify(closings)]);
}
