/**
 * Why a run went on without sending its contact the mail of a step. `frequency_cap`: it waited for the cap as long as it may. `other`: what the
 * trace of the run says in words.
 */
export const MAIL_LEFT_OUT_REASONS = [
  'suppressed',
  'unsubscribed',
  'bounced',
  'unconfirmed',
  'topic_off',
  'erased',
  'frequency_cap',
  'other',
] as const;
export type MailLeftOutReason = (typeof MAIL_LEFT_OUT_REASONS)[number];

/** How many runs were left out for each reason. */
export type MailLeftOutCounts = Readonly<Record<MailLeftOutReason, number>>;

/** Runs that were left out for a reason at a node; `node_id` null: at any, each once. */
export interface RunsLeftOut {
  readonly node_id: string | null;
  readonly reason: MailLeftOutReason;
  readonly runs: number;
}

/** Those of one node, or of any. */
export function leftOutAt(nodeId: string | null, of: readonly RunsLeftOut[]): MailLeftOutCounts {
  const runsOf = (reason: MailLeftOutReason): number => of.find((one) => one.node_id === nodeId && one.reason === reason)?.runs ?? 0;
  return Object.fromEntries(MAIL_LEFT_OUT_REASONS.map((reason) => [reason, runsOf(reason)])) as Record<MailLeftOutReason, number>;
}
