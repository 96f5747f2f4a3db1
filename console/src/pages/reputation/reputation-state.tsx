import type { ReactNode } from 'react';
import { Status, type Tone } from '../../show/status.tsx';
import type { Reputation } from './reputation-queries.ts';

const STATES: Readonly<Record<NonNullable<Reputation['state']>, { readonly word: string; readonly tone: Tone }>> = {
  good: { word: 'good', tone: 'good' },
  warning: { word: 'warning', tone: 'warning' },
  critical: { word: 'critical', tone: 'bad' },
};
const TOO_FEW = { word: 'too few', tone: 'idle' } as const;

/** What to think of a domain or receiver, in a word. */
export function ReputationState({ state }: Pick<Reputation, 'state'>): ReactNode {
  const { word, tone } = state === null ? TOO_FEW : STATES[state];
  return <Status value={word} tone={tone} />;
}
