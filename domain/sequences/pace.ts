/** More steps than this within a minute are too many for a run that goes round in a loop: docs/contract/sequences.md 28. */
export const MOST_STEPS_A_MINUTE = 60;
const MINUTE_MS = 60_000;

/** The outcome that a run reports when it has rested before its next pass; no step ever has it. */
export const RESTED = 'rested';

export interface Pace {
  /** When it came to the node that it is about to leave. */
  readonly arrivedAt: Date;
  /** When it took the step so many before that as are allowed in a minute; null: it has not taken as many. */
  readonly manyStepsAgo: Date | null;
  readonly now: Date;
}

/**
 * Whether so many steps came so soon that it matters how late its waits ended. Who took an hour for them goes no faster than one that is slowed,
 * and nobody has to look at the trace of a run that mails once a week.
 */
export function mayBeTooFast({ manyStepsAgo, now }: Pick<Pace, 'manyStepsAgo' | 'now'>): boolean {
  return manyStepsAgo !== null && now.getTime() - manyStepsAgo.getTime() < MOST_STEPS_A_MINUTE * MINUTE_MS;
}

/**
 * Whether a run has taken too many steps within a minute, or would have but for workers that were behind: runs in a loop must not hold each other
 * so much that none of them is too fast. `lateMs`: by how much its waits ended late.
 */
export function isTooFast({ manyStepsAgo, now }: Pick<Pace, 'manyStepsAgo' | 'now'>, lateMs: number): boolean {
  return manyStepsAgo !== null && now.getTime() - manyStepsAgo.getTime() - lateMs < MINUTE_MS;
}

/** Until when a run that makes one pass a minute rests before it leaves the node; undefined: it goes on at once. */
export function restUntil({ arrivedAt, now }: Pick<Pace, 'arrivedAt' | 'now'>): Date | undefined {
  // The clock of who wrote down when it came may be fast.
  const until = Math.min(arrivedAt.getTime(), now.getTime()) + MINUTE_MS;
  return until > now.getTime() ? new Date(until) : undefined;
}
