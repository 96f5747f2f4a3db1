import type { AboutInput } from './workflow.ts';

/** Input of the workflow that a recurring campaign's schedule starts. Which instant is due, its row says. */
export interface RecurringRunInput extends AboutInput {
  readonly recurringId: string;
}

/** What a run came to, as a sentence for operators. */
export interface RecurringRunReport {
  readonly said: string;
}
