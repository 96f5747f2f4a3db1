import { type RawBuilder, sql } from 'kysely';
import { changedTopics } from '../../../domain/contacts/topic.ts';
import { NO_TEMPLATE } from '../../../domain/sends/send.ts';
import type { ContactEventType, DomainEventType, EmailEventType, EndEventType } from '../../../domain/webhooks/event-types.ts';
import { HIDDEN_COLUMNS } from '../../contact-columns.ts';
import type { ContactRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { noteMessages } from '../../outbox-signal.ts';
import { preparedRow, preparedStatement } from '../../rows.ts';
import { START_BURST, startingDeliveries, workflowIdOf } from '../operations/outbox.ts';
import { AGAINST_ITS_END, goesToBurst } from './burst-or-workflow.ts';
import { IS_HEARD } from './webhook-listeners.ts';

/** Something that happened, as it is sent to endpoints: docs/contract/webhooks.md 7 says when, 9 with which data. */
export type OutgoingEvent =
  /** `adds`: what the event tells beside the contact or the send, like `url`. */
  | { readonly type: ContactEventType; readonly contact: ContactRow; readonly adds?: Readonly<Record<string, unknown>> }
  | { readonly type: EmailEventType; readonly sendId: string; readonly adds?: Readonly<Record<string, unknown>> }
  | { readonly type: EndEventType | DomainEventType; readonly data: Readonly<Record<string, unknown>> };

/** The one way an outgoing event is written: in the transaction of the change itself. Nothing is kept that no enabled endpoint and no listener wants. */
export async function emit(tx: EntityManager, projectId: string, event: OutgoingEvent): Promise<void> {
  await emitAll(tx, projectId, [event]);
}

/** Several events in one statement, in the order given. */
export async function emitAll(tx: EntityManager, projectId: string, events: readonly OutgoingEvent[]): Promise<void> {
  if (events.length === 0) return;
  // A thousand contacts are not sent to the database to find that nobody listens.
  const hasWebhooks = await preparedRow(tx, sql`select 1 from projects where id = ${projectId} and has_webhooks`);
  if (!hasWebhooks) return;
  const written = JSON.stringify(events.map((event, place) => ({ place, ...given(event) })));
  const [emitted] = await EMITTING(tx, [projectId, written]);
  if (emitted && emitted.messages > 0) noteMessages(tx);
}

/**
 * The same as CTEs of a larger statement: `source` gives rows of place, project_id, type and data. A change that must cost one round trip
 * puts these behind its own; where the project has no endpoint (`has_webhooks`) it does without. The count of `emitted_messages` says
 * whether the outbox has something new.
 *
 * One delivery is written for each enabled endpoint that wants the event, for its burst or with a workflow: burst-or-workflow.ts. What a listener
 * wants waits for it in rows of its own, which start nothing.
 */
export function emitting(source: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    emitted_happened as materialized (
      select uuid_v7() as id, e.place, e.project_id, e.type, e.data from (${source}) e
    ), emitted_endpoints as materialized (
      select w.id, w.project_id, w.events, w.has_lane from webhook_endpoints w
      where w.enabled and w.project_id in (select project_id from emitted_happened) ${AGAINST_ITS_END}
    ), emitted_wanted as materialized (
      select h.id as event_id, h.place, h.project_id, w.id as endpoint_id, w.has_lane,
             ${goesToBurst(sql`count(*) over (partition by w.id)`)} as in_lane
      from emitted_happened h join emitted_endpoints w on w.project_id = h.project_id and (w.events is null or h.type = any(w.events))
    ), emitted_listeners as materialized (
      select l.id, l.project_id, l.events from webhook_listeners l
      where l.project_id in (select project_id from emitted_happened) and ${IS_HEARD} ${AGAINST_ITS_END}
    ), emitted_heard as materialized (
      select h.id as event_id, h.place, l.id as listener_id
      from emitted_happened h join emitted_listeners l on l.project_id = h.project_id and (l.events is null or h.type = any(l.events))
    ), emitted_events as (
      insert into webhook_events (id, project_id, type, data)
      select h.id, h.project_id, h.type, h.data from emitted_happened h
      where h.id in (select event_id from emitted_wanted) or h.id in (select event_id from emitted_heard)
    ), emitted_to_listeners as (
      insert into listener_deliveries (listener_id, event_id) select e.listener_id, e.event_id from emitted_heard e order by e.place
    ), emitted_deliveries as (
      insert into webhook_deliveries (id, project_id, endpoint_id, event_id, in_lane)
      select uuid_v7(), e.project_id, e.endpoint_id, e.event_id, e.in_lane from emitted_wanted e order by e.place
      returning id, project_id, in_lane
    ), emitted_messages as (
      ${startingDeliveries(sql`select id, project_id from emitted_deliveries where not in_lane`, sql`(select count(*) from emitted_wanted where not in_lane)`)}
      union all
      select distinct ${workflowIdOf('webhookBurst', 'e.endpoint_id')}, ${START_BURST}, 1, e.project_id from emitted_wanted e where e.in_lane and not e.has_lane
      returning 1
    )`;
}

const EMITTING = preparedStatement(sql<{ messages: number }>`
  with given as materialized (
    select * from jsonb_to_recordset($2::jsonb) as g(place integer, type text, data jsonb, "sendId" uuid, adds jsonb)
  ), ${emitting(sql`
    select g.place, $1::uuid as project_id, g.type, g.data from given g where g."sendId" is null
    union all
    select g.place, s.project_id, g.type, ${emailData()} || coalesce(g.adds, '{}'::jsonb) from given g join sends s on s.id = g."sendId"`)}
  select count(*) as messages from emitted_messages`);

/** An event as the statement reads it. */
function given(event: OutgoingEvent): object {
  const { type } = event;
  if ('sendId' in event) return { type, sendId: event.sendId, adds: event.adds };
  return { type, data: 'contact' in event ? { ...contactRecord(event.contact), ...event.adds } : event.data };
}

/** The event of a contact that has just come into its status, if endpoints can subscribe to that: docs/contract/webhooks.md 7. */
export function statusEvents(contact: ContactRow): OutgoingEvent[] {
  const { status } = contact;
  return status === 'subscribed' || status === 'unsubscribed' ? [{ type: `contact.${status}`, contact }] : [];
}

/** The event of a contact whose choices of topics have changed; `changed_topics` has those that did. */
export function topicEvents(before: ContactRow, after: ContactRow): OutgoingEvent[] {
  const changed = changedTopics(before.topics, after.topics);
  return changed ? [{ type: 'contact.topics_changed', contact: after, adds: { changed_topics: changed.after } }] : [];
}

/** Rows for `emitting`, one for each row of the table or CTE of sends with this name that was sent. */
export function sentEvents(sends: string): RawBuilder<unknown> {
  return sql`
    select row_number() over () as place, s.project_id, ${sql.lit('email.sent' satisfies EmailEventType)}::text as type, ${emailData()} as data
    from ${sql.table(sends)} s where s.status = 'sent'`;
}

/** What an event tells of the send `s`: docs/contract/webhooks.md 9. */
function emailData(): RawBuilder<unknown> {
  return sql`
    jsonb_build_object('send_id', s.id, 'provider_id', s.provider_id, 'contact_id', s.contact_id, 'email', s.to_email,
                       'template', nullif(s.template, ${sql.lit(NO_TEMPLATE)}), 'type', s.type, 'subject', s.subject, 'brand_id', s.brand_id,
                       'source_type', s.source_type, 'source_id', s.source_id)
    || case when s.sandboxed then '{"sandboxed": true}'::jsonb else '{}'::jsonb end
    || case when s.details is null then '{}'::jsonb
            else jsonb_strip_nulls(jsonb_build_object('tags', s.details -> 'tags', 'metadata', s.details -> 'metadata')) end`;
}

/** The record as the API shows it in lists: without the consent record, without what is internal. */
function contactRecord(contact: ContactRow): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(contact).filter(([name]) => !HIDDEN_COLUMNS.includes(name)));
}
