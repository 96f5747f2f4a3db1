/** What a campaign is to bring people to do: an event of theirs, soon enough after its mail. */
export interface Goal {
  /** A type of event, as POST /events takes it. */
  readonly event: string;
  /** An event counts that comes at most so long after the mail was sent. */
  readonly withinHours: number;
  /** The name of a number in the event's data, which is added up; null: none is. */
  readonly sum: string | null;
}

/** A month. */
export const MAX_GOAL_HOURS = 720;
/** Characters of the name of what is added up. */
export const MAX_SUM_LENGTH = 100;
/** Numbers beyond it are not added up: a sum of them would say nothing. */
export const MAX_SUMMED = 1e15;

/** A goal as it was given, as it is kept. */
export function keptGoal({ event, withinHours, sum }: Omit<Goal, 'sum'> & { readonly sum?: string | null | undefined }): Goal {
  return { event, withinHours, sum: sum ?? null };
}
