import { defineEntity, type InferEntity } from '@mikro-orm/core';

export const Project = defineEntity({
  name: 'Project',
  tableName: 'projects',
  properties: (p) => ({
    id: p.uuid().primary(),
    slug: p.text(),
    name: p.text(),
    status: p.text().defaultRaw(`'active'`),
    owner_email_verified: p.boolean().defaultRaw(`true`),
    inbound_id: p.text(),
    sealed_link_secret: p.blob(),
    sealed_inbound_secret: p.blob(),
    sealed_webhook_secret: p.blob(),
    created_at: p.datetime(3).defaultRaw(`now()`),
  }),
});
export type ProjectRow = InferEntity<typeof Project>;

export const Brand = defineEntity({
  name: 'Brand',
  tableName: 'brands',
  properties: (p) => ({
    project_id: p.uuid().primary(),
    slug: p.text().primary(),
    name: p.text(),
    from_email: p.text().nullable(),
    from_name: p.text().nullable(),
    reply_to: p.text().nullable(),
    logo_url: p.text().nullable(),
    color: p.text().nullable(),
    website: p.text().nullable(),
    address: p.text().nullable(),
    track_transactional: p.boolean().defaultRaw(`false`),
    is_default: p.boolean().defaultRaw(`false`),
    created_at: p.datetime(3).defaultRaw(`now()`),
  }),
});
export type BrandRow = InferEntity<typeof Brand>;

export const SendingDomain = defineEntity({
  name: 'SendingDomain',
  tableName: 'sending_domains',
  properties: (p) => ({
    id: p.uuid().primary(),
    project_id: p.uuid(),
    domain: p.text(),
    verified: p.boolean().defaultRaw(`false`),
    created_at: p.datetime(3).defaultRaw(`now()`),
  }),
});
export type SendingDomainRow = InferEntity<typeof SendingDomain>;

export const ApiKey = defineEntity({
  name: 'ApiKey',
  tableName: 'api_keys',
  properties: (p) => ({
    id: p.uuid().primary(),
    project_id: p.uuid(),
    public_id: p.text(),
    hash: p.blob(),
    name: p.text().nullable(),
    scopes: p.array(),
    last_used_at: p.datetime(3).nullable(),
    revoked_at: p.datetime(3).nullable(),
    created_at: p.datetime(3).defaultRaw(`now()`),
  }),
});
export type ApiKeyRow = InferEntity<typeof ApiKey>;
