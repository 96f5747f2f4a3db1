import { MAX_NAME_LENGTH } from '../text-lengths.ts';
import type { Beginning, Recurrence } from './recurrence.ts';
import { instantsAfter, localDate } from './recurrence.ts';

/** Recurring campaigns of one project that have not ended: docs/contract/campaigns.md 54. */
export const MAX_RECURRING = 100;

/** How many of its next instants a recurring campaign shows. */
export const SHOWN_RUNS = 5;

/** A year: `endsAfterMinutes` at most. */
export const MAX_ENDS_AFTER_MINUTES = 525_600;

export const RECURRING_STATUSES = ['active', 'paused', 'ended'] as const;
export type RecurringStatus = (typeof RECURRING_STATUSES)[number];

/** Why a recurring campaign ended: by DELETE, or since its rule has no further instant. */
export const RECURRING_END_REASONS = ['deleted', 'until', 'count'] as const;
export type RecurringEndReason = (typeof RECURRING_END_REASONS)[number];

/**
 * What became of an instant. `created`: its campaign was made. `not_created`: it could not be. `missed`: nobody made it in time. `skipped`: it was
 * asked to be left out.
 */
export const RUN_OUTCOMES = ['created', 'not_created', 'missed', 'skipped'] as const;
export type RunOutcome = (typeof RUN_OUTCOMES)[number];

/** Why an instant has no campaign: docs/contract/campaigns.md 62. */
export const RUN_REASONS = [
  // Of what it is made of.
  ...(['empty_audience', 'unknown_segment', 'unknown_template', 'template_not_enabled', 'no_brand', 'invalid_from'] as const),
  // Also where its template is transactional by now, whose mails have no topic.
  'unknown_topic',
  ...(['project_suspended', 'email_unverified', 'approval_required'] as const),
  // Of one that was missed: a later one was due as well, its campaign would have been over, or the recurring campaign was changed before it ran.
  ...(['later_run_due', 'ends_at_reached', 'changed', 'paused', 'deleted'] as const),
] as const;
export type RunReason = (typeof RUN_REASONS)[number];

/** What is known of a recurring campaign beside its rule. */
export interface Standing extends Beginning {
  /** Campaigns that it has made. */
  readonly made: number;
  /** Instants that have an outcome already, as those that are skipped do. */
  readonly settled: readonly Date[];
}

/** The next instants, as many as there are up to `limit`. */
export function nextInstants(rule: Recurrence, { made, settled, ...beginning }: Standing, limit: number): Date[] {
  const most = Math.min(limit, rule.count === null ? limit : rule.count - made);
  const done = new Set(settled.map((instant) => instant.getTime()));
  const found: Date[] = [];
  if (most <= 0) return found;
  for (const instant of instantsAfter(rule, beginning)) {
    if (!done.has(instant.getTime())) found.push(instant);
    if (found.length >= most) break;
  }
  return found;
}

/** Which of its instants are due, from the next one on that was known. */
export function dueInstants(rule: Recurrence, standing: Omit<Standing, 'after'>, nextDueAt: Date, now: Date): Date[] {
  const done = new Set(standing.settled.map((instant) => instant.getTime()));
  const due: Date[] = [];
  if (nextDueAt > now) return due;
  if (!done.has(nextDueAt.getTime())) due.push(nextDueAt);
  for (const instant of instantsAfter(rule, { madeAt: standing.madeAt, after: nextDueAt })) {
    if (instant > now) break;
    if (!done.has(instant.getTime())) due.push(instant);
  }
  return due;
}

/** Of what came while one was paused so many instants, the latest, have an outcome: docs/contract/campaigns.md 59. */
export const MAX_PAUSED_RUNS = 100;

/** Which of its instants came while it was paused, from then on: the latest, and none that is settled. */
export function instantsWhilePaused(rule: Recurrence, { madeAt, settled }: Omit<Standing, 'after'>, pausedFrom: Date, now: Date): Date[] {
  const done = new Set(settled.map((instant) => instant.getTime()));
  const came: Date[] = [];
  for (const instant of instantsAfter(rule, { madeAt, after: pausedFrom })) {
    if (instant > now) break;
    if (!done.has(instant.getTime())) came.push(instant);
  }
  return came.slice(-MAX_PAUSED_RUNS);
}

/** Why a rule has no further instant. */
export function endReason({ count }: Recurrence, made: number): RecurringEndReason {
  return count !== null && made >= count ? 'count' : 'until';
}

/** The name of the campaign of one instant: that of the recurring one, or its template, with the day where the rule is. */
export function runName(name: string, { timezone }: Recurrence, dueAt: Date): string {
  const date = localDate(timezone, dueAt);
  return `${name.slice(0, MAX_NAME_LENGTH - date.length - 1).trimEnd()} ${date}`;
}
