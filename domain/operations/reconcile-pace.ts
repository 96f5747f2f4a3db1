/**
 * From the begin of one pass of reconcile to the begin of the next, in milliseconds. Less than the minute within which a row follows its
 * workflow (docs/contract/temporal.md 8): a pass takes its time to come to what was terminated just after the one before had looked.
 */
const PASS_EVERY_MS = 45_000;
/** After a pass that took longer than that. */
const SHORTEST_PAUSE_MS = 1_000;

/** For how long reconcile waits after a pass, in milliseconds. A slow pass makes the pause shorter, and not the next one later. */
export function pauseAfterPass(begunAtMs: number, nowMs: number): number {
  return Math.max(SHORTEST_PAUSE_MS, begunAtMs + PASS_EVERY_MS - nowMs);
}
