import { defineEntity, type InferEntity } from '@mikro-orm/core';
import type { AttemptRecord, DeliveryStatus } from '../../domain/webhooks/delivery.ts';
import type { RetryStatus } from '../../domain/webhooks/retry.ts';
import type { ShownAnswer } from '../../domain/webhooks/shown-answer.ts';

export const WebhookEndpoint = defineEntity({
  name: 'WebhookEndpoint',
  tableName: 'webhook_endpoints',
  properties: (p) => ({
    id: p.uuid().primary(),
    project_id: p.uuid(),
    url: p.text(),
    events: p.array().strictNullable(),
    enabled: p.boolean().defaultRaw(`true`),
    sealed_secret: p.blob(),
    sealed_previous_secret: p.blob().strictNullable(),
    previous_secret_until: p.datetime(3).strictNullable(),
    has_lane: p.boolean().defaultRaw(`false`),
    keep_answers: p.boolean().defaultRaw(`false`),
    created_at: p.datetime(3).defaultRaw(`now()`),
  }),
});
export type WebhookEndpointRow = InferEntity<typeof WebhookEndpoint>;

export const WebhookEvent = defineEntity({
  name: 'WebhookEvent',
  tableName: 'webhook_events',
  properties: (p) => ({
    id: p.uuid().primary().defaultRaw(`uuid_v7()`),
    project_id: p.uuid(),
    type: p.text(),
    data: p.json<unknown>(),
    created_at: p.datetime(3).defaultRaw(`now()`),
  }),
});
export type WebhookEventRow = InferEntity<typeof WebhookEvent>;

export const WebhookDelivery = defineEntity({
  name: 'WebhookDelivery',
  tableName: 'webhook_deliveries',
  properties: (p) => ({
    id: p.uuid().primary().defaultRaw(`uuid_v7()`),
    place: p.bigint('number').autoincrement(),
    project_id: p.uuid(),
    endpoint_id: p.uuid(),
    event_id: p.uuid(),
    status: p.text().$type<DeliveryStatus>().defaultRaw(`'pending'`),
    series: p.integer().defaultRaw(`1`),
    attempts: p.smallint().defaultRaw(`0`),
    response_status: p.smallint().strictNullable(),
    next_attempt_at: p.datetime(3).defaultRaw(`now()`),
    in_lane: p.boolean().defaultRaw(`false`),
    attempt_log: p.json<readonly AttemptRecord[]>().defaultRaw(`'[]'`),
    created_at: p.datetime(3).defaultRaw(`now()`),
    retried_by: p.uuid().strictNullable(),
  }),
});
export type WebhookDeliveryRow = InferEntity<typeof WebhookDelivery>;

export const WebhookAttempt = defineEntity({
  name: 'WebhookAttempt',
  tableName: 'webhook_attempts',
  properties: (p) => ({
    delivery_id: p.uuid().primary(),
    token: p.uuid(),
    begun_at: p.datetime(3),
  }),
});

/** What is kept of the answer to an attempt, which began then. */
export const WebhookAnswer = defineEntity({
  name: 'WebhookAnswer',
  tableName: 'webhook_answers',
  properties: (p) => ({
    delivery_id: p.uuid().primary(),
    at: p.datetime(3).primary(),
    answer: p.json<ShownAnswer>(),
  }),
});

/** A retry of all that has failed. */
export const WebhookRetry = defineEntity({
  name: 'WebhookRetry',
  tableName: 'webhook_retries',
  properties: (p) => ({
    id: p.uuid().primary(),
    project_id: p.uuid(),
    endpoint_id: p.uuid(),
    status: p.text().$type<RetryStatus>().defaultRaw(`'running'`),
    event_type: p.text().strictNullable(),
    made_from: p.datetime(3).strictNullable(),
    made_to: p.datetime(3).strictNullable(),
    total: p.integer(),
    retried: p.integer().defaultRaw(`0`),
    after_created_at: p.datetime(3).strictNullable(),
    after_place: p.bigint('number').strictNullable(),
    created_at: p.datetime(3).defaultRaw(`now()`),
    ended_at: p.datetime(3).strictNullable(),
  }),
});
export type WebhookRetryRow = InferEntity<typeof WebhookRetry>;

/** Somebody who fetches events for a while. */
export const WebhookListener = defineEntity({
  name: 'WebhookListener',
  tableName: 'webhook_listeners',
  properties: (p) => ({
    id: p.uuid().primary(),
    project_id: p.uuid(),
    events: p.array().strictNullable(),
    sealed_secret: p.blob(),
    heard_at: p.datetime(3).defaultRaw(`now()`),
    created_at: p.datetime(3).defaultRaw(`now()`),
  }),
});
export type WebhookListenerRow = InferEntity<typeof WebhookListener>;

/** An event that waits to be fetched, or whose receiver has answered. */
export const ListenerDelivery = defineEntity({
  name: 'ListenerDelivery',
  tableName: 'listener_deliveries',
  properties: (p) => ({
    id: p.uuid().primary().defaultRaw(`uuid_v7()`),
    place: p.bigint('number').autoincrement(),
    listener_id: p.uuid(),
    event_id: p.uuid(),
    handed_out_until: p.datetime(3).strictNullable(),
    created_at: p.datetime(3).defaultRaw(`now()`),
    attempt: p.json<AttemptRecord>().strictNullable(),
  }),
});

/** Its deliveries are still to be dropped. */
export const DeletedWebhookEndpoint = defineEntity({
  name: 'DeletedWebhookEndpoint',
  tableName: 'deleted_webhook_endpoints',
  properties: (p) => ({
    id: p.uuid().primary(),
    deleted_at: p.datetime(3).defaultRaw(`now()`),
  }),
});
