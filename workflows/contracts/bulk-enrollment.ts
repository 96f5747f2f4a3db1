import type { AboutInput } from './workflow.ts';

/** Input of the workflow that enrolls all members of a segment. */
export interface BulkInput extends AboutInput {
  readonly bulkId: string;
}

/** What it has come to in its turn. */
export interface BulkReport {
  /** `held`: the sequence is not active. `ended`: all were looked at, the sequence is over, or others have ended it. */
  readonly state: 'more' | 'held' | 'ended';
  /** Of all turns. */
  readonly enrolled: number;
  readonly skipped: number;
  /** In the segment when it was asked for. */
  readonly total: number;
}
