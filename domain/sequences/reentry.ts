import type { SequenceGraph } from './graph.ts';

/** Why a contact may not enter: docs/contract/events.md 15, tried in this order. */
export type EnrollRefusal = 'sequence_not_active' | 'contact_unsubscribed' | 'already_enrolled' | 'already_completed' | 'cooldown';

/** What a contact's earlier runs of the sequence amount to. */
export interface EarlierRuns {
  readonly active: number;
  readonly ended: number;
  readonly lastStartedAt: Date | null;
}

export interface Candidate {
  readonly sequenceStatus: string;
  readonly contactStatus: string;
  readonly earlier: EarlierRuns;
}

/** undefined: the contact may enter. */
export function enrollRefusal(
  { reentry, cooldownHours }: Pick<SequenceGraph, 'reentry' | 'cooldownHours'>,
  { sequenceStatus, contactStatus, earlier }: Candidate,
  now: Date,
): EnrollRefusal | undefined {
  if (sequenceStatus !== 'active') return 'sequence_not_active';
  if (contactStatus === 'unsubscribed') return 'contact_unsubscribed';
  if (reentry !== 'always' && earlier.active > 0) return 'already_enrolled';
  if (reentry === 'once_ever' && earlier.ended > 0) return 'already_completed';
  const { lastStartedAt } = earlier;
  if (cooldownHours !== null && lastStartedAt && now.getTime() - lastStartedAt.getTime() < cooldownHours * 3_600_000) return 'cooldown';
  return undefined;
}
