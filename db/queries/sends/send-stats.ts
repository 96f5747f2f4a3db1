import type { EntityManager } from '../../orm.ts';
import { type CountedTimes, countHours, type HourlyCounts, sumUpHours } from '../operations/hourly-counts.ts';

/** What is counted of the hour in which mails were sent: migration 0028. */
const SEND_COUNTS = {
  kept: 'send_counts',
  changes: 'send_count_changes',
  counters: ['sent', 'failed', 'unreported', 'queued', 'delivered', 'bounced', 'complained', 'opened', 'clicked'],
} as const satisfies HourlyCounts<string>;

/** What became of the mails of a time; of `opened`, mails that were opened at least once, by whom no machine is known to be. */
export const SEND_COUNTERS = ['sent', 'failed', 'delivered', 'bounced', 'complained', 'opened', 'clicked'] as const;

/** The mails of one hour or day, by what has become of them since. */
export type SendCounts = { readonly from: Date } & Readonly<Record<(typeof SEND_COUNTERS)[number], number>>;

/** Of each hour or day; those without a mail are among them. */
export async function countSends(em: EntityManager, projectId: string, times: CountedTimes): Promise<SendCounts[]> {
  return countHours(em, projectId, SEND_COUNTS, SEND_COUNTERS, times);
}

/** Adds what changed to the numbers that are kept, so that reading them stays quick. */
export async function sumUpSendCounts(em: EntityManager): Promise<void> {
  await sumUpHours(em, SEND_COUNTS);
}
