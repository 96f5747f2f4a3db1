import type { Schemas } from '../../api/client.ts';
import type { Tone } from '../../show/status.tsx';

export type Reason = Schemas['SuppressionReason'];

interface ReasonWords {
  readonly label: string;
  readonly tone: Tone;
  /** When it is the reason. */
  readonly meaning: string;
  /** A contact with the address is unsubscribed too, and stays so when the address is taken off the list. */
  readonly unsubscribes?: true;
}

/** Why an address is suppressed, in words. */
export const REASONS: Readonly<Record<Reason, ReasonWords>> = {
  bounce: { label: 'Bounce', tone: 'bad', meaning: 'Email to the address came back.' },
  complaint: { label: 'Complaint', tone: 'bad', meaning: 'The recipient marked an email as spam.', unsubscribes: true },
  manual: { label: 'Manual', tone: 'idle', meaning: 'Added by hand.' },
  global_unsubscribe: {
    label: 'Global unsubscribe',
    tone: 'idle',
    meaning: 'The person opted out of all email.',
    unsubscribes: true,
  },
};

/** What a reason means and does. */
export function reasonWords(reason: Reason): string {
  const { meaning, unsubscribes } = REASONS[reason];
  return `${meaning} A contact with the address ${unsubscribes ? 'is also unsubscribed' : 'keeps its status'}.`;
}

/** Why an address is suppressed, in a sentence; a reason of a later version is told as it is. */
export function suppressionWords(reason: string): string {
  const known: Readonly<Record<string, ReasonWords>> = REASONS;
  return known[reason]?.meaning ?? reason;
}
