import type { RecordState } from './records.ts';

/** Whether a domain proves itself by DNS. `pending`: not so far, or no more. `failing`: it did, and for a while still counts as if it did. */
export const STANDINGS = ['pending', 'verified', 'failing'] as const;
export type Standing = (typeof STANDINGS)[number];

/** So long a domain that was verified may lack a record before nothing is sent from it: time to put back what somebody took away. */
export const GRACE_MS = 72 * 3_600_000;

export interface DomainStanding {
  readonly standing: Standing;
  /** Since when a record is missing or wrong; undefined unless it is failing. */
  readonly failingSince: Date | undefined;
}

/**
 * What a check makes of a domain. `required`: what DNS has of the records that verify it, undefined for one that DNS gave no answer about. An
 * outage of DNS changes nothing: neither does it verify a domain, nor does it take that away.
 */
export function standingAfter(before: DomainStanding, required: readonly (RecordState | undefined)[], now: Date): DomainStanding {
  if (required.some((state) => state === 'missing' || state === 'wrong')) {
    if (before.standing === 'pending') return before;
    const failingSince = before.failingSince ?? now;
    const isOver = now.getTime() - failingSince.getTime() >= GRACE_MS;
    return isOver ? { standing: 'pending', failingSince: undefined } : { standing: 'failing', failingSince };
  }
  if (required.length === 0 || required.includes(undefined)) return before;
  return { standing: 'verified', failingSince: undefined };
}

/** After a domain was added, or an owner asked: how soon it is looked at again, by how long ago that was; once it stands, daily. */
export function nextCheckMs(standing: Standing, sinceAddedMs: number): number {
  const hour = 3_600_000;
  if (standing === 'failing') return hour;
  if (standing === 'verified') return 24 * hour;
  if (sinceAddedMs < hour) return 2 * 60_000;
  if (sinceAddedMs < 24 * hour) return 15 * 60_000;
  return sinceAddedMs < 14 * 24 * hour ? 6 * hour : 24 * hour;
}
