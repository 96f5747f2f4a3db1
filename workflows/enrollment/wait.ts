import { shownInstant } from '../../domain/shown-text.ts';
import { type Command, type Performed, type Run, turnOf } from './run.ts';

/** A wait that has no instant looks again so often, should its signal ever be lost. */
const WAIT_RECHECK_MS = 6 * 3_600_000;

/** Waits at a node until its instant, or until something changes: what comes of that the database decides. */
export async function wait(run: Run, command: Command<'wait'>, seen: number): Promise<Performed> {
  const { step, nodeId, waitingFor, until, timeoutOutcome } = command;
  const end = until === null ? '' : ` until ${shownInstant(until)}`;
  run.show('waiting', nodeId, `Waiting at ${nodeId} for ${waitingFor}${end}`);
  const summary = (): string => run.failedSteps.before(step, `${nodeId}: ${waitingFor}${end}`);
  if (until === null) {
    await run.changes.beyond(seen, Math.min(WAIT_RECHECK_MS, turnOf(command)), summary());
    return {};
  }
  const remaining = until - Date.now();
  if (remaining <= 0) return { report: { step, outcome: timeoutOutcome } };
  const turn = turnOf(command);
  const isToldMore = (await run.changes.beyond(seen, Math.min(remaining, turn), summary())) || turn < remaining;
  return isToldMore ? {} : { report: { step, outcome: timeoutOutcome } };
}
