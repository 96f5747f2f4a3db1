import { defineEntity, type InferEntity } from '@mikro-orm/core';

/** How many mails of its daily allowance a mail provider was given, or processes have taken for it. */
export const ProviderDay = defineEntity({
  name: 'ProviderDay',
  tableName: 'provider_days',
  properties: (p) => ({
    provider: p.text().primary(),
    /** UTC. */
    day: p.date().primary(),
    taken: p.integer(),
    /** Since when mails have found nothing left of its daily allowance. */
    used_at: p.datetime(3).nullable(),
  }),
});
export type ProviderDayRow = InferEntity<typeof ProviderDay>;

/** How many mails of its ramp went from a sending domain, or processes have taken for it. */
export const DomainDay = defineEntity({
  name: 'DomainDay',
  tableName: 'domain_days',
  properties: (p) => ({
    domain_id: p.uuid().primary(),
    /** UTC. */
    day: p.date().primary(),
    taken: p.integer(),
  }),
});
export type DomainDayRow = InferEntity<typeof DomainDay>;

/** A mail provider that a process passes over. */
export const ProviderState = defineEntity({
  name: 'ProviderState',
  tableName: 'provider_states',
  properties: (p) => ({
    provider: p.text().primary(),
    process_id: p.uuid().primary(),
    since: p.datetime(3),
    reason: p.text(),
    /** The process tells it again and again while it lasts. */
    told_at: p.datetime(3),
  }),
});
export type ProviderStateRow = InferEntity<typeof ProviderState>;
