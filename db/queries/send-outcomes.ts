import { type RawBuilder, sql } from 'kysely';
import { errorText, type SendOutcome } from '../../domain/send.ts';
import { storable } from '../../domain/storable-text.ts';
import type { SendRow } from '../entities/index.ts';
import type { EntityManager } from '../orm.ts';
import { noteMessages } from '../outbox-signal.ts';
import { prepared } from '../rows.ts';
import { applyReport } from './delivery-reports.ts';
import { emailEvents, emitting } from './emit.ts';
import { CHANGED, priorityOf } from './outbox.ts';

/** How one send of a page ended. */
export interface SendClosing {
  readonly id: string;
  readonly outcome: SendOutcome;
  /** Whether the project had an endpoint for events when the send began. */
  readonly hasWebhooks: boolean;
}

export type ClosedSend = Pick<
  SendRow,
  'id' | 'project_id' | 'contact_id' | 'to_email' | 'delivery_status' | 'opened_at' | 'closed_at' | 'source_type' | 'source_id' | 'variant'
>;

/**
 * Only a pending intent gets an outcome; runs that wait for this contact's mails look again (decisions.md 9.7). Each row has to be found by
 * its id: the `coalesce` keeps the planner from the index of pending intents, which is full of those that just had their outcome, and the
 * condition on the status makes it expect a short page, for which it scans no table.
 */
function closing(events: RawBuilder<unknown> | undefined) {
  return prepared(sql<ClosedSend & { readonly woken: number }>`
    with page as materialized (
      select * from json_to_recordset($1::json) as r(id uuid, status text, provider_id text, error text, frees_key boolean)
      where r.status in ('sent', 'failed')
    ), closed as (
      update sends s set status = r.status, provider_id = r.provider_id, error = r.error, closed_at = now(),
             idempotency_key = case when r.frees_key then null else s.idempotency_key end
      from page r where s.id = r.id and coalesce(s.status, 'pending') = 'pending' returning s.*
    ), woken as (
      insert into outbox (workflow_id, message, priority, project_id)
      select 'enrollment/' || e.id, ${CHANGED}, ${priorityOf(sql`(select count(*) from closed)`)}, e.project_id
      from closed c join enrollments e on e.contact_id = c.contact_id and e.project_id = c.project_id and e.status = 'active' and e.watches_contact
      where c.status = 'sent' returning 1
    )${events ? sql`, emitted as (${events})` : sql``}
    select id, project_id, contact_id, to_email, delivery_status, opened_at, closed_at, source_type, source_id, variant, (select count(*) from woken) as woken
    from closed`);
}

/** The second form costs twice as much; most projects have no endpoint. */
const CLOSING = {
  plain: closing(undefined),
  withEvents: closing(emitting(emailEvents('closed', 'email.sent', {}, sql`s.status = 'sent'`))),
};

/**
 * Gives the sends of a page their outcomes in one statement; a late repetition changes nothing. The events for webhooks are written by the
 * same statement, and with an address that does not exist the bounce in the same transaction.
 */
export async function closeMany(em: EntityManager, page: readonly SendClosing[]): Promise<void> {
  const bounced = page.filter(({ outcome }) => outcome.status === 'failed' && outcome.badAddress);
  const others = page.filter((closing) => !bounced.includes(closing));
  if (others.length > 0) await writeOutcomes(em, others);
  for (const closing of bounced) {
    await em.transactional(async (tx) => {
      const [send] = await writeOutcomes(tx, [closing]);
      if (send) await reportBounce(tx, send, closing.outcome);
    });
  }
}

async function writeOutcomes(em: EntityManager, page: readonly SendClosing[]): Promise<ClosedSend[]> {
  const hasWebhooks = page.some((closing) => closing.hasWebhooks && closing.outcome.status === 'sent');
  const rows = page.map(({ id, outcome }) =>
    outcome.status === 'sent'
      ? { id, status: outcome.status, provider_id: outcome.providerId && storable(outcome.providerId) }
      : {
          id,
          status: outcome.status,
          error: storable(errorText(outcome.reason, outcome.message)),
          // What surely was not accepted may be asked for again under the same key: decisions.md 4.3.
          frees_key: outcome.reason === 'provider_unavailable',
        },
  );
  const closed = await CLOSING[hasWebhooks ? 'withEvents' : 'plain'](em, [JSON.stringify(rows)]);
  if (closed[0] && closed[0].woken > 0) noteMessages(em);
  return closed;
}

/** The hard bounce that a provider told at the hand-over already. */
export async function reportBounce(tx: EntityManager, send: ClosedSend, outcome: SendOutcome): Promise<void> {
  const code = outcome.status === 'failed' ? /\b5\.\d{1,3}\.\d{1,3}\b/.exec(outcome.message)?.[0] : undefined;
  const bounce = { kind: 'hard', ...(code ? { code } : {}) } as const;
  const now = send.closed_at ?? send.opened_at;
  await applyReport(tx, send, { status: 'bounced', bounce, occurredAt: now, isFirst: true, softBounceLimit: 1, now });
}
