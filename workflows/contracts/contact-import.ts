import type { AboutInput } from './workflow.ts';

/** Input of the workflow that reads a file of contacts. */
export interface ImportInput extends AboutInput {
  readonly importId: string;
}

/** What an import has come to in its turn. */
export interface ImportReport {
  /** `held`: it is paused. `ended`: all was read, or it cannot be read on, or others have ended it. */
  readonly state: 'more' | 'held' | 'ended';
  /** For operators: no address, no name. */
  readonly said: string;
}
