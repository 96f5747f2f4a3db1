import { MOST_GOAL_HOURS } from '../../api/limits.ts';
import type { Campaign, CampaignChange } from './campaign-queries.ts';

/** What counts as a conversion, while it is written. */
export interface GoalDraft {
  /** A type of event; empty: no goal. */
  readonly goalEvent: string;
  readonly goalHours: number | null;
  /** Empty: nothing is added up. */
  readonly goalSum: string;
}

/** Three days. */
const USUAL_HOURS = 72;

export const NO_GOAL: GoalDraft = { goalEvent: '', goalHours: USUAL_HOURS, goalSum: '' };

export function draftOfGoal(goal: Campaign['goal']): GoalDraft {
  return goal ? { goalEvent: goal.event, goalHours: goal.withinHours, goalSum: goal.sum ?? '' } : NO_GOAL;
}

/** What is wrong with the hours as they are typed. */
export function hoursProblem({ goalEvent, goalHours: hours }: GoalDraft): string | undefined {
  if (!goalEvent || (hours !== null && Number.isInteger(hours) && hours >= 1 && hours <= MOST_GOAL_HOURS)) return undefined;
  return `Enter a whole number from 1 to ${MOST_GOAL_HOURS}`;
}

/** As the API takes it; null: none. Undefined where it is none that a campaign can have. */
export function goalOf(draft: GoalDraft): CampaignChange['goal'] {
  const { goalEvent: event, goalHours: withinHours, goalSum } = draft;
  if (!event) return null;
  if (hoursProblem(draft) || withinHours === null) return undefined;
  return { event, withinHours, sum: goalSum.trim() || null };
}

/** What conversions came to. */
export function sumWords(sum: number): string {
  return sum.toLocaleString('en', { maximumFractionDigits: 2 });
}
