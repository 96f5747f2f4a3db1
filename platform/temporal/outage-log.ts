import type { Logger } from '../logger.ts';
import { Outage } from '../outage.ts';

/** What came of a batch of messages. */
export interface Dispatched {
  /** By `performance.now()`. */
  readonly beganAt: number;
  /** How many Temporal has taken. */
  readonly taken: number;
  /** The last of the errors; undefined where there was none. */
  readonly error?: unknown;
}

export interface OutageLog {
  /** Told of each batch, an empty one too. */
  note(batch: Dispatched): Promise<void>;
}

/** Temporal is away when it has taken nothing for so long, and back when nothing has failed for so long: one slow call is neither. */
const LASTS_MS = 10_000;
/** What failed longer ago was another outage: what is refused is tried again after seconds. */
const FORGOTTEN_MS = 30_000;

/**
 * `outbox.temporal_unavailable` with how many messages wait when an outage has lasted, and `outbox.temporal_back` with how many seconds it
 * was when its end has.
 */
export function createOutageLog(log: Logger, countWaiting: () => Promise<number>, now: () => number = () => performance.now()): OutageLog {
  const outage = new Outage();
  let refusedAt = Number.NEGATIVE_INFINITY;
  let takenSince: number | undefined;

  // Where those that wait cannot be counted, the line is left to the next batch.
  const whileThere = async ({ beganAt, taken, error }: Dispatched): Promise<void> => {
    if (taken > 0 || beganAt - refusedAt >= FORGOTTEN_MS) outage.end(beganAt);
    if (taken > 0 || error === undefined) return;
    outage.refused(beganAt);
    refusedAt = now();
    if (!outage.hasLasted(LASTS_MS, refusedAt)) return;
    log.warn('outbox.temporal_unavailable', { waiting: await countWaiting(), reason: reasonOf(error) });
    outage.begin();
    takenSince = undefined;
  };

  const whileAway = async ({ beganAt, taken, error }: Dispatched): Promise<void> => {
    if (error !== undefined) takenSince = undefined;
    else if (taken > 0) takenSince ??= beganAt;
    if (takenSince === undefined || now() - takenSince < LASTS_MS) return;
    const waiting = await countWaiting();
    log.info('outbox.temporal_back', { seconds: outage.end(takenSince)?.seconds, waiting });
  };

  return { note: (batch) => (outage.isTold ? whileAway(batch) : whileThere(batch)) };
}

/** What the server, or the way to it, said. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
