import { defineEntity, type InferEntity } from '@mikro-orm/core';
import type { ProviderEventDetails, ProviderEventType } from '../../domain/inbound/event.ts';
import type { SettableProvider } from '../../domain/inbound/providers.ts';

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
    /** Where the report names the send itself. */
    reported_send_id: p.uuid().strictNullable(),
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
    provider: p.text().$type<SettableProvider>().primary(),
    sealed_value: p.blob(),
    updated_at: p.datetime(3).defaultRaw(`now()`),
  }),
});
export type InboundSettingRow = InferEntity<typeof InboundSetting>;
