/** How a walk through the graph can end by itself; `failed`: by a call that may not fail, or beyond the budget of a walk. */
export const WALK_ENDS = ['exit', 'goal', 'dead_end', 'hop_guard', 'failed'] as const;
export type WalkEnd = (typeof WALK_ENDS)[number];

/** How a run can end: by itself, or from outside. */
export const END_REASONS = [...WALK_ENDS, 'cancelled', 'exit_sequences', 'archived', 'terminated'] as const;
export type EndReason = (typeof END_REASONS)[number];

/** The outcome of a step at which its run ended, by an end of the graph or from outside. No way leads on from there. */
export const ENDED = 'ended';

/** The outcome of a step that its run was moved away from. What was in flight there may still come to its own. No way leads on from there. */
export const MOVED = 'moved';

/** Reasons with which an enrollment ends as completed; every other one ends it as cancelled. */
const COMPLETED: readonly EndReason[] = ['exit', 'goal', 'dead_end', 'hop_guard'];

export function endStatus(reason: EndReason): 'completed' | 'cancelled' {
  return COMPLETED.includes(reason) ? 'completed' : 'cancelled';
}
