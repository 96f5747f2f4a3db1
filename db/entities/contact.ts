import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { ConfirmationState } from '../../domain/contacts/confirmation.ts';
import type { ConsentCause, ConsentRecord } from '../../domain/contacts/consent.ts';
import type { ContactStatus } from '../../domain/contacts/contact.ts';
import type { TopicChoices } from '../../domain/contacts/topic.ts';
import type { SuppressionReason } from '../../domain/suppressions/suppression.ts';

export const Contact = defineEntity({
  name: 'Contact',
  tableName: 'contacts',
  properties: (p) => ({
    /** Unique in its project only: callers may choose it. */
    id: p.uuid().primary(),
    project_id: p.uuid().primary(),
    email: p.text(),
    first_name: p.text().strictNullable(),
    last_name: p.text().strictNullable(),
    display_name: p.text().strictNullable(),
    status: p.text().$type<ContactStatus>(),
    brand_id: p.text(),
    source: p.text().defaultRaw(`''`),
    tags: p.array().defaultRaw(`'{}'`),
    timezone: p.text().strictNullable(),
    locale: p.text().strictNullable(),
    attributes: p.json<Readonly<Record<string, unknown>>>().defaultRaw(`'{}'`),
    /** What the person chose; of a topic that is not there the default counts. */
    topics: p.json<TopicChoices>().defaultRaw(`'{}'`),
    consent_source: p.text().strictNullable(),
    consent_ip: p.text().strictNullable(),
    consent_user_agent: p.text().strictNullable(),
    consent_at: p.datetime(3).strictNullable(),
    created_at: p.datetime(3).defaultRaw(`now()`),
    updated_at: p.datetime(3).defaultRaw(`now()`),
  }),
});
export type ContactRow = InferEntity<typeof Contact>;

/** A change of a contact's status, of its topics or of what shows that the person agreed. Kept for as long as the contact. */
export const ConsentChange = defineEntity({
  name: 'ConsentChange',
  tableName: 'consent_changes',
  properties: (p) => ({
    project_id: p.uuid().primary(),
    contact_id: p.uuid().primary(),
    id: p.bigint('number').primary().autoincrement(),
    at: p.datetime(3),
    from_status: p.text().$type<ContactStatus>(),
    to_status: p.text().$type<ContactStatus>(),
    cause: p.text().$type<ConsentCause['cause']>(),
    cause_id: p.uuid().strictNullable(),
    /** Null, like `consent_after`, where the consent stayed. */
    consent_before: p.json<ConsentRecord>().strictNullable(),
    consent_after: p.json<ConsentRecord>().strictNullable(),
    /** Of the choices that changed; null, like `topics_after`, where none did. */
    topics_before: p.json<TopicChoices>().strictNullable(),
    topics_after: p.json<TopicChoices>().strictNullable(),
    /** The person's own request, where the change came by a page. */
    by_ip: p.text().strictNullable(),
    by_user_agent: p.text().strictNullable(),
  }),
});

/** A contact that was asked whether it wants mail. */
export const Confirmation = defineEntity({
  name: 'Confirmation',
  tableName: 'confirmations',
  properties: (p) => ({
    id: p.uuid().primary(),
    project_id: p.uuid(),
    contact_id: p.uuid(),
    state: p.text().$type<ConfirmationState>().defaultRaw(`'waiting'`),
    /** Whether the sign-up made the contact. */
    made_contact: p.boolean(),
    /** One of many that were asked at once. */
    is_bulk: p.boolean().defaultRaw(`false`),
    /** Sign-ups that were answered by a mail, and when the person was asked after the last of them, or is to be. */
    round: p.integer().defaultRaw(`1`),
    asked_at: p.datetime(3),
    /** Of this round; when the last of all was made, and why it did not leave. */
    mails: p.integer().defaultRaw(`0`),
    mailed_at: p.datetime(3).strictNullable(),
    failure: p.text().strictNullable(),
    created_at: p.datetime(3),
    ended_at: p.datetime(3).strictNullable(),
    /** The person's own request, and the words of the page that it was made on. */
    by_ip: p.text().strictNullable(),
    by_user_agent: p.text().strictNullable(),
    shown_text: p.text().strictNullable(),
  }),
});
export type ConfirmationRow = InferEntity<typeof Confirmation>;

/** Something that people choose to get or not. */
export const Topic = defineEntity({
  name: 'Topic',
  tableName: 'topics',
  properties: (p) => ({
    project_id: p.uuid().primary(),
    key: p.text().primary(),
    name: p.text(),
    description: p.text().defaultRaw(`''`),
    /** Whether it goes to those who have not chosen. */
    default_on: p.boolean(),
    /** Whether the page of choices offers it to everybody. */
    public: p.boolean(),
    created_at: p.datetime(3).defaultRaw(`now()`),
  }),
});
export type TopicRow = InferEntity<typeof Topic>;

/** An id that a contact had which was merged into another one; links in mails that went out still have it. */
export const MergedContact = defineEntity({
  name: 'MergedContact',
  tableName: 'merged_contacts',
  properties: (p) => ({
    id: p.uuid().primary(),
    project_id: p.uuid().primary(),
    contact_id: p.uuid(),
  }),
});

export const Suppression = defineEntity({
  name: 'Suppression',
  tableName: 'suppressions',
  properties: (p) => ({
    project_id: p.uuid().primary(),
    email: p.text().primary(),
    reason: p.text().$type<SuppressionReason>(),
    created_at: p.datetime(3).defaultRaw(`now()`),
  }),
});
export type SuppressionRow = InferEntity<typeof Suppression>;

/** A suppression of an address whose plain text was erased. */
export const ErasedSuppression = defineEntity({
  name: 'ErasedSuppression',
  tableName: 'erased_suppressions',
  properties: (p) => ({
    project_id: p.uuid().primary(),
    /** As the function address_hash makes it. */
    address_hash: p.blob().primary(),
    reason: p.text().$type<SuppressionReason>(),
    created_at: p.datetime(3).defaultRaw(`now()`),
  }),
});

/** A contact that is gone, and traces of whom may still stand elsewhere. */
export const Erasure = defineEntity({
  name: 'Erasure',
  tableName: 'erasures',
  properties: (p) => ({
    project_id: p.uuid().primary(),
    contact_id: p.uuid().primary(),
    email: p.text(),
    begun_at: p.datetime(3),
  }),
});
export type ErasureRow = InferEntity<typeof Erasure>;

export const ProductEvent = defineEntity({
  name: 'ProductEvent',
  tableName: 'events',
  properties: (p) => ({
    id: p.uuid().primary(),
    project_id: p.uuid(),
    contact_id: p.uuid(),
    type: p.text(),
    data: p.json<Readonly<Record<string, unknown>>>(),
    created_at: p.datetime(3).defaultRaw(`now()`),
  }),
});
export type ProductEventRow = InferEntity<typeof ProductEvent>;

/** An event, or an enrollment, that was refused since the contact had unsubscribed. */
export const RefusedEntry = defineEntity({
  name: 'RefusedEntry',
  tableName: 'refused_entries',
  properties: (p) => ({
    id: p.uuid().primary(),
    project_id: p.uuid(),
    contact_id: p.uuid(),
    /** Null of an enrollment, which has its sequence. */
    event_type: p.text().strictNullable(),
    sequence_id: p.uuid().strictNullable(),
    created_at: p.datetime(3).defaultRaw(`now()`),
  }),
});

/** A type of product events that came lately: at most 1,000 of a project. */
export const SeenEventType = defineEntity({
  name: 'SeenEventType',
  tableName: 'event_types',
  properties: (p) => ({
    project_id: p.uuid().primary(),
    type_hash: p.blob().primary(),
    type: p.text(),
    last_seen_at: p.datetime(3),
  }),
});

export const ContactTagCount = defineEntity({
  name: 'ContactTagCount',
  tableName: 'contact_tag_counts',
  properties: (p) => ({
    id: p.bigint('number').primary(),
    project_id: p.uuid(),
    tag: p.text(),
    status: p.text(),
    delta: p.bigint('number'),
    is_sum: p.boolean().defaultRaw(`false`),
  }),
});

export const ContactCount = defineEntity({
  name: 'ContactCount',
  tableName: 'contact_counts',
  properties: (p) => ({
    id: p.bigint('number').primary(),
    project_id: p.uuid(),
    status: p.text(),
    delta: p.bigint('number'),
  }),
});

/** What is counted of the contacts of an hour: migration 0071. */
const growth = () => ({
  made: p.bigint('number'),
  /** Left by unsubscribing, who had not left before. */
  unsubscribed: p.bigint('number'),
  /** Left because mail came back, who had not left before. */
  bounced: p.bigint('number'),
  /** Came back from either. */
  resubscribed: p.bigint('number'),
  erased: p.bigint('number'),
});

/** What happened to the contacts of a project in one hour: the sum of this row and of its changes. */
export const HourOfGrowth = defineEntity({
  name: 'HourOfGrowth',
  tableName: 'contact_growth',
  properties: (p) => ({
    project_id: p.uuid().primary(),
    hour: p.datetime(3).primary(),
    ...growth(),
  }),
});

/** What is to be added to a row of HourOfGrowth: rows are only added, so that no two writers wait for each other. */
export const ContactGrowthChange = defineEntity({
  name: 'ContactGrowthChange',
  tableName: 'contact_growth_changes',
  properties: (p) => ({
    project_id: p.uuid().primary(),
    hour: p.datetime(3).primary(),
    id: p.bigint('number').primary().autoincrement(),
    ...growth(),
  }),
});
