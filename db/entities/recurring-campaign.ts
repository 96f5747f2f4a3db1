import { defineEntity, type InferEntity } from '@mikro-orm/core';
import type { AbTest } from '../../domain/campaigns/ab-test.ts';
import type { Audience, CampaignVariant } from '../../domain/campaigns/campaign.ts';
import type { Goal } from '../../domain/campaigns/goal.ts';
import type { Recurrence } from '../../domain/campaigns/recurrence.ts';
import type { RecurringEndReason, RecurringStatus, RunOutcome, RunReason } from '../../domain/campaigns/recurring.ts';
import type { WindowChoice } from '../../domain/send-window.ts';
import type { SendType } from '../../domain/sends/send.ts';

/** A rule, and what a campaign is made of at each of its instants. */
export const RecurringCampaign = defineEntity({
  name: 'RecurringCampaign',
  tableName: 'recurring_campaigns',
  properties: (p) => ({
    id: p.uuid().primary(),
    project_id: p.uuid(),
    status: p.text().$type<RecurringStatus>().defaultRaw(`'active'`),
    name: p.text().defaultRaw(`''`),
    recurrence: p.json<Recurrence>(),
    /** The first instant that has no outcome yet; null unless it is active. */
    next_due_at: p.datetime(3).strictNullable(),
    /** What comes after it while it is paused has no outcome yet; null: it is not paused, or was before this was kept. */
    paused_from: p.datetime(3).strictNullable(),
    template: p.text(),
    audience: p.json<Audience>(),
    subject: p.text().defaultRaw(`''`),
    has_own_subject: p.boolean().defaultRaw(`false`),
    type: p.text().$type<SendType>(),
    has_own_type: p.boolean().defaultRaw(`false`),
    brand_id: p.text().defaultRaw(`''`),
    has_own_brand: p.boolean().defaultRaw(`false`),
    data: p.json<Readonly<Record<string, unknown>>>().defaultRaw(`'{}'`),
    rate_per_second: p.integer().strictNullable(),
    topic: p.text().strictNullable(),
    variants: p.json<readonly CampaignVariant[]>().strictNullable(),
    /** How the arms of its campaigns are tried; null: they go to everybody by their weights. */
    ab_test: p.json<AbTest>().strictNullable(),
    goal: p.json<Goal>().strictNullable(),
    /** After the instant that a campaign is for. */
    ends_after_minutes: p.integer().strictNullable(),
    /** Of its campaigns; null: the project's. */
    send_window: p.json<NonNullable<WindowChoice>>().strictNullable(),
    /** A test key asked for it: none of the mails of its campaigns leaves. */
    sandboxed: p.boolean().defaultRaw(`false`),
    version: p.integer().defaultRaw(`1`),
    created_at: p.datetime(3),
    changed_at: p.datetime(3),
    /** The key that wrote the last change. */
    changed_by: p.uuid().strictNullable(),
    approved_at: p.datetime(3).strictNullable(),
    /** The key that approved it as it is; null after each change. */
    approved_by: p.uuid().strictNullable(),
    ended_at: p.datetime(3).strictNullable(),
    end_reason: p.text().$type<RecurringEndReason>().strictNullable(),
  }),
});
export type RecurringCampaignRow = InferEntity<typeof RecurringCampaign>;

/** What became of one instant of a recurring campaign. */
export const RecurringRun = defineEntity({
  name: 'RecurringRun',
  tableName: 'recurring_runs',
  properties: (p) => ({
    recurring_id: p.uuid().primary(),
    due_at: p.datetime(3).primary(),
    outcome: p.text().$type<RunOutcome>(),
    reason: p.text().$type<RunReason>().strictNullable(),
    campaign_id: p.uuid().strictNullable(),
    at: p.datetime(3),
  }),
});
export type RecurringRunRow = InferEntity<typeof RecurringRun>;
