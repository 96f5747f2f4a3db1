import { Context } from '@temporalio/activity';

const HEARTBEAT_MS = 2_000;

/**
 * Does the work of an activity while heartbeats tell that its process lives, so that another one goes on within seconds of a kill. `said`: how far it is, for
 * Temporal Web.
 */
export async function withHeartbeats<Result>(work: () => Promise<Result>, said?: () => unknown): Promise<Result> {
  const context = Context.current();
  const timer = setInterval(() => context.heartbeat(said?.()), HEARTBEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
