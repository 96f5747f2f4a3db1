import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';
import { capitalized } from '../letters.ts';
import classes from './status.module.css';

export type Tone = 'good' | 'busy' | 'idle' | 'warning' | 'bad';

/** Of everything that has a state. A word that is not here is shown as it is, without a tone. */
const TONES: Readonly<Record<string, Tone>> = {
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

/** A state as a word; its color only repeats what the word says. */
export function Status({ value, tone = TONES[value] ?? 'idle' }: { readonly value: string; readonly tone?: Tone }): ReactNode {
  return (
    <Badge className={classes.status} leftSection={<span className={classes.dot} data-tone={tone} />}>
      {capitalized(value).replaceAll('_', ' ')}
    </Badge>
  );
}
