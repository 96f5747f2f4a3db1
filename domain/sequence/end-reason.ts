/** How a walk through the graph can end by itself; `failed`: by a call that may not fail, or beyond the budget of a walk. */
export const WALK_ENDS = ['exit', 'goal', 'dead_end', 'hop_guard', 'failed'] as const;
export type WalkEnd = (typeof WALK_ENDS)[number];

export type EndReason = WalkEnd | 'cancelled' | 'exit_sequences' | 'archived' | 'terminated';

/** Reasons with which an enrollment ends as completed; every other one ends it as cancelled. */
const COMPLETED: readonly EndReason[] = ['exit', 'goal', 'dead_end', 'hop_guard'];

export function endStatus(reason: EndReason): 'completed' | 'cancelled' {
  return COMPLETED.includes(reason) ? 'completed' : 'cancelled';
}
