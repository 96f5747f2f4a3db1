import type { AboutInput, RunState } from './workflow.ts';

/** Input of the workflow of one delivery. Whose calls at once are bounded together is known before the database is asked. */
export interface DeliveryInput extends AboutInput {
  readonly deliveryId: string;
  readonly endpointId: string;
  readonly projectId: string;
  /** Of the next attempt when it is started; 1 when omitted. */
  readonly number?: number;
}

/** What a delivery does next. Instants are epoch milliseconds; `details` is shown to operators, in Markdown. */
export type DeliveryCommand =
  /** until: null where only a change can let it go on. `summary`: of the timer. */
  | {
      readonly do: 'wait';
      readonly state: Extract<RunState, 'retrying' | 'held' | 'waiting'>;
      readonly until: number | null;
      readonly summary: string;
      readonly details: string;
      /** The number of the next attempt. */
      readonly next?: number;
      /** The endpoint had no slot. */
      readonly isBusy?: true;
    }
  | { readonly do: 'end'; readonly status: string; readonly details: string };

/** The same, or that no attempt was made within the workflow task and it has to go through the queue. `details` is for operators. */
export type LocalAttemptAnswer = DeliveryCommand | { readonly do: 'queue'; readonly details?: string };

/** Input of the workflow that makes the first attempts of an endpoint for which many wait. */
export interface BurstInput extends AboutInput {
  readonly endpointId: string;
}

/** What a burst has come to in its turn. `details` is shown to operators, in Markdown. */
export interface BurstReport {
  /** `empty`: nothing waits, and what comes from now on starts another burst. `disabled`: it waits until the endpoint is enabled. */
  readonly state: 'more' | 'empty' | 'disabled' | 'gone';
  readonly delivered: number;
  readonly failed: number;
  readonly summary: string;
  readonly details: string;
}

/** Input of the workflow that begins all deliveries of an endpoint again that have failed. */
export interface RetryInput extends AboutInput {
  readonly retryId: string;
}

/** What a retry has come to in its turn. */
export interface RetryReport {
  /**
   * `crowded`: enough waits for the endpoint. `held`: that is disabled. `ended`: all were begun again, the endpoint is gone, or others have
   * ended the retry.
   */
  readonly state: 'more' | 'crowded' | 'held' | 'ended';
  /** Of all turns. */
  readonly retried: number;
  readonly total: number;
}
