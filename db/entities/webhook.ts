import { defineEntity, type InferEntity } from '@mikro-orm/core';

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
