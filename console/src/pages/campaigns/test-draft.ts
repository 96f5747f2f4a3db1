import { LARGEST_TEST_SHARE, MOST_TEST_HOURS } from '../../api/limits.ts';
import type { Campaign, CampaignChange } from './campaign-queries.ts';

type Test = NonNullable<Campaign['test']>;

/** How the winner of an A/B test is found, while it is written. */
export interface TestDraft {
  /** `none`: the variants go to everybody. */
  readonly testBy: Test['decideBy'] | 'none';
  /** Percent of the recipients for each variant. */
  readonly testShare: number | null;
  readonly testHours: number | null;
  /** The key of a variant; empty: the first one. */
  readonly testDefault: string;
}

const USUAL_SHARE = 10;
const USUAL_HOURS = 4;

export const NO_TEST: TestDraft = { testBy: 'none', testShare: USUAL_SHARE, testHours: USUAL_HOURS, testDefault: '' };

export function draftOfTest(test: Pick<Test, 'share' | 'decideBy' | 'afterHours' | 'default'> | null | undefined): TestDraft {
  if (!test) return NO_TEST;
  return { testBy: test.decideBy, testShare: test.share, testHours: test.afterHours, testDefault: test.default ?? '' };
}

/** How large each of so many shares can be, so that somebody is left. */
export function largestShare(variants: number): number {
  return Math.min(LARGEST_TEST_SHARE, Math.ceil(100 / Math.max(1, variants)) - 1);
}

const MOST: Readonly<Record<Test['decideBy'], string>> = {
  opens: 'the one with the most opens',
  clicks: 'the one with the most clicks',
  goal: 'the one with the most conversions',
  hand: 'the one that is chosen',
};

/** How a winner is found, for whoever is about to send. */
export function testWords({
  share,
  decideBy,
  afterHours,
}: Pick<Test, 'share' | 'decideBy'> & { readonly afterHours?: number | null }): string {
  const hours = afterHours ? `${afterHours} ${afterHours === 1 ? 'hour' : 'hours'} after the test` : '';
  const after = decideBy === 'hand' ? `, or the default ${hours}` : `, ${hours}`;
  return `Each variant to ${share} %, then ${MOST[decideBy]} to the rest${hours ? after : ''}`;
}

/** With what else it depends on. */
export interface Tested extends TestDraft {
  readonly variants: readonly { readonly key: string }[];
  readonly goalEvent: string;
  readonly start: 'now' | 'later' | 'local';
}

/** What is wrong with it, by the name in the request. */
export function testFaults(draft: Tested): Readonly<Record<string, string | undefined>> {
  const { testBy, testShare, testHours, testDefault, variants, goalEvent, start } = draft;
  if (testBy === 'none' || variants.length === 0) return {};
  const most = largestShare(variants.length);
  const isDefaultThere = !testDefault || variants.some(({ key }) => key === testDefault);
  return {
    'test.share': isWhole(testShare, most) ? undefined : `Enter a whole number from 1 to ${most}`,
    'test.afterHours':
      (testBy === 'hand' && testHours === null) || isWhole(testHours, MOST_TEST_HOURS)
        ? undefined
        : `Enter a whole number from 1 to ${MOST_TEST_HOURS}`,
    'test.decideBy': decidedByFault(testBy, goalEvent, start),
    'test.default': isDefaultThere ? undefined : 'Choose one of the variants',
  };
}

function decidedByFault(testBy: TestDraft['testBy'], goalEvent: string, start: Tested['start']): string | undefined {
  if (start === 'local') return "A campaign in the recipients' local time cannot wait for a winner";
  return testBy === 'goal' && !goalEvent ? 'Set a goal below first' : undefined;
}

function isWhole(value: number | null, most: number): value is number {
  return value !== null && Number.isInteger(value) && value >= 1 && value <= most;
}

/** As the API takes it; null: none. Undefined where it is none that a campaign can have. */
export function testOf(draft: Tested): CampaignChange['test'] {
  const { testBy: decideBy, testShare: share, testHours, testDefault, variants } = draft;
  if (decideBy === 'none' || variants.length === 0) return null;
  if (Object.values(testFaults(draft)).some(Boolean) || share === null) return undefined;
  return { share, decideBy, afterHours: testHours, default: testDefault || null };
}
