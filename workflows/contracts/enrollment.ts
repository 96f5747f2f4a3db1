import type { HoldReason } from '../../domain/sequences/waiting-for.ts';
import type { AboutInput } from './workflow.ts';

/** Input of the enrollment workflow. Where it stands is asked of the database, so a reset needs no more than the id. */
export interface EnrollmentInput extends AboutInput {
  readonly enrollmentId: string;
  /** What it does first, where the row says so from its start; else it asks. */
  readonly first?: EnrollmentCommand;
  /** Of the run before, when it was continued as new: what went wrong, for operators. */
  readonly mishaps?: readonly string[];
  /** Likewise: how far the call of a webhook node was that had no place. */
  readonly calling?: CallProgress;
  /** By node, the latest step whose mail has its outcome: of the run before, when it was continued as new. */
  readonly mailed?: Readonly<Record<string, number>>;
}

/** How often a call was made, and how often it had no place. */
export interface CallProgress {
  readonly step: number;
  readonly made: number;
  /** In a row, and since when, in epoch milliseconds. */
  readonly busy: number;
  readonly busySince: number | null;
}

/** How the last command ended. */
export interface StepReport {
  readonly step: number;
  readonly outcome: string;
  readonly detail?: string;
}

/** Where a run is to do something. */
interface AtStep {
  readonly step: number;
  readonly nodeId: string;
  /**
   * In so many milliseconds the clock alone may make a condition another that ends the run or its wait: it asks again then. A duration, since
   * the clocks of those who judge conditions and of Temporal may differ. None: only something that happens does.
   */
  readonly turnsInMs?: number;
}

/** What an enrollment does next. Instants are epoch milliseconds. */
export type EnrollmentCommand =
  | (AtStep & { readonly do: 'send'; readonly template: string })
  | (AtStep & {
      readonly do: 'wait';
      readonly waitingFor: string;
      /** null: as long as it takes. */
      readonly until: number | null;
      /** What the wait comes to when its instant comes first. */
      readonly timeoutOutcome: string;
    })
  | (AtStep & {
      readonly do: 'call';
      readonly method: string;
      readonly host: string;
      /**
       * For operators, without query and secrets. With it the run itself makes try after try, so that it shows them and `retryNow` makes the next at once; an
       * earlier release gave none, and left the tries to the retries of one activity.
       */
      readonly path?: string;
      readonly firstRetrySeconds: number;
    })
  /** `status` and `detail` (why it failed) are for operators. */
  | { readonly do: 'end'; readonly reason: string; readonly status?: string; readonly detail?: string };

/** The mail of one visit. `outages`: how often in a row the provider was away. */
export interface SendInput extends Pick<EnrollmentInput, 'enrollmentId'> {
  readonly step: number;
  readonly outages: number;
}

/** One try of the call of a webhook node. `pauseMs`: before the next one, null after the last; omitted where the activity is retried by itself. */
export interface CallInput extends Pick<EnrollmentInput, 'enrollmentId'> {
  readonly step: number;
  readonly pauseMs?: number | null;
  /** By other activities. */
  readonly triesBefore?: number;
}

export type SendStepResult =
  /** The outcome is recorded; `next` is what comes after it. `outcome` and `detail` are for operators; none where it was recorded before. */
  | { readonly done: true; readonly outcome?: 'sent' | 'skipped'; readonly detail?: string; readonly next: EnrollmentCommand }
  /** `until`: epoch milliseconds when it may go on by itself; null when only a change can let it go on. `detail` is for operators. */
  | { readonly done: false; readonly heldBy: HoldReason; readonly until: number | null; readonly detail?: string }
  /** The enrollment ended meanwhile. */
  | { readonly done: false; readonly heldBy: null };
