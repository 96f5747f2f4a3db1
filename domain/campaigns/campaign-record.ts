import type { SendWindow, WindowChoice } from '../send-window.ts';
import { shownChoice, shownWindow } from '../send-window-schema.ts';
import type { AllowanceHolder } from '../sends/allowance.ts';
import type { SendType } from '../sends/send.ts';
import { type AbDecision, type AbTest, restOf } from './ab-test.ts';
import { type CampaignReason, type CampaignStatus, type CampaignVariant, ENDED_CAMPAIGN_STATUSES, type ShownAudience } from './campaign.ts';
import type { PausedReason } from './campaign-limits.ts';
import { byCountName, type CampaignCounts, NOTHING_COUNTED, SHOWN_COUNTERS, totalOf, VARIANT_COUNTERS } from './counters.ts';
import type { Goal } from './goal.ts';
import type { LocalSchedule } from './local-schedule.ts';

/** What a campaign's record is made of. */
export interface RecordedCampaign {
  readonly id: string;
  readonly name: string;
  readonly template: string;
  readonly type: SendType;
  readonly subject: string;
  readonly brand_id: string;
  readonly status: CampaignStatus;
  readonly paused: boolean;
  readonly paused_reason: PausedReason | null;
  readonly reason: CampaignReason | null;
  readonly allowance: AllowanceHolder | null;
  readonly retry_at: Date | null;
  readonly scheduled_at: Date | null;
  readonly local_schedule: LocalSchedule | null;
  readonly ends_at: Date | null;
  readonly rate_per_second: number | null;
  readonly send_window: WindowChoice;
  readonly window_in_force: SendWindow | null;
  readonly topic: string | null;
  readonly variants: readonly CampaignVariant[] | null;
  readonly audience_size: number;
  readonly total_recipients: number;
  readonly created_at: Date;
  readonly sent_at: Date | null;
  readonly cancelled_at: Date | null;
  readonly sandboxed: boolean;
  readonly ab_test: AbTest | null;
  readonly decides_at: Date | null;
  readonly ab_decision: AbDecision | null;
  readonly goal: Goal | null;
  readonly recurring_id: string | null;
}

/** What is read beside the campaign's row, since it is large or counted. */
export interface RecordParts {
  readonly audience: ShownAudience;
  /** '' for what belongs to none; undefined while nothing was counted. */
  readonly byVariant: ReadonlyMap<string, CampaignCounts> | undefined;
}

/** The record of docs/contract/campaigns.md 8 with the variants of 19, and whom it is for. */
export function campaignRecord(campaign: RecordedCampaign, { audience, byVariant }: RecordParts) {
  const total = totalOf(byVariant);
  const { id, name, template, type, subject, brand_id, status, paused, paused_reason, reason, scheduled_at, ends_at, rate_per_second } =
    campaign;
  const {
    topic,
    local_schedule: local,
    audience_size,
    total_recipients,
    created_at,
    sent_at,
    cancelled_at,
    sandboxed,
    goal,
    recurring_id,
  } = campaign;
  return {
    id,
    name,
    template,
    type,
    subject,
    brand_id,
    status,
    paused,
    // A process of an earlier version resumes a campaign and leaves why it had paused.
    paused_reason: paused ? paused_reason : null,
    reason,
    allowance: waitingFor(campaign),
    scheduled_at,
    schedule: local && { ...local, timezone: 'contact' as const },
    ends_at,
    rate_per_second,
    send_window: campaign.send_window && shownChoice(campaign.send_window),
    window_in_force: shownWindow(campaign.window_in_force),
    topic,
    variants:
      campaign.variants?.map(({ key, subject, weight }) => {
        const counts = ofArm(byVariant, key);
        return { key, subject, weight, recipients: counts.recipients, ...byCountName(VARIANT_COUNTERS, (counter) => counts[counter]) };
      }) ?? null,
    audience,
    audience_size,
    total_recipients,
    ...byCountName(SHOWN_COUNTERS, (counter) => total[counter]),
    created_at,
    sent_at,
    cancelled_at,
    sandboxed,
    test: shownTest(campaign),
    goal,
    recurring_id,
  };
}

/** Of an arm in its test and after it. */
function ofArm(byVariant: RecordParts['byVariant'], key: string): CampaignCounts {
  const [tried, rest] = [byVariant?.get(key), byVariant?.get(restOf(key))];
  return rest
    ? totalOf(
        new Map([
          ['tried', tried ?? NOTHING_COUNTED],
          ['rest', rest],
        ]),
      )
    : (tried ?? NOTHING_COUNTED);
}

function shownTest({ ab_test: test, decides_at, ab_decision: decision, status }: RecordedCampaign) {
  if (!test) return null;
  const isByHand = test.decideBy === 'hand';
  // Earlier versions kept clicks as what somebody has chosen by.
  const variants = decision?.arms.map((arm) => (isByHand ? { ...arm, hits: null } : { ...arm })) ?? [];
  const shown = decision && { winner: decision.winner, reason: decision.reason, at: new Date(decision.at), variants };
  return { ...test, decides_at: isToDecide({ status, decides_at, decision }) ? decides_at : null, decision: shown };
}

/** Whether that is when it is decided, or was: not where somebody chose before, nor where it has ended before. */
function isToDecide({
  status,
  decides_at,
  decision,
}: Pick<RecordedCampaign, 'status' | 'decides_at'> & { readonly decision: AbDecision | null }): boolean {
  if (decision) return decides_at !== null && decides_at.getTime() <= decision.at;
  return !(ENDED_CAMPAIGN_STATUSES as readonly string[]).includes(status);
}

/** Whose allowance of today it has used, and when the next day begins. */
function waitingFor({ status, reason, allowance, retry_at }: RecordedCampaign): (AllowanceHolder & { readonly resumes_at: Date }) | null {
  const waits = status === 'sending' && reason === 'allowance_used';
  return waits && allowance && retry_at ? { of: allowance.of, name: allowance.name, resumes_at: retry_at } : null;
}
