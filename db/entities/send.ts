import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { Origin } from '../../domain/contacts/contact.ts';
import type { SendType, SourceType } from '../../domain/sends/send.ts';
import type { SendCall } from '../../domain/sends/send-call.ts';
import type { SendDetails } from '../../domain/sends/send-details.ts';

export const Send = defineEntity({
  name: 'Send',
  tableName: 'sends',
  properties: (p) => ({
    id: p.uuid().primary(),
    project_id: p.uuid(),
    contact_id: p.uuid().strictNullable(),
    brand_id: p.text(),
    to_email: p.text(),
    template: p.text(),
    type: p.text().$type<SendType>(),
    subject: p.text().defaultRaw(`''`),
    status: p.text().$type<'sent' | 'failed'>().strictNullable(),
    error: p.text().strictNullable(),
    delivery_status: p.text().$type<'queued' | 'delivered' | 'bounced' | 'complained'>().strictNullable(),
    provider_id: p.text().strictNullable(),
    /** The name of the one that was asked; null: none was. */
    provider: p.text().strictNullable(),
    source_type: p.text().$type<SourceType>(),
    source_id: p.text().strictNullable(),
    enrollment_id: p.uuid().strictNullable(),
    node_id: p.text().strictNullable(),
    visit: p.integer().strictNullable(),
    /** Of a campaign with variants. */
    variant: p.text().strictNullable(),
    /** The language of its template that it is in; null: the default. */
    locale: p.text().strictNullable(),
    idempotency_key: p.text().strictNullable(),
    request_hash: p.blob().strictNullable(),
    /** The key that it had until it failed with nothing accepted. */
    freed_key: p.text().strictNullable(),
    /** Of a call with a key. JSON. */
    answer_notes: p.text().strictNullable(),
    /** What the caller of a single mail said of it beside its template and recipient; most have none. */
    details: p.json<SendDetails>().strictNullable(),
    /** Of a failed one that was sent again: the id of the send that followed it. */
    retried_as: p.uuid().strictNullable(),
    /** When that id was given. */
    retried_at: p.datetime(3).strictNullable(),
    opened_at: p.datetime(3).defaultRaw(`now()`),
    closed_at: p.datetime(3).strictNullable(),
    /** While it is an intent: of the process that opened it. */
    journal: p.uuid().strictNullable(),
    first_opened_at: p.datetime(3).strictNullable(),
    open_count: p.integer().defaultRaw(`0`),
    first_clicked_at: p.datetime(3).strictNullable(),
    click_count: p.integer().defaultRaw(`0`),
    last_event_at: p.datetime(3).strictNullable(),
    /** It never left. */
    sandboxed: p.boolean().defaultRaw(`false`),
    created_at: p.datetime(3).defaultRaw(`now()`),
    /** Of the address that it is from; null of mails that are older than this column, and where no sender was found. */
    from_domain: p.text().strictNullable(),
    /** Who gets the recipient's mail (domain/sends/receiver-group.ts); null of who was erased, unless it has an entry there. */
    receiver: p.text().strictNullable(),
    /** Of one that bounced; once it is hard it stays so. */
    bounce_kind: p.text().$type<'hard' | 'soft'>().strictNullable(),
    /** Reported as put off at least once, whatever came of it. */
    was_delayed: p.boolean().strictNullable(),
  }),
});
export type SendRow = InferEntity<typeof Send>;

export const ScheduledSend = defineEntity({
  name: 'ScheduledSend',
  tableName: 'scheduled_sends',
  properties: (p) => ({
    /** Of the send that is to be. */
    id: p.uuid().primary(),
    project_id: p.uuid(),
    due_at: p.datetime(3),
    /** When it may be looked at next: later than it is due while somebody is at it, or its provider is away. */
    available_at: p.datetime(3),
    /** What POST /send was asked for. */
    call: p.json().$type<SendCall>(),
    /** Who asked, for the consent of a contact that the mail makes. */
    caller: p.json().$type<Pick<Origin, 'ip' | 'userAgent'>>(),
    contact_id: p.uuid().strictNullable(),
    /** Of a contact, too: its address never changes. */
    to_email: p.text(),
    template: p.text(),
    type: p.text().$type<SendType>(),
    brand_id: p.text(),
    /** As it was asked for: Liquid. "" where the template has it. */
    subject: p.text(),
    /** A test key asked for it. */
    sandboxed: p.boolean().defaultRaw(`false`),
    /** As its row in `sends` is to have them; null where the caller gave no key. */
    idempotency_key: p.text().strictNullable(),
    request_hash: p.blob().strictNullable(),
    created_at: p.datetime(3).defaultRaw(`now()`),
  }),
});
export type ScheduledSendRow = InferEntity<typeof ScheduledSend>;

export const SendHit = defineEntity({
  name: 'SendHit',
  tableName: 'send_hits',
  properties: (p) => ({
    id: p.bigint('number').primary(),
    send_id: p.uuid(),
    kind: p.text().$type<'opened' | 'clicked' | 'unsubscribed'>(),
    url: p.text().strictNullable(),
    is_bot: p.boolean(),
    at: p.datetime(3),
    link_hash: p.blob().strictNullable(),
    count: p.integer().defaultRaw(`1`),
  }),
});
export type SendHitRow = InferEntity<typeof SendHit>;

/** What is counted of the mails of an hour: migration 0028. */
const counters = () => ({
  sent: p.bigint('number'),
  failed: p.bigint('number'),
  /** Sent, and nothing was reported yet. */
  unreported: p.bigint('number'),
  queued: p.bigint('number'),
  delivered: p.bigint('number'),
  bounced: p.bigint('number'),
  complained: p.bigint('number'),
  opened: p.bigint('number'),
  clicked: p.bigint('number'),
});

/** How many mails of a project that were sent in one hour became what: the sum of this row and of its changes. */
export const SendCount = defineEntity({
  name: 'SendCount',
  tableName: 'send_counts',
  properties: (p) => ({
    project_id: p.uuid().primary(),
    hour: p.datetime(3).primary(),
    ...counters(),
  }),
});

/** What is to be added to a row of SendCount: rows are only added, so that no two writers wait for each other. */
export const SendCountChange = defineEntity({
  name: 'SendCountChange',
  tableName: 'send_count_changes',
  properties: (p) => ({
    project_id: p.uuid().primary(),
    hour: p.datetime(3).primary(),
    id: p.bigint('number').primary().autoincrement(),
    ...counters(),
  }),
});

/** What is counted of the mails of an hour, a sending domain and a receiver: migration 0079. */
const reputationCounters = () => ({
  sent: p.bigint('number'),
  /** Not sent: refused at once because of the address, which counts as a hard bounce too. */
  rejected: p.bigint('number'),
  delivered: p.bigint('number'),
  deferred: p.bigint('number'),
  hard_bounced: p.bigint('number'),
  soft_bounced: p.bigint('number'),
  complained: p.bigint('number'),
});

/** How many mails of a project that were sent in one hour from one domain to one receiver became what: the sum of this row and of its changes. */
export const ReputationCount = defineEntity({
  name: 'ReputationCount',
  tableName: 'reputation_counts',
  properties: (p) => ({
    project_id: p.uuid().primary(),
    hour: p.datetime(3).primary(),
    from_domain: p.text().primary(),
    /** "" of who was erased. */
    receiver: p.text().primary(),
    ...reputationCounters(),
  }),
});

/** What is to be added to a row of ReputationCount: rows are only added, so that no two writers wait for each other. */
export const ReputationCountChange = defineEntity({
  name: 'ReputationCountChange',
  tableName: 'reputation_count_changes',
  properties: (p) => ({
    project_id: p.uuid().primary(),
    hour: p.datetime(3).primary(),
    id: p.bigint('number').primary().autoincrement(),
    from_domain: p.text(),
    receiver: p.text(),
    ...reputationCounters(),
  }),
});
