import type { AboutInput } from './workflow.ts';

/** Input of the workflow that asks somebody who signed up. */
export interface ConfirmationInput extends AboutInput {
  readonly confirmationId: string;
}

/** What a look at a confirmation has come to. `said`: for operators, without the address. */
export type ConfirmationReport =
  /** It needs nothing any more. */
  | { readonly state: 'over'; readonly said: string }
  /** `waiting`: for the person, until a reminder or the end. `held`: for something else. `retrying`: for the provider. */
  | { readonly state: 'waiting' | 'held' | 'retrying'; readonly nextInMs: number; readonly said: string };
