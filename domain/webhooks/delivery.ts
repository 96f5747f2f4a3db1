/** docs/contract/webhooks.md 17, webhook delivery. */
export type DeliveryStatus = 'pending' | 'delivered' | 'failed';

/** One attempt that has ended, as the API shows it. */
export interface AttemptRecord {
  /** Of attempts: a retry by hand begins another. */
  readonly series: number;
  /** Within its series, from 1 on. */
  readonly number: number;
  readonly at: string;
  readonly status: number | null;
  /** Why there was no status; it names no address that the project did not write. */
  readonly error: string | null;
  /** null: not known, since the process that made it ended. */
  readonly milliseconds: number | null;
}

/** How one attempt ended: with a status, or without an answer. */
export type AttemptAnswer =
  | { readonly status: number; readonly retryAfterSeconds?: number | undefined; readonly error?: undefined }
  | { readonly status: null; readonly retryAfterSeconds?: undefined; readonly error: string };

/** How an attempt counts whose process has ended, or that was in flight when a retry by hand began the delivery again. */
export const CUT_OFF: AttemptAnswer = { status: null, error: 'cut off: how it ended is not known' };

/** docs/contract/webhooks.md 13, 14. */
export const MOST_ATTEMPTS = 6;
export const ATTEMPT_SECONDS = 15;
/** Of the attempts of one delivery the latest are kept: it may be begun again any number of times. */
export const MOST_LOGGED = 20 * MOST_ATTEMPTS;
const LONGEST_PAUSE_MS = 3_600_000;

/** Calls of one process at once, to whomever, and those that wait for one. */
export const CALLS_AT_ONCE = 400;
export const CALLS_WAITING = 200;

const BUSY_MS = 5_000;
const LONGEST_BUSY_MS = 300_000;
const FIRST_BUSY_MS = 10_000;

/**
 * How long a call that had no place waits before it comes back, in milliseconds, a quarter more or less: a retry twice as long each time, a
 * first attempt never longer, since it would ask the less often the more often it has lost. `busy`: how often in a row it had none before.
 * `random`: from 0 to 1.
 */
export function busyPauseMs({ busy, isRetry }: { readonly busy: number; readonly isRetry: boolean }, random: number): number {
  const pause = isRetry ? Math.min(LONGEST_BUSY_MS, BUSY_MS * 2 ** busy) : FIRST_BUSY_MS;
  return pause * (0.75 + random / 2);
}

/** Any 2xx. */
export function isTaken({ status }: AttemptAnswer): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** What becomes of a delivery by an attempt: settled, or the instant of the next attempt. */
export type AfterAttempt = { readonly settled: Exclude<DeliveryStatus, 'pending'> } | { readonly settled: null; readonly nextAt: Date };

/** The same of the n-th attempt of a series, for whoever made it. */
export function afterAttempt(
  number: number,
  answer: AttemptAnswer,
  { now, retryBaseSeconds }: { readonly now: Date; readonly retryBaseSeconds: number },
): AfterAttempt {
  if (isTaken(answer)) return { settled: 'delivered' };
  if (number >= MOST_ATTEMPTS) return { settled: 'failed' };
  const planned = retryBaseSeconds * 1000 * 2 ** (number - 1);
  const asked = (answer.retryAfterSeconds ?? 0) * 1000;
  return { settled: null, nextAt: new Date(now.getTime() + Math.min(LONGEST_PAUSE_MS, Math.max(planned, asked))) };
}

/** An event as it was written. */
export interface WrittenEvent {
  readonly id: string;
  readonly type: string;
  readonly at: Date;
  readonly data: unknown;
}

/** What is sent of an event, the same to every endpoint and at every attempt: docs/contract/webhooks.md 8. */
export function eventBody({ id, type, at, data }: WrittenEvent): {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: unknown;
} {
  return { id, type, timestamp: at.toISOString(), data };
}
