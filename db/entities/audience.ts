import { defineEntity, type InferEntity } from '@mikro-orm/core';
import type { ProviderEventDetails, ProviderEventType } from '../../domain/inbound/event.ts';
import type { SegmentFilter } from '../../domain/segment.ts';

export const Segment = defineEntity({
  name: 'Segment',
  tableName: 'segments',
  properties: (p) => ({
    id: p.uuid().primary(),
    project_id: p.uuid(),
    label: p.text(),
    brand_id: p.text().strictNullable(),
    filter: p.json<SegmentFilter>(),
    created_at: p.datetime(3).defaultRaw(`now()`),
    updated_at: p.datetime(3).defaultRaw(`now()`),
  }),
});
export type SegmentRow = InferEntity<typeof Segment>;

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

export const ProviderEvent = defineEntity({
  name: 'ProviderEvent',
  tableName: 'provider_events',
  properties: (p) => ({
    id: p.uuid().primary(),
    project_id: p.uuid(),
    provider: p.text(),
    event_key: p.text(),
    type: p.text().$type<ProviderEventType>(),
    provider_ids: p.array(),
    details: p.json<ProviderEventDetails>(),
    body: p.text().strictNullable(),
    occurred_at: p.datetime(3),
    received_at: p.datetime(3),
    applied_at: p.datetime(3).strictNullable(),
    send_id: p.uuid().strictNullable(),
    email: p.text().strictNullable(),
    look_at: p.datetime(3).defaultRaw(`now()`),
  }),
});
export type ProviderEventRow = InferEntity<typeof ProviderEvent>;

export const InboundSetting = defineEntity({
  name: 'InboundSetting',
  tableName: 'inbound_settings',
  properties: (p) => ({
    project_id: p.uuid().primary(),
    provider: p.text().primary(),
    sealed_value: p.blob(),
    updated_at: p.datetime(3).defaultRaw(`now()`),
  }),
});
export type InboundSettingRow = InferEntity<typeof InboundSetting>;
