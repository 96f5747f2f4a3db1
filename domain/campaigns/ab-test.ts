import { BUCKETS, bucketOf } from '../buckets.ts';
import type { Issue } from '../errors.ts';
import type { CampaignVariant } from './campaign.ts';
import { type CampaignCounts, NOTHING_COUNTED } from './counters.ts';

/** What the winner of a test is found by: what most recipients of an arm did, or what somebody says. */
export const DECIDED_BY = ['opens', 'clicks', 'goal', 'hand'] as const;
export type DecidedBy = (typeof DECIDED_BY)[number];

/** A test that decides (docs/contract/campaigns.md 75): each arm goes to its share, and the winner to the rest. */
export interface AbTest {
  /** Percent of the recipients whom each arm is tried on. */
  readonly share: number;
  readonly decideBy: DecidedBy;
  /** Hours between the last email of the test and the decision; null: it waits for somebody. */
  readonly afterHours: number | null;
  /** The arm that the rest gets where the test does not tell which is better; null: the first. */
  readonly default: string | null;
}

/** A test as it is given. */
export interface AbTestFields {
  readonly share: number;
  readonly decideBy: DecidedBy;
  readonly afterHours?: number | null | undefined;
  readonly default?: string | null | undefined;
}

/** Of two arms so many percent each leave somebody. */
export const MAX_TEST_SHARE = 49;
export const MAX_TEST_HOURS = 14 * 24;

/** As it is kept. */
export function keptAbTest({ share, decideBy, afterHours, default: arm }: AbTestFields): AbTest {
  return { share, decideBy, afterHours: afterHours ?? null, default: arm ?? null };
}

/** What a test needs of its campaign. */
interface TestedFields {
  readonly test?: AbTestFields | null | undefined;
  readonly variants?: readonly { readonly key: string; readonly weight?: number | null | undefined }[] | null | undefined;
  readonly goal?: unknown;
  readonly schedule?: unknown;
}

/** Why a campaign with these fields cannot be tested so. */
export function testIssues({ test, variants, goal, schedule }: TestedFields): Issue[] {
  if (!test) return [];
  const arms = variants ?? [];
  const most = Math.ceil(100 / arms.length) - 1;
  const wrong: readonly (readonly [boolean, string, string])[] = [
    [arms.length === 0, 'test', 'a test needs variants'],
    [
      arms.length > 0 && test.share > most,
      'test.share',
      `at most ${most} percent for each of ${arms.length} variants: somebody has to be left`,
    ],
    [test.decideBy !== 'hand' && !test.afterHours, 'test.afterHours', 'say after how many hours it decides'],
    [test.decideBy === 'goal' && !goal, 'test.decideBy', 'it decides by the goal, and the campaign has none'],
    [Boolean(test.default) && !arms.some(({ key }) => key === test.default), 'test.default', 'no variant has this key'],
    [
      arms.some(({ weight }) => typeof weight === 'number' && weight !== 1),
      'test',
      'in a test each variant has the same share: leave the weights out',
    ],
    [Boolean(schedule), 'test', 'a campaign that goes by the clock of each recipient cannot wait for a test'],
  ];
  return wrong.flatMap(([isWrong, path, message]) => (isWrong ? [{ path, message }] : []));
}

const HOUR_MS = 3_600_000;

/** What is odd about a test of what is sent for so long from its start on: it ends before the test decides. `path`: what says so; null: it does not end. */
export function testWarnings(
  { test }: Pick<TestedFields, 'test'>,
  { openMs, path }: { readonly openMs: number | null; readonly path: string },
): Issue[] {
  if (!test?.afterHours || openMs === null || openMs > test.afterHours * HOUR_MS) return [];
  const what = test.decideBy === 'hand' ? 'the rest gets the default' : 'its test decides';
  return [
    {
      path,
      message: `ends the campaign before ${what}, ${test.afterHours} h after the last email of the test: the rest gets nothing unless somebody chooses before`,
    },
  ];
}

/** What one arm came to in its test. */
export interface TriedArm {
  readonly key: string;
  /** Emails that the provider took. */
  readonly mails: number;
  /** Recipients who did what it is decided by; null: somebody chooses, and nothing is judged. */
  readonly hits: number | null;
}

/**
 * `significant`: chance alone would hardly have made the best arm so much better than the default, or the default so much better than each other one.
 * `not_significant`: it might have. `small_sample`: so few people tell nothing. `by_hand`: somebody has said so. `not_chosen`: nobody has in time.
 */
export const DECISION_REASONS = ['significant', 'not_significant', 'small_sample', 'by_hand', 'not_chosen'] as const;
export type DecisionReason = (typeof DECISION_REASONS)[number];

/** What the rest gets, and why. */
export interface AbDecision {
  readonly winner: string;
  readonly reason: DecisionReason;
  /** Epoch milliseconds. */
  readonly at: number;
  /** As the arms stood then. */
  readonly arms: readonly TriedArm[];
}

/** What the arms came to in their test by what it is decided by, in their order. `converted`: by arm. */
export function triedOf(
  variants: readonly Pick<CampaignVariant, 'key'>[],
  decideBy: DecidedBy,
  counts: ReadonlyMap<string, CampaignCounts> | undefined,
  converted: Readonly<Record<string, { readonly people: number }>>,
): TriedArm[] {
  return variants.map(({ key }) => {
    const { sent, opened, clicked } = counts?.get(key) ?? NOTHING_COUNTED;
    if (decideBy === 'hand') return { key, mails: sent, hits: null };
    const hits = { opens: opened, clicks: clicked, goal: converted[key]?.people ?? 0 };
    // Who got two mails, since the first seemed to have failed, may have opened both.
    return { key, mails: sent, hits: Math.min(hits[decideBy], sent) };
  });
}

/** What a test tells at one moment. */
export interface Verdict {
  /** The arm with the highest rate: of several the default, else the first. null: all are equal. */
  readonly leader: string | null;
  readonly reason: Exclude<DecisionReason, 'by_hand' | 'not_chosen'>;
  /**
   * How likely chance alone makes equal arms differ as the leader does from the default, or the default that leads from the next best, for as many arms
   * as are compared with the default; null: too few people.
   */
  readonly p: number | null;
}

/** Of tests whose arms are equal one in twenty is called significant. */
export const SIGNIFICANT_BELOW = 0.05;
/** Of each arm at least, and of those who did it and those who did not, as the normal approximation wants. */
export const FEWEST_MAILS = 100;
export const FEWEST_EACH_WAY = 5;

/**
 * What the counts of the arms, in their order, tell. What matters is whether the rest is better off with another arm than with the default, so each is
 * compared with that one: by the pooled z-test of two shares, corrected by Bonferroni.
 */
export function verdictOf(arms: readonly TriedArm[], defaultArm: string | null): Verdict {
  const byDefault = arms.find(({ key }) => key === defaultArm) ?? arms[0];
  if (!byDefault) return { leader: null, reason: 'small_sample', p: null };
  const others = arms.filter((arm) => arm !== byDefault);
  const [best] = [byDefault, ...others].toSorted((one, other) => rateOf(other) - rateOf(one)) as [TriedArm];
  const leader = others.some((arm) => rateOf(arm) !== rateOf(byDefault)) ? best.key : null;
  if (arms.some((arm) => !isEnough(arm, arms))) return { leader, reason: 'small_sample', p: null };
  const compared = best === byDefault ? others : [best];
  const p = Math.min(1, Math.max(...compared.map((arm) => chance(arm, byDefault))) * others.length);
  return { leader, reason: p < SIGNIFICANT_BELOW ? 'significant' : 'not_significant', p };
}

/** What the rest gets once the time of a test is over: what the test tells, or the default; where somebody was to choose, the default alone. */
export function outcomeOf(
  { decideBy, default: arm }: Pick<AbTest, 'decideBy' | 'default'>,
  arms: readonly TriedArm[],
): Pick<AbDecision, 'winner' | 'reason'> {
  const { leader, reason } = verdictOf(arms, arm);
  const byDefault = arm ?? arms[0]?.key ?? '';
  if (decideBy === 'hand') return { winner: byDefault, reason: 'not_chosen' };
  return { winner: reason === 'significant' && leader ? leader : byDefault, reason };
}

function rateOf({ mails, hits }: TriedArm): number {
  return mails === 0 ? 0 : (hits ?? 0) / mails;
}

/** Whether an arm has as many as the test needs, by the rate of all arms together. */
function isEnough({ mails }: TriedArm, arms: readonly TriedArm[]): boolean {
  const all = arms.reduce((sum, arm) => ({ mails: sum.mails + arm.mails, hits: sum.hits + (arm.hits ?? 0) }), { mails: 0, hits: 0 });
  const expected = mails * (all.mails === 0 ? 0 : all.hits / all.mails);
  return mails >= FEWEST_MAILS && expected >= FEWEST_EACH_WAY && mails - expected >= FEWEST_EACH_WAY;
}

/** How likely two equal shares differ at least so much (two-sided). */
function chance(one: TriedArm, other: TriedArm): number {
  const pooled = ((one.hits ?? 0) + (other.hits ?? 0)) / (one.mails + other.mails);
  const error = Math.sqrt(pooled * (1 - pooled) * (1 / one.mails + 1 / other.mails));
  return error === 0 ? 1 : complementOfErf(Math.abs(rateOf(one) - rateOf(other)) / error / Math.SQRT2);
}

/** 1 - erf(x) for x >= 0, to seven digits: Abramowitz and Stegun, 7.1.26. */
function complementOfErf(x: number): number {
  const t = 1 / (1 + 0.3275911 * x);
  const series = [0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429];
  return series.reduce((sum, factor, power) => sum + factor * t ** (power + 1), 0) * Math.exp(-x * x);
}

/** The range in which the true rate of an arm lies with 95 percent (Wilson). */
export function intervalOf({ mails, hits }: { readonly mails: number; readonly hits: number }): {
  readonly low: number;
  readonly high: number;
} {
  if (mails === 0) return { low: 0, high: 1 };
  const z = 1.959964;
  const rate = hits / mails;
  const divisor = 1 + z ** 2 / mails;
  const middle = (rate + z ** 2 / (2 * mails)) / divisor;
  const half = (z * Math.sqrt((rate * (1 - rate)) / mails + z ** 2 / (4 * mails ** 2))) / divisor;
  return { low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}

/**
 * For each arm of a test the bucket at which the next one begins, and after the last one the rest, where these were not found with the recipients:
 * by earlier versions. So the arms are about as large as they should be.
 */
export function testBounds(arms: number, share: number): number[] {
  return Array.from({ length: arms }, (_, index) => Math.floor((((index + 1) * share) / 100) * BUCKETS));
}

/** What the rest's mails and counts have behind the arm: no key of an arm has a `/`. */
const REST = '/rest';

/** What mails and counts of the rest have as their variant. */
export function restOf(key: string): string {
  return `${key}${REST}`;
}

/** What the rest is counted as before it is decided which arm it gets. */
export const UNDECIDED = restOf('');

/** Of which arm a mail or a count is, and whether it is of the rest. */
export function armOf(variant: string): { readonly key: string; readonly isRest: boolean } {
  const isRest = variant.endsWith(REST);
  return { key: isRest ? variant.slice(0, -REST.length) : variant, isRest };
}

/** The arm of each contact while the test goes on and after it, and what its mail is counted as. undefined: of the rest, and it is not decided yet. */
export function triedArms<T extends Pick<CampaignVariant, 'key'>>(
  campaignId: string,
  {
    variants,
    bounds,
    winner,
  }: { readonly variants: readonly T[]; readonly bounds: readonly number[]; readonly winner: string | undefined },
): (contactId: string) => { readonly arm: T; readonly counted: string } | undefined {
  const ofRest = variants.find(({ key }) => key === winner);
  return (contactId) => {
    const bucket = bucketOf(`${campaignId}:${contactId}`);
    const tried = variants[bounds.findIndex((bound) => bucket < bound)];
    if (tried) return { arm: tried, counted: tried.key };
    return ofRest && { arm: ofRest, counted: restOf(ofRest.key) };
  };
}
