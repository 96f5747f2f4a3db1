import { EVENTS_KEPT_MS } from '../operations/retention.ts';
import { armOf } from './ab-test.ts';
import type { CampaignStatus } from './campaign.ts';
import type { Goal } from './goal.ts';

/** Of a campaign to no more it is counted when somebody asks; of others now and then, and kept. */
export const MOST_COUNTED_AT_ONCE = 1_000;
/** What became of its mails is counted until so long after its end, and stays as it was then: what it is counted from is kept for longer. */
export const RESULTS_FINAL_MS = 60 * 86_400_000;

export const MOST_LINKS = 100;
/** Characters. A longer address is one of the others. */
export const LONGEST_LINK = 2_048;
export const MOST_RECEIVERS = 20;

/** How opens and clicks are shown over time: from the start of the campaign on. */
export const BUCKETS = {
  hour: { ms: 3_600_000, most: 168 },
  day: { ms: 86_400_000, most: 60 },
} as const;
export type Bucket = keyof typeof BUCKETS;

/** Recipients who opened or clicked for the first time in the hour or day that begins at `from`. */
export interface FirstHits {
  readonly from: Date;
  readonly opened: number;
  readonly clicked: number;
}

export interface LinkClicks {
  /** Where it leads, without the tracking. */
  readonly url: string;
  readonly clicks: number;
  readonly people: number;
}

/** Clicks by link. */
export interface Links {
  /** Those with the most clicks. */
  readonly most: readonly LinkClicks[];
  /** How many links were clicked in all, as far as it is known. */
  readonly links: number;
  /** Clicks on all of them, also of people who were erased. */
  readonly clicks: number;
}

/** What became of mails. */
export interface ReceiverCounts {
  readonly sent: number;
  readonly delivered: number;
  readonly bounced: number;
  readonly opened: number;
  readonly clicked: number;
}

/** By the domain of the address. */
export interface Receivers {
  /** Those to which the most was sent. */
  readonly most: readonly ({ readonly domain: string } & ReceiverCounts)[];
  /** The others together, and people who were erased. */
  readonly others: { readonly receivers: number } & ReceiverCounts;
}

/** By the language that the mails were in; `locale` null: the default. */
export interface LanguageCounts extends ReceiverCounts {
  readonly locale: string | null;
}

/** What the recipients of one variant did that is the campaign's goal. */
export interface Conversions {
  /** Recipients, each once. */
  readonly people: number;
  readonly events: number;
  /** Of all of these events; null: nothing is added up. */
  readonly sum: number | null;
  /** Events without such a number; null: nothing is added up. */
  readonly not_summed: number | null;
}

/** What became of the mails of a campaign, at one time. */
export interface MailResults {
  readonly countedAt: Date;
  readonly hours: readonly FirstHits[];
  readonly days: readonly FirstHits[];
  readonly links: Links;
  readonly receivers: Receivers;
  /** Empty: its template had the default alone. */
  readonly languages: readonly LanguageCounts[];
}

/** What its recipients did, at one time. */
export interface GoalResults {
  readonly countedAt: Date;
  readonly goal: Goal;
  /** By variant; '' where there are none. */
  readonly byVariant: Readonly<Record<string, Conversions>>;
}

export const NO_LINKS: Links = { most: [], links: 0, clicks: 0 };
export const NO_RECEIVERS: Receivers = { most: [], others: { receivers: 0, sent: 0, delivered: 0, bounced: 0, opened: 0, clicked: 0 } };

/** Nobody's. */
export function noConversions({ sum }: Goal): Conversions {
  return { people: 0, events: 0, sum: sum === null ? null : 0, not_summed: sum === null ? null : 0 };
}

/** Of all variants. A recipient has one. */
export function allConversions({ goal, byVariant }: GoalResults): Conversions {
  return Object.values(byVariant).reduce(
    (all, { people, events, sum, not_summed }) => ({
      people: all.people + people,
      events: all.events + events,
      sum: all.sum === null ? null : all.sum + (sum ?? 0),
      not_summed: all.not_summed === null ? null : all.not_summed + (not_summed ?? 0),
    }),
    noConversions(goal),
  );
}

/** What the recipients of an arm did, in its test and after it. */
export function conversionsOf({ goal, byVariant, countedAt }: GoalResults, key: string): Conversions {
  const ofArm = Object.fromEntries(Object.entries(byVariant).filter(([variant]) => armOf(variant).key === key));
  return allConversions({ goal, byVariant: ofArm, countedAt });
}

/** False where events were gone by then that may have counted. */
export function areWhole({ countedAt }: GoalResults, startedAt: Date): boolean {
  return startedAt.getTime() >= countedAt.getTime() - EVENTS_KEPT_MS;
}

/** Every hour or day from the one on in which the campaign began, until now or as many as are shown; those without a hit are among them. */
export function overTime(
  found: readonly FirstHits[],
  { bucket, startedAt, now }: { bucket: Bucket; startedAt: Date; now: Date },
): FirstHits[] {
  const { ms, most } = BUCKETS[bucket];
  const first = bucketOf(startedAt, bucket);
  const hits = new Map(found.map((hit) => [hit.from.getTime(), hit]));
  const length = Math.min(most, Math.max(0, Math.floor((now.getTime() - first) / ms) + 1));
  return Array.from(
    { length },
    (_, place) => hits.get(first + place * ms) ?? { from: new Date(first + place * ms), opened: 0, clicked: 0 },
  );
}

/** Where the hour or day of an instant begins, in UTC and epoch milliseconds. */
export function bucketOf(at: Date, bucket: Bucket): number {
  const { ms } = BUCKETS[bucket];
  return Math.floor(at.getTime() / ms) * ms;
}

/** What says when the results of a campaign are counted. */
export interface CountedCampaign {
  readonly status: CampaignStatus;
  readonly total_recipients: number;
  readonly created_at: Date;
  readonly scheduled_at: Date | null;
  readonly sent_at: Date | null;
  readonly cancelled_at: Date | null;
}

/** From when on its results stay as they are; undefined while it goes on. */
export function finalAt({ status, created_at, scheduled_at, sent_at, cancelled_at }: CountedCampaign): Date | undefined {
  if (status !== 'sent' && status !== 'cancelled' && status !== 'failed') return undefined;
  return new Date((cancelled_at ?? sent_at ?? scheduled_at ?? created_at).getTime() + RESULTS_FINAL_MS);
}

/** When a campaign began, as far as its results go: before its first mail. */
export function begunAt({ started_at, created_at }: { readonly started_at: Date | null; readonly created_at: Date }): Date {
  return started_at ?? created_at;
}
