import { type RawBuilder, sql } from 'kysely';
import type { EmailEventType, WebhookEventType } from '../../domain/webhook/event-types.ts';
import { HIDDEN_COLUMNS } from '../contact-columns.ts';
import type { ContactRow } from '../entities/index.ts';
import type { EntityManager } from '../orm.ts';
import { hotRow, row } from '../rows.ts';

/** Something that happened, as it is sent to endpoints: decisions.md 11.3 says when, 11.2 with which data. */
export type OutgoingEvent =
  | { readonly type: 'contact.subscribed' | 'contact.unsubscribed'; readonly contact: ContactRow }
  /** `adds`: what the event tells beside the send, like `url`. */
  | { readonly type: EmailEventType; readonly sendId: string; readonly adds?: Readonly<Record<string, unknown>> }
  | { readonly type: 'sequence.completed' | 'campaign.completed'; readonly data: Readonly<Record<string, unknown>> };

/** The one way an outgoing event is written: in the transaction of the change itself. Nothing is kept that no enabled endpoint wants. */
export async function emit(tx: EntityManager, projectId: string, event: OutgoingEvent): Promise<void> {
  await emitAll(tx, projectId, [event]);
}

/** Several events in one statement, in the order given. */
export async function emitAll(tx: EntityManager, projectId: string, events: readonly OutgoingEvent[]): Promise<void> {
  if (events.length === 0) return;
  // A thousand contacts are not sent to the database to find that nobody listens.
  const hasWebhooks = await hotRow(tx, sql`select 1 from projects where id = ${projectId} and has_webhooks`);
  if (!hasWebhooks) return;
  const each = events.map((event, index) => sql`select ${index}::integer as place, e.* from (${sourceOf(projectId, event)}) e`);
  await row(tx, emitting(sql`${sql.join(each, sql` union all `)} order by place`));
}

/**
 * The same as part of a larger statement: `source` gives rows of project_id, type and data. A change that must cost one round trip puts
 * this into a CTE, where the project's has_webhooks says that somebody listens.
 */
export function emitting(source: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    insert into webhook_events (project_id, type, data)
    select e.project_id, e.type, e.data from (${source}) e
    where exists (select 1 from webhook_endpoints w
                  where w.project_id = e.project_id and w.enabled and (w.events is null or e.type = any(w.events)))`;
}

/** The event of a contact that has just come into its status, if endpoints can subscribe to that: decisions.md 11.3. */
export function statusEvents(contact: ContactRow): OutgoingEvent[] {
  const { status } = contact;
  return status === 'subscribed' || status === 'unsubscribed' ? [{ type: `contact.${status}`, contact }] : [];
}

/** Rows for `emitting`, one for each row of the table or CTE of sends with this name. */
export function emailEvents(
  sends: string,
  type: EmailEventType,
  adds: Readonly<Record<string, unknown>> = {},
  where: RawBuilder<unknown> = sql`true`,
): RawBuilder<unknown> {
  return sql`
    select s.project_id, ${sql.lit(type)}::text as type,
           jsonb_build_object('send_id', s.id, 'provider_id', s.provider_id, 'contact_id', s.contact_id, 'email', s.to_email,
                              'template', s.template, 'type', s.type, 'subject', s.subject, 'brand_id', s.brand_id,
                              'source_type', s.source_type, 'source_id', s.source_id)${
                                Object.keys(adds).length > 0 ? sql` || ${JSON.stringify(adds)}::jsonb` : sql``
                              } as data
    from ${sql.table(sends)} s where ${where}`;
}

function sourceOf(projectId: string, event: OutgoingEvent): RawBuilder<unknown> {
  if ('sendId' in event) return emailEvents('sends', event.type, event.adds, sql`s.id = ${event.sendId}`);
  const data = 'contact' in event ? contactRecord(event.contact) : event.data;
  return sql`select ${projectId}::uuid as project_id, ${event.type satisfies WebhookEventType}::text as type, ${JSON.stringify(data)}::jsonb as data`;
}

/** The record as the API shows it in lists: without the consent record, without what is internal. */
function contactRecord(contact: ContactRow): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(contact).filter(([name]) => !HIDDEN_COLUMNS.includes(name)));
}
