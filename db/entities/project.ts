import { defineEntity, type InferEntity } from '@mikro-orm/core';
import type { Findings } from '../../domain/domains/finding.ts';
import type { DkimAlgorithm } from '../../domain/domains/key-turns.ts';
import type { Standing } from '../../domain/domains/standing.ts';
import type { SendWindow } from '../../domain/send-window.ts';
import type { Ramp } from '../../domain/sends/allowance.ts';

export const Project = defineEntity({
  name: 'Project',
  tableName: 'projects',
  properties: (p) => ({
    id: p.uuid().primary(),
    slug: p.text(),
    name: p.text(),
    status: p.text().$type<'active' | 'suspended'>().defaultRaw(`'active'`),
    owner_email_verified: p.boolean().defaultRaw(`true`),
    has_webhooks: p.boolean().defaultRaw(`false`),
    /** No mail of it leaves. */
    sandbox: p.boolean().defaultRaw(`false`),
    executables: p.boolean().defaultRaw(`true`),
    /** A campaign is launched only when a second key has approved it. */
    campaign_approval: p.boolean().defaultRaw(`false`),
    /** Shares beyond which a campaign pauses by itself; null: none. */
    campaign_bounce_limit: p.float().columnType('double precision').strictNullable(),
    campaign_complaint_limit: p.float().columnType('double precision').strictNullable(),
    /** Hours in which its marketing goes; null: at any time. */
    send_window: p.json<SendWindow>().strictNullable(),
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
    from_email: p.text().strictNullable(),
    from_name: p.text().strictNullable(),
    reply_to: p.text().strictNullable(),
    logo_url: p.text().strictNullable(),
    color: p.text().strictNullable(),
    website: p.text().strictNullable(),
    address: p.text().strictNullable(),
    track_transactional: p.boolean().defaultRaw(`false`),
    /** Who becomes a contact without a status is asked to confirm. */
    double_opt_in: p.boolean().defaultRaw(`false`),
    /** null: the one that ships. */
    confirm_template: p.text().strictNullable(),
    /** Hours after a sign-up, ascending. */
    confirm_reminders: p.array(Number).columnType('integer[]').defaultRaw(`'{}'`),
    /** null: nobody is pruned. */
    confirm_prune_days: p.integer().strictNullable().defaultRaw(`30`),
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
    /** Whether mail may be from it: it proves itself by DNS, or an operator vouches for it. */
    verified: p.boolean().defaultRaw(`false`),
    created_at: p.datetime(3).defaultRaw(`now()`),
    /** What its owner is to publish. */
    token: p.text().defaultRaw(`replace((gen_random_uuid())::text, '-'::text, ''::text)`),
    vouched: p.boolean().defaultRaw(`false`),
    standing: p.text().$type<Standing>().defaultRaw(`'pending'`),
    failing_since: p.datetime(3).strictNullable(),
    checked_at: p.datetime(3).strictNullable(),
    /** What the last check found, by the key of the record. */
    findings: p.json().$type<Findings>().defaultRaw(`'{}'`),
    /** Whether its mail is to be signed by Ed25519 as well. */
    ed25519: p.boolean().defaultRaw(`false`),
    /** How many campaign mails a day it starts with; null: no limit. */
    ramp: p.json<Ramp>().strictNullable(),
  }),
});
export type SendingDomainRow = InferEntity<typeof SendingDomain>;

/** A key that signs the mail of a domain (RFC 6376). */
export const DkimKey = defineEntity({
  name: 'DkimKey',
  tableName: 'dkim_keys',
  properties: (p) => ({
    id: p.uuid().primary(),
    domain_id: p.uuid(),
    selector: p.text(),
    /** null: it signs no more, and all mail that it has signed has arrived. */
    sealed_private_key: p.blob().strictNullable(),
    /** The value of its TXT record. */
    record: p.text(),
    created_at: p.datetime(3).defaultRaw(`now()`),
    algorithm: p.text().$type<DkimAlgorithm>().defaultRaw(`'rsa'`),
    signs: p.boolean().defaultRaw(`false`),
    /** When it signed first. */
    signed_at: p.datetime(3).strictNullable(),
    /** Since when another one signs in its place, or none of its algorithm is to. */
    retired_at: p.datetime(3).strictNullable(),
  }),
});
export type DkimKeyRow = InferEntity<typeof DkimKey>;

export const ApiKey = defineEntity({
  name: 'ApiKey',
  tableName: 'api_keys',
  properties: (p) => ({
    id: p.uuid().primary(),
    project_id: p.uuid(),
    public_id: p.text(),
    hash: p.blob(),
    name: p.text().strictNullable(),
    scopes: p.array(),
    /** No mail that it asks for leaves. */
    is_test: p.boolean().defaultRaw(`false`),
    /** The key that made it; null: an operator did. */
    made_by: p.uuid().strictNullable(),
    last_used_at: p.datetime(3).strictNullable(),
    revoked_at: p.datetime(3).strictNullable(),
    created_at: p.datetime(3).defaultRaw(`now()`),
  }),
});
export type ApiKeyRow = InferEntity<typeof ApiKey>;

/** Somebody at the console, with a key. */
export const ConsoleSession = defineEntity({
  name: 'ConsoleSession',
  tableName: 'console_sessions',
  properties: (p) => ({
    id: p.uuid().primary(),
    key_id: p.uuid(),
    hash: p.blob(),
    user_agent: p.text().strictNullable(),
    created_at: p.datetime(3),
    last_used_at: p.datetime(3),
  }),
});
export type ConsoleSessionRow = InferEntity<typeof ConsoleSession>;
