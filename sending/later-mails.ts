import { outagePauseMs } from '../domain/sends/submission-times.ts';
import type { LaterRule } from './campaign-batch.ts';
import type { RecipientResult } from './sources/campaign.ts';

export type LaterResult = Extract<RecipientResult, { state: 'later' }>;

/** Mails that wait for the pace of their receivers are tried again after so long at the latest. */
const MOST_PACED_MS = 300_000;

/** The mails of a batch of a campaign that go later, by what each of them waits for. */
export interface LaterMails {
  /** The provider, which was asked for them or may not be asked faster. */
  readonly away: readonly LaterResult[];
  /** The next day. */
  readonly allowed: readonly LaterResult[];
  /** The pace of their receivers. */
  readonly paced: readonly LaterResult[];
}

export function laterMails(results: readonly RecipientResult[]): LaterMails {
  const by = Map.groupBy(
    results.filter((result) => result.state === 'later'),
    ({ heldBy }) => (heldBy === 'allowance' || heldBy === 'receiver' ? heldBy : 'away'),
  );
  return { away: by.get('away') ?? [], allowed: by.get('allowance') ?? [], paced: by.get('receiver') ?? [] };
}

/** When they are tried again: those that wait for the next day only then, where all of them do. `attempts`: how often the provider wanted the batch later. */
export function laterRule({ away, allowed, paced }: LaterMails, attempts: number): LaterRule {
  if (away.length > 0) return { pauseMs: outagePauseMs(attempts, longest(away)), wasAway: true };
  if (paced.length > 0) return { pauseMs: Math.min(longest(paced) * 1_000, MOST_PACED_MS), wasAway: false };
  return { pauseMs: longest(allowed) * 1_000, wasAway: false };
}

/** In seconds. */
function longest(mails: readonly LaterResult[]): number {
  return Math.max(0, ...mails.map(({ retryAfterSeconds = 0 }) => retryAfterSeconds));
}
