import { percentWords } from '../percent-words.ts';

/** What became of mails that were sent from one domain, or to one receiver. */
export interface ReputationCounts {
  readonly sent: number;
  /** Not sent: refused at once because of the address; each is one of `hard_bounced`, too. */
  readonly rejected: number;
  readonly delivered: number;
  readonly deferred: number;
  readonly hard_bounced: number;
  readonly soft_bounced: number;
  readonly complained: number;
}

export const REPUTATION_COUNTERS = [
  ...(['sent', 'rejected', 'delivered', 'deferred', 'hard_bounced', 'soft_bounced', 'complained'] as const),
] satisfies (keyof ReputationCounts)[];

export const REPUTATION_STATES = ['good', 'warning', 'critical'] as const;
export type ReputationState = (typeof REPUTATION_STATES)[number];

/** The shares of mails from which on receivers begin to doubt a sender (Gmail and Yahoo name those of complaints) and providers to suspend one. */
export const REPUTATION_LIMITS = {
  complaints: { warning: 0.001, critical: 0.003 },
  bounces: { critical: 0.05 },
} as const;

/** Of fewer mails a share says nothing. */
export const FEWEST_MAILS = 100;

/** Over which alerts look: long enough for complaints that come late, and for who writes once a week. */
export const ALERT_HOURS = 7 * 24;

export interface Reputation {
  /** Mails that bounced, of those that were sent or rejected; null: there were none. */
  readonly bounceRate: number | null;
  /** Mails that were complained about, of those that were sent; null: there were none. */
  readonly complaintRate: number | null;
  /** null: too few mails to tell. */
  readonly state: ReputationState | null;
}

/** What the counts say of a sender. */
export function reputationOf({ sent, rejected, hard_bounced, soft_bounced, complained }: ReputationCounts): Reputation {
  const tried = sent + rejected;
  const bounceRate = tried > 0 ? (hard_bounced + soft_bounced) / tried : null;
  const complaintRate = sent > 0 ? complained / sent : null;
  return { bounceRate, complaintRate, state: tried < FEWEST_MAILS ? null : stateOf(bounceRate ?? 0, complaintRate ?? 0) };
}

function stateOf(bounceRate: number, complaintRate: number): ReputationState {
  const { complaints, bounces } = REPUTATION_LIMITS;
  if (complaintRate >= complaints.critical || bounceRate >= bounces.critical) return 'critical';
  return complaintRate >= complaints.warning ? 'warning' : 'good';
}

/** What is wrong with a sender. */
export interface ReputationFault {
  readonly state: Exclude<ReputationState, 'good'>;
  /** `mails`: which they are, like `emails from acme.example`. */
  readonly words: (mails: string) => string;
}

/** Undefined where nothing is wrong, and of too few mails to tell. */
export function reputationFault(counts: ReputationCounts): ReputationFault | undefined {
  const { bounceRate, complaintRate, state } = reputationOf(counts);
  if (state === null || state === 'good') return undefined;
  const { complaints, bounces } = REPUTATION_LIMITS;
  const limitOf = (rate: number | null, limits: { readonly warning?: number; readonly critical: number }): string | undefined => {
    if (rate !== null && rate >= limits.critical) return `critical from ${percentWords(limits.critical)} on`;
    return rate !== null && limits.warning !== undefined && rate >= limits.warning
      ? `too many from ${percentWords(limits.warning)} on`
      : undefined;
  };
  const [complained, bounced] = [limitOf(complaintRate, complaints), limitOf(bounceRate, bounces)];
  const parts = [
    ...(complained ? [`${percentWords(complaintRate ?? 0)} were reported as spam (${complained})`] : []),
    ...(bounced ? [`${percentWords(bounceRate ?? 0)} bounced (${bounced})`] : []),
  ];
  return { state, words: (mails) => `of ${(counts.sent + counts.rejected).toLocaleString('en')} ${mails} ${parts.join(' and ')}` };
}
