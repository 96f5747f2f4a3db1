import { defineEntity, type InferEntity } from '@mikro-orm/core';

export const Contact = defineEntity({
  name: 'Contact',
  tableName: 'contacts',
  properties: (p) => ({
    id: p.uuid().primary(),
    project_id: p.uuid(),
    email: p.text(),
    first_name: p.text().nullable(),
    last_name: p.text().nullable(),
    display_name: p.text().nullable(),
    status: p.text(),
    brand_id: p.text(),
    source: p.text().defaultRaw(`''`),
    tags: p.array().defaultRaw(`'{}'`),
    timezone: p.text().nullable(),
    locale: p.text().nullable(),
    attributes: p.json<unknown>().defaultRaw(`'{}'`),
    consent_source: p.text().nullable(),
    consent_ip: p.text().nullable(),
    consent_user_agent: p.text().nullable(),
    consent_at: p.datetime(3).nullable(),
    created_at: p.datetime(3).defaultRaw(`now()`),
    updated_at: p.datetime(3).defaultRaw(`now()`),
  }),
});
export type ContactRow = InferEntity<typeof Contact>;

export const Suppression = defineEntity({
  name: 'Suppression',
  tableName: 'suppressions',
  properties: (p) => ({
    project_id: p.uuid().primary(),
    email: p.text().primary(),
    reason: p.text(),
    created_at: p.datetime(3).defaultRaw(`now()`),
  }),
});
export type SuppressionRow = InferEntity<typeof Suppression>;

export const ProductEvent = defineEntity({
  name: 'ProductEvent',
  tableName: 'events',
  properties: (p) => ({
    id: p.uuid().primary(),
    project_id: p.uuid(),
    contact_id: p.uuid(),
    type: p.text(),
    data: p.json<unknown>(),
    created_at: p.datetime(3).defaultRaw(`now()`),
  }),
});
export type ProductEventRow = InferEntity<typeof ProductEvent>;
