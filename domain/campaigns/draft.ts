import type { WindowChoice } from '../send-window.ts';
import { keptChoice } from '../send-window-schema.ts';
import type { SendType } from '../sends/send.ts';
import { type AbTest, type AbTestFields, keptAbTest } from './ab-test.ts';
import type { Audience, CampaignVariant } from './campaign.ts';
import { type Goal, keptGoal } from './goal.ts';
import type { LocalSchedule } from './local-schedule.ts';

/** Drafts of one project: docs/contract/campaigns.md 30. */
export const MAX_DRAFTS = 200;

/** What a campaign is made of. Of a draft whatever is null or undefined is still to be said, or is left to the template and the project. */
export interface CampaignFields {
  readonly name?: string | null | undefined;
  readonly template?: string | null | undefined;
  readonly audience?: Audience | null | undefined;
  readonly subject?: string | null | undefined;
  readonly type?: SendType | null | undefined;
  readonly data?: Readonly<Record<string, unknown>> | null | undefined;
  readonly brand?: string | null | undefined;
  readonly scheduleAt?: Date | null | undefined;
  /** Instead of `scheduleAt`: the time of each recipient's own clock. */
  readonly schedule?: LocalSchedule | null | undefined;
  readonly endsAt?: Date | null | undefined;
  /** null: the project's. */
  readonly sendWindow?: Parameters<typeof keptChoice>[0] | null | undefined;
  readonly ratePerSecond?: number | null | undefined;
  readonly topic?: string | null | undefined;
  readonly variants?:
    | readonly { readonly key: string; readonly subject?: string | null | undefined; readonly weight?: number | null | undefined }[]
    | null
    | undefined;
  /** How the arms are tried on some, and the winner goes to the rest. */
  readonly test?: AbTestFields | null | undefined;
  readonly goal?: Parameters<typeof keptGoal>[0] | null | undefined;
}

/** Of a draft that does not say whom it is for: a list of nobody, so that whoever took it for a campaign that runs would send nothing. */
export const NOBODY: Audience = { mode: 'people', emails: [] };

/** Whether it is said whom a campaign is for. Everybody of a list may have been erased since: then it is not any more. */
export function isChosen(audience: Audience): boolean {
  return audience.mode !== 'people' || audience.emails.length > 0;
}

/** An audience as it is kept: each address once, in order. */
export function keptAudience(audience: Audience): Audience {
  return audience.mode === 'people' ? { mode: 'people', emails: [...new Set(audience.emails)].sort() } : audience;
}

/** Variants as they are kept; null where there are none. */
export function keptVariants(variants: CampaignFields['variants']): CampaignVariant[] | null {
  return variants?.map(({ key, subject, weight }) => ({ key, subject: subject ?? null, weight: weight ?? 1 })) ?? null;
}

/** A campaign's row as far as it says what was given. */
export interface GivenColumns {
  readonly name: string;
  readonly template: string;
  readonly audience: Audience;
  readonly subject: string;
  readonly has_own_subject: boolean;
  readonly type: SendType;
  readonly has_own_type: boolean;
  readonly brand_id: string;
  readonly has_own_brand: boolean;
  readonly data: Readonly<Record<string, unknown>>;
  readonly scheduled_at: Date | null;
  readonly local_schedule: LocalSchedule | null;
  readonly ends_at: Date | null;
  readonly rate_per_second: number | null;
  readonly send_window: WindowChoice;
  readonly topic: string | null;
  readonly variants: readonly CampaignVariant[] | null;
  readonly ab_test: AbTest | null;
  readonly goal: Goal | null;
}

/** What was given of a campaign, without what its template and its project have said instead. */
export function givenOf(row: GivenColumns): CampaignFields {
  return {
    name: row.name,
    template: row.template || null,
    audience: isChosen(row.audience) ? row.audience : null,
    ...givenByItself(row),
    data: row.data,
    scheduleAt: row.local_schedule ? null : row.scheduled_at,
    schedule: row.local_schedule,
    endsAt: row.ends_at,
    ratePerSecond: row.rate_per_second,
    sendWindow: row.send_window,
    topic: row.topic,
    variants: row.variants,
    test: row.ab_test,
    goal: row.goal,
  };
}

type MaybeOwn = Pick<GivenColumns, 'subject' | 'has_own_subject' | 'type' | 'has_own_type' | 'brand_id' | 'has_own_brand'>;

/** Of what else the template or the project says; null: left to them. */
export function givenByItself(row: MaybeOwn): {
  readonly subject: string | null;
  readonly type: SendType | null;
  readonly brand: string | null;
} {
  return {
    subject: row.has_own_subject ? row.subject : null,
    type: row.has_own_type ? row.type : null,
    brand: row.has_own_brand ? row.brand_id : null,
  };
}

/** The columns of what is given; what is not given has none. null takes out what was there. */
export function givenColumns(fields: CampaignFields): Partial<GivenColumns> {
  const { name, template, audience, subject, type, data, brand, scheduleAt, schedule, endsAt, ratePerSecond, topic, variants, goal } =
    fields;
  const { sendWindow, test } = fields;
  return {
    ...(name === undefined ? {} : { name: name ?? '' }),
    ...(template === undefined ? {} : { template: template ?? '' }),
    ...(audience === undefined ? {} : { audience: audience ? keptAudience(audience) : NOBODY }),
    ...(subject === undefined ? {} : { subject: subject ?? '', has_own_subject: Boolean(subject) }),
    ...(type === undefined ? {} : { type: type ?? 'marketing', has_own_type: Boolean(type) }),
    ...(data === undefined ? {} : { data: data ?? {} }),
    ...(brand === undefined ? {} : { brand_id: brand ?? '', has_own_brand: Boolean(brand) }),
    ...(scheduleAt === undefined ? {} : { scheduled_at: scheduleAt, ...(scheduleAt && { local_schedule: null }) }),
    ...(schedule === undefined ? {} : { local_schedule: schedule, ...(schedule && { scheduled_at: null }) }),
    ...(endsAt === undefined ? {} : { ends_at: endsAt }),
    ...(ratePerSecond === undefined ? {} : { rate_per_second: ratePerSecond }),
    ...(sendWindow === undefined ? {} : { send_window: sendWindow && keptChoice(sendWindow) }),
    ...(topic === undefined ? {} : { topic }),
    ...(variants === undefined ? {} : { variants: keptVariants(variants) }),
    ...(test === undefined ? {} : { ab_test: test && keptAbTest(test) }),
    ...(goal === undefined ? {} : { goal: goal && keptGoal(goal) }),
  };
}

/** The columns of a draft of which nothing is said. */
export const NOTHING_GIVEN: GivenColumns = {
  ...{ name: '', template: '', audience: NOBODY, subject: '', has_own_subject: false, type: 'marketing', has_own_type: false },
  ...{ brand_id: '', has_own_brand: false, data: {}, topic: null, variants: null, ab_test: null, goal: null },
  ...{ scheduled_at: null, local_schedule: null, ends_at: null, rate_per_second: null, send_window: null },
};
