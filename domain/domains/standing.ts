import type { Findings, RecordState } from './finding.ts';
import { actionFor, type DomainKey } from './key-turns.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Whether a domain proves itself by DNS. `pending`: not so far, or no more. `failing`: it did, and for a while still counts as if it did. */
export const STANDINGS = ['pending', 'verified', 'failing'] as const;
export type Standing = (typeof STANDINGS)[number];

/** So long a domain that was verified may lack a record before nothing is sent from it: time to put back what somebody took away. */
export const GRACE_MS = 72 * HOUR_MS;

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

interface Watched {
  readonly standing: Standing;
  readonly created_at: Date;
  readonly keys: readonly DomainKey[];
  readonly findings: Findings;
}

/**
 * In how long a domain is looked at again: soon after it was added or got a key, as its owner is about to set records, also those that it can do
 * without; once nothing is missing, daily.
 */
export function nextCheckMs({ standing, created_at, keys, findings }: Watched, now: Date): number {
  const since = (at: Date): number => now.getTime() - at.getTime();
  const isComplete = standing === 'verified' && Object.values(findings).every(({ problem }) => problem === undefined);
  const times = [isComplete ? DAY_MS : standing === 'failing' ? HOUR_MS : awaitedAgainMs(since(created_at))];
  for (const key of keys) {
    const { action, keepUntil } = actionFor(key);
    if (keepUntil) times.push(Math.max(keepUntil.getTime() - now.getTime(), MINUTE_MS));
    else if (action === 'set' && key.signed_at === null) times.push(awaitedAgainMs(since(key.created_at)));
  }
  return Math.min(...times);
}

/** Of what somebody began to wait for so long ago. */
function awaitedAgainMs(ago: number): number {
  if (ago < HOUR_MS) return 2 * MINUTE_MS;
  if (ago < DAY_MS) return 15 * MINUTE_MS;
  return ago < 14 * DAY_MS ? 6 * HOUR_MS : DAY_MS;
}
