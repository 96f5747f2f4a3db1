import type { ReactNode } from 'react';
import type { Schemas } from '../api/client.ts';
import { capitalized } from '../letters.ts';
import classes from './status.module.css';

export type Tone = 'good' | 'busy' | 'idle' | 'warning' | 'bad';

/** What has a state, by the API's own types. */
type State =
  | Schemas['ContactStatus']
  | Schemas['SendStatus']
  | NonNullable<Schemas['SendLogEntry']['delivery_status']>
  | Schemas['CampaignStatus']
  | Schemas['SequenceStatus']
  | Schemas['EnrollmentStatus']
  | Schemas['WebhookDeliveryStatus']
  /** Of a version of a template. */
  | 'published';

const TONES: Readonly<Record<State, Tone>> = {
  subscribed: 'good',
  sent: 'good',
  delivered: 'good',
  active: 'good',
  completed: 'good',
  published: 'good',
  pending: 'busy',
  queued: 'busy',
  scheduled: 'busy',
  sending: 'busy',
  unsubscribed: 'idle',
  draft: 'idle',
  paused: 'warning',
  archived: 'idle',
  cancelled: 'idle',
  bounced: 'bad',
  failed: 'bad',
  complained: 'bad',
};

/** A state as a word; its color only repeats what the word says. A word of another kind has none unless it is given. */
export function Status({ value, tone = TONES[value as State] ?? 'idle' }: { readonly value: string; readonly tone?: Tone }): ReactNode {
  return (
    <span className={classes.status}>
      <span className={classes.dot} data-tone={tone} />
      <span className={classes.words}>{capitalized(value).replaceAll('_', ' ')}</span>
    </span>
  );
}
