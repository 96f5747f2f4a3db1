import type { EnrollmentActionName } from '../../domain/sequences/enrollment-action.ts';
import type { AboutInput } from './workflow.ts';

/** Input of the workflow that does something with many runs. */
export interface ActionInput extends AboutInput {
  readonly actionId: string;
}

/** What it has come to in its turn. */
export interface ActionReport {
  /** `ended`: all were looked at, the sequence is over, or others have ended it. */
  readonly state: 'more' | 'ended';
  readonly action: EnrollmentActionName;
  /** Of all turns. */
  readonly done: number;
  readonly skipped: number;
  /** That matched when it was asked for. */
  readonly total: number;
}
