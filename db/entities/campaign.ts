import { defineEntity, type InferEntity } from '@mikro-orm/core';
import type { AbDecision, AbTest } from '../../domain/campaigns/ab-test.ts';
import type { Audience, CampaignReason, CampaignStatus, CampaignVariant } from '../../domain/campaigns/campaign.ts';
import type { JudgedCounts, PausedReason } from '../../domain/campaigns/campaign-limits.ts';
import type { CampaignCounter } from '../../domain/campaigns/counters.ts';
import type { Goal } from '../../domain/campaigns/goal.ts';
import type { LeftOutReason } from '../../domain/campaigns/left-out.ts';
import type { LocalSchedule, ZoneRecipients } from '../../domain/campaigns/local-schedule.ts';
import type { FirstHits, GoalResults, LanguageCounts, Links, Receivers } from '../../domain/campaigns/results.ts';
import type { SendWindow, WindowChoice } from '../../domain/send-window.ts';
import type { AllowanceHolder } from '../../domain/sends/allowance.ts';
import type { SendType } from '../../domain/sends/send.ts';
import type { Languages } from '../../domain/templates/languages.ts';

export const Campaign = defineEntity({
  name: 'Campaign',
  tableName: 'campaigns',
  properties: (p) => ({
    id: p.uuid().primary(),
    project_id: p.uuid(),
    name: p.text().defaultRaw(`''`),
    template: p.text(),
    type: p.text().$type<SendType>(),
    brand_id: p.text(),
    subject: p.text(),
    has_own_subject: p.boolean(),
    data: p.json<Readonly<Record<string, unknown>>>().defaultRaw(`'{}'`),
    audience: p.json<Audience>(),
    variants: p.json<readonly CampaignVariant[]>().strictNullable(),
    scheduled_at: p.datetime(3).strictNullable(),
    /** The time of each recipient's own clock; null: everybody gets it at once. */
    local_schedule: p.json<LocalSchedule>().strictNullable(),
    /** How many of each zone were found when it began; null: it goes by no zones. */
    zones: p.json<readonly ZoneRecipients[]>().strictNullable(),
    ends_at: p.datetime(3).strictNullable(),
    rate_per_second: p.integer().strictNullable(),
    /** The key of the topic that it is of; null: of none. */
    topic: p.text().strictNullable(),
    status: p.text().$type<CampaignStatus>(),
    paused: p.boolean().defaultRaw(`false`),
    reason: p.text().$type<CampaignReason>().strictNullable(),
    audience_size: p.integer().defaultRaw(`0`),
    total_recipients: p.integer().defaultRaw(`0`),
    resolved_at: p.datetime(3).strictNullable(),
    started_at: p.datetime(3).strictNullable(),
    published_version: p.integer().strictNullable(),
    /** What was published in each language when it began. */
    languages: p.json<Languages>().defaultRaw(`'{}'`),
    outages: p.integer().defaultRaw(`0`),
    first_outage_at: p.datetime(3).strictNullable(),
    retry_at: p.datetime(3).strictNullable(),
    next_page_at: p.datetime(3).strictNullable(),
    created_at: p.datetime(3).defaultRaw(`now()`),
    sent_at: p.datetime(3).strictNullable(),
    cancelled_at: p.datetime(3).strictNullable(),
    /** When it was last sent again to those that had failed. */
    retried_at: p.datetime(3).strictNullable(),
    /** A test key asked for it: none of its mails leaves. */
    sandboxed: p.boolean().defaultRaw(`false`),
    /** Goes up with each change of a draft, and of one that is scheduled. */
    version: p.integer().defaultRaw(`1`),
    /** Else the template's. */
    has_own_type: p.boolean().defaultRaw(`true`),
    /** Else the project's default. */
    has_own_brand: p.boolean().defaultRaw(`true`),
    changed_at: p.datetime(3).strictNullable(),
    /** The key that wrote the last change. */
    changed_by: p.uuid().strictNullable(),
    approved_at: p.datetime(3).strictNullable(),
    /** The key that approved it as it is; null after each change. */
    approved_by: p.uuid().strictNullable(),
    /** Changed after it was scheduled: in a project that asks for approval it does not begin before that. */
    awaits_approval: p.boolean().defaultRaw(`false`),
    /** When a draft became one that runs. */
    launched_at: p.datetime(3).strictNullable(),
    goal: p.json<Goal>().strictNullable(),
    /** Whose allowance of the day it has used; null: it does not wait for one. */
    allowance: p.json<AllowanceHolder>().strictNullable(),
    /** Of one that has paused by itself. */
    paused_reason: p.json<PausedReason>().strictNullable(),
    /** What had been counted when it was resumed after that: these mails are judged. */
    judged: p.json<JudgedCounts>().strictNullable(),
    /** The recurring campaign that made it. */
    recurring_id: p.uuid().strictNullable(),
    /** As it was given; null: the project's. */
    send_window: p.json<NonNullable<WindowChoice>>().strictNullable(),
    /** What it goes by since its recipients were found; null: by no window. */
    window_in_force: p.json<SendWindow>().strictNullable(),
    /** How its arms are tried; null: they go to everybody by their weights. */
    ab_test: p.json<AbTest>().strictNullable(),
    /** At which hash each arm of the test ends, the rest behind the last; null: its recipients are not found, or were by an earlier version. */
    test_bounds: p.json<readonly number[]>().strictNullable(),
    /** Since the last mail of the test has its outcome; null: before, or it waits for somebody. */
    decides_at: p.datetime(3).strictNullable(),
    /** What the rest gets, and why; null: it is not decided. */
    ab_decision: p.json<AbDecision>().strictNullable(),
  }),
});
export type CampaignRow = InferEntity<typeof Campaign>;
/** Without what may be large: who gets it, and with which data. */
export type CampaignHead = Omit<CampaignRow, 'audience' | 'data'>;

export const CampaignBatch = defineEntity({
  name: 'CampaignBatch',
  tableName: 'campaign_pages',
  properties: (p) => ({
    campaign_id: p.uuid().primary(),
    no: p.integer().primary(),
    contact_ids: p.array(),
    state: p.text().$type<'pending' | 'leased' | 'open'>().defaultRaw(`'pending'`),
    available_at: p.datetime(3).defaultRaw(`'-infinity'`),
    /** IANA name, '' of who has none; null: it goes whatever its people's clocks show. */
    zone: p.text().strictNullable(),
    /** Not earlier, whatever else lets it go. */
    not_before: p.datetime(3).strictNullable(),
    token: p.uuid().strictNullable(),
    opened_at: p.datetime(3).strictNullable(),
    send_ids: p.array().strictNullable(),
    subjects: p.array().strictNullable(),
    variants: p.array().strictNullable(),
    /** Since when the provider may know the mail of each contact; null: it was surely never submitted. */
    doubted_at: p.array().columnType('timestamptz[]').$type<(Date | null)[]>().strictNullable(),
    /** Of the process that has it open. */
    journal: p.uuid().strictNullable(),
    attempts: p.integer().defaultRaw(`0`),
    first_later_at: p.datetime(3).strictNullable(),
  }),
});
export type CampaignBatchRow = InferEntity<typeof CampaignBatch>;

export const CampaignCount = defineEntity({
  name: 'CampaignCount',
  tableName: 'campaign_counts',
  properties: (p) => ({
    id: p.bigint('number').primary(),
    campaign_id: p.uuid(),
    variant: p.text(),
    counter: p.text().$type<CampaignCounter>(),
    delta: p.bigint('number'),
  }),
});
export type CampaignCountRow = InferEntity<typeof CampaignCount>;

/** People whom a campaign left out at one time, for one reason. */
export const CampaignLeftOut = defineEntity({
  name: 'CampaignLeftOut',
  tableName: 'campaign_left_out',
  properties: (p) => ({
    id: p.uuid().primary().defaultRaw(`uuid_v7()`),
    campaign_id: p.uuid(),
    reason: p.text().$type<LeftOutReason>(),
    /** The rows of a run do not overlap; 0: one by one. */
    run: p.integer(),
    /** Of `contact_ids`, which are in order; at random when all of them were erased. */
    first_id: p.uuid(),
    contact_ids: p.array(),
    /** How many they were, before any was erased. */
    size: p.integer(),
    at: p.datetime(3).defaultRaw(`now()`),
  }),
});

/** What a campaign led to, as it was counted last. */
export const CampaignResult = defineEntity({
  name: 'CampaignResult',
  tableName: 'campaign_results',
  properties: (p) => ({
    campaign_id: p.uuid().primary(),
    /** Goes up when somebody is erased whose clicks were counted. */
    erasures: p.integer().defaultRaw(`0`),
    counted_at: p.datetime(3).strictNullable(),
    /** Milliseconds that it took. */
    took: p.integer().strictNullable(),
    hours: p.json<readonly FirstHits[]>().strictNullable(),
    days: p.json<readonly FirstHits[]>().strictNullable(),
    links: p.json<Links>().strictNullable(),
    receivers: p.json<Receivers>().strictNullable(),
    languages: p.json<readonly LanguageCounts[]>().strictNullable(),
    /** By which the conversions were counted. */
    goal: p.json<Goal>().strictNullable(),
    conversions: p.json<GoalResults['byVariant']>().strictNullable(),
    converted_at: p.datetime(3).strictNullable(),
  }),
});
export type CampaignResultRow = InferEntity<typeof CampaignResult>;
