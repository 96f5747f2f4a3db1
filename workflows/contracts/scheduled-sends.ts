import type { AboutInput } from './workflow.ts';

/** Input of the workflow that sends the scheduled mails of a project when they are due. */
export interface ScheduledInput extends AboutInput {
  readonly projectId: string;
}

/** `retryNow`: what was put off is tried now. */
export interface DueInput extends Pick<ScheduledInput, 'projectId'> {
  readonly retryNow: boolean;
}

/** What a turn of it has come to. */
export interface ScheduledReport {
  readonly sent: number;
  readonly failed: number;
  /** How many wait still, counted up to ten thousand. */
  readonly waiting: number;
  /** Milliseconds until the next is due, negative where it is; null: none waits. */
  readonly nextInMs: number | null;
  /** Why none may go. */
  readonly heldBy?: string;
  /** The provider took none of the last ones now. */
  readonly away?: { readonly message: string; readonly seconds: number };
}
