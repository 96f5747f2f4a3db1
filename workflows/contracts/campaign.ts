import type { AllowanceHolder } from '../../domain/sends/allowance.ts';
import type { AboutInput, RunState } from './workflow.ts';

/** Input of the campaign workflow. */
export interface CampaignInput extends AboutInput {
  readonly campaignId: string;
  /** Of the run before, when it was continued as new. */
  readonly report?: CampaignReport;
}

/** What the senders of a campaign did since its next step was last asked for. */
export interface CampaignReport {
  readonly sent: number;
  readonly failed: number;
  /** How long the senders had their turn. */
  readonly seconds?: number;
  /** The provider took nothing of a batch. */
  readonly away: { readonly message: string; readonly retryAfterSeconds?: number | undefined } | null;
  /** Mails wait for the next day, since this allowance is used. */
  readonly allowance?: { readonly holder: AllowanceHolder; readonly retryAfterSeconds: number } | undefined;
  /** Its rate lets it go on only then, and no sender waits for that. */
  readonly resumeInMs?: number;
}

/** What a campaign does next. `details` is shown to operators, in Markdown. */
export type CampaignCommand =
  /** Who gets it is found out now. */
  | { readonly do: 'resolve'; readonly details: string }
  /** `lanes`: how many senders work at once, under the name that histories have. `summary`: how far it is, for each of them. */
  | { readonly do: 'send'; readonly lanes: number; readonly summary: string; readonly details: string }
  /**
   * `pauseMs`: null where only a change can let it go on. A duration, since the clocks of PostgreSQL and Temporal may differ; `until`, an
   * instant in epoch milliseconds, is what workflows that began under an earlier version have in their histories. `summary`: of the timer.
   */
  | {
      readonly do: 'wait';
      readonly state: RunState;
      readonly pauseMs?: number | null;
      readonly until?: number | null;
      readonly summary: string;
      readonly details: string;
    }
  | { readonly do: 'end'; readonly status: string; readonly details: string };
