import type { DeliveryStatus } from './delivery.ts';

/** Where a delivery stands: pending in the burst of its endpoint or with a workflow of its own, or settled. */
export type DeliveryState = 'burst' | 'workflow' | Exclude<DeliveryStatus, 'pending'>;

export const DELIVERY_STATES: readonly DeliveryState[] = ['burst', 'workflow', 'delivered', 'failed'];

/**
 * How an attempt ended. `given up`: refused, as the last of its series. `taken late`: it had been counted as cut off, by somebody who lost sight of
 * it, and came through. A refusal as late as that is no event: it counts already.
 */
export type AttemptEnd = 'taken' | 'refused' | 'given up' | 'taken late';

/** What becomes of a delivery by other means: begun again by hand, by itself or with all that failed, retried at once by hand, left to its burst when due, or its workflow closed. */
export type OtherEvent = 'begun again' | 'begun again with all' | 'retried now' | 'left to burst' | 'workflow closed';

/** What an event makes of a delivery. What is not named stays as it is; no event disables an endpoint or is told to one. */
export interface Transition {
  readonly to: DeliveryState;
  /** One more is counted and logged; the log says of one that has counted that it came through; or another series begins, from none. */
  readonly attempts?: 'one more' | 'corrected' | 'another series';
  /** `response_status` is that of the attempt, or none. */
  readonly response?: 'of the attempt' | 'none';
  /** `next_attempt_at` is the planned instant, now, or that of the latest attempt. */
  readonly next?: 'planned' | 'now' | 'latest attempt';
  /** `starts workflow`: when the next attempt is due. `starts burst`: unless the endpoint has one. */
  readonly follows?: 'starts workflow' | 'wakes workflow' | 'starts burst';
}

/** Whoever made the attempt, after it the delivery is not its burst's. */
export interface EndTransition extends Transition {
  readonly to: Exclude<DeliveryState, 'burst'>;
}

const LATEST = { next: 'latest attempt' } as const;
const COUNTED = { attempts: 'one more', response: 'of the attempt' } as const;
const CORRECTED = { attempts: 'corrected', response: 'of the attempt' } as const;

/**
 * From an attempt's end and the state that it meets to what becomes of the delivery. Whatever came through makes it delivered, for good. The
 * statement of db/queries/webhooks/attempt-ends.ts is made from it.
 */
export const AFTER_ATTEMPT: Readonly<Record<AttemptEnd, Readonly<Record<DeliveryState, EndTransition>>>> = {
  taken: {
    burst: { to: 'delivered', ...COUNTED, ...LATEST },
    workflow: { to: 'delivered', ...COUNTED, ...LATEST },
    delivered: { to: 'delivered', attempts: 'one more', ...LATEST },
    failed: { to: 'delivered', ...COUNTED, ...LATEST },
  },
  refused: {
    burst: { to: 'workflow', ...COUNTED, next: 'planned', follows: 'starts workflow' },
    workflow: { to: 'workflow', ...COUNTED, next: 'planned' },
    delivered: { to: 'delivered', attempts: 'one more', ...LATEST },
    failed: { to: 'failed', ...COUNTED, ...LATEST },
  },
  'given up': {
    burst: { to: 'failed', ...COUNTED, ...LATEST },
    workflow: { to: 'failed', ...COUNTED, ...LATEST },
    delivered: { to: 'delivered', attempts: 'one more', ...LATEST },
    failed: { to: 'failed', ...COUNTED, ...LATEST },
  },
  'taken late': {
    burst: { to: 'delivered', ...CORRECTED, ...LATEST },
    workflow: { to: 'delivered', ...CORRECTED, ...LATEST },
    delivered: { to: 'delivered', attempts: 'corrected', ...LATEST },
    failed: { to: 'delivered', ...CORRECTED, ...LATEST },
  },
};

/** The same of other events, each with a statement that test/db/webhooks/delivery-states.test.ts holds to it: without an entry nothing changes. */
export const AFTER_OTHERS: Readonly<Record<OtherEvent, Readonly<Partial<Record<DeliveryState, Transition>>>>> = {
  'begun again': {
    delivered: { to: 'workflow', attempts: 'another series', response: 'none', next: 'now', follows: 'starts workflow' },
    failed: { to: 'workflow', attempts: 'another series', response: 'none', next: 'now', follows: 'starts workflow' },
  },
  'begun again with all': { failed: { to: 'burst', attempts: 'another series', response: 'none', next: 'now', follows: 'starts burst' } },
  'retried now': { workflow: { to: 'workflow', next: 'now', follows: 'wakes workflow' } },
  'left to burst': { workflow: { to: 'burst', follows: 'starts burst' } },
  'workflow closed': { burst: { to: 'failed', ...LATEST }, workflow: { to: 'failed', ...LATEST } },
};
