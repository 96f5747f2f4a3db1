import type { Schemas } from '../../api/client.ts';
import type { Tone } from '../../show/status.tsx';

export type Reason = Schemas['SuppressionReason'];

/** Why an address is suppressed, in words. */
export const REASONS: Readonly<Record<Reason, { readonly label: string; readonly tone: Tone }>> = {
  bounce: { label: 'Bounce', tone: 'bad' },
  complaint: { label: 'Complaint', tone: 'bad' },
  manual: { label: 'Manual', tone: 'idle' },
  global_unsubscribe: { label: 'Global unsubscribe', tone: 'idle' },
};
