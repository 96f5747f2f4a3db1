import type { MailLeftOutReason } from './left-out-mails.ts';
import type { HoldReason, WaitingFor } from './waiting-for.ts';

/** What can be asked to be done with many runs. */
export const RUN_ACTIONS = ['move', 'cancel', 'resume', 'retry'] as const;
export type RunAction = (typeof RUN_ACTIONS)[number];

/** With what a new graph asks of those who stand where it has no step any more. */
export const ENROLLMENT_ACTIONS = [...RUN_ACTIONS, 'migrate'] as const;
export type EnrollmentActionName = (typeof ENROLLMENT_ACTIONS)[number];

export const ACTION_STATUSES = ['running', 'completed', 'cancelled'] as const;
/** `cancelled`: it was ended before it had gone through all. */
export type ActionStatus = (typeof ACTION_STATUSES)[number];

/** Of one sequence at the same time. */
export const MOST_ACTIONS = 10;

/** By the node at which a run stands: where it goes on in the new graph, or null where it ends. */
export type Migrate = Readonly<Record<string, string | null>>;

/** Which runs of a sequence. */
export interface RunFilter {
  readonly status?: 'active' | 'completed' | 'cancelled' | undefined;
  /** Where it stands, or ended. */
  readonly nodeId?: string | undefined;
  readonly waitingFor?: WaitingFor | undefined;
  readonly version?: number | undefined;
  /** Only those of which a step failed. */
  readonly failedSteps?: 'some' | undefined;
  /** Only those that are held now, for whatever reason or for this one. */
  readonly held?: 'some' | HoldReason | undefined;
  /** Only those that went on without a mail, for whatever reason or for this one, of the latest runs. */
  readonly leftOut?: 'some' | MailLeftOutReason | undefined;
  /** Only those that went on without the mail of this node. */
  readonly leftOutAt?: string | undefined;
  readonly contactIds?: readonly string[] | undefined;
}
