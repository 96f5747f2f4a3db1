import { sql } from 'kysely';
import { WITHOUT_MARKETING } from '../../../domain/contacts/contact.ts';
import type { EntityManager } from '../../orm.ts';
import { row } from '../../rows.ts';
import { type CountedTimes, countHours, type HourlyCounts, sumUpHours } from '../operations/hourly-counts.ts';
import type { RecipientRefusal } from './gate-verdict.ts';

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

/** Why a gate let no mail go to an address. */
const WITHHELD: readonly RecipientRefusal[] = ['suppressed', ...WITHOUT_MARKETING, 'unconfirmed', 'topic_off'];

/** More than that are not counted. */
const MOST_WITHHELD = 100_000;

/** How many of the mails of a time that failed were never submitted, since their addresses get none; at most 100,000. */
export async function countWithheld(em: EntityManager, projectId: string, { begins, end }: CountedTimes): Promise<number> {
  // The predicate of sends_withheld_idx has to be seen in the text.
  const counted = await row(
    em,
    sql<{ count: number }>`
      select count(*) as count from (
        select 1 from sends where project_id = ${projectId} and created_at >= ${begins[0]} and created_at < ${end}
          and status = 'failed' and split_part(error, ':', 1) in (${sql.join(WITHHELD.map((reason) => sql.lit(reason)))})
        limit ${sql.lit(MOST_WITHHELD)}) withheld`,
  );
  return counted?.count ?? 0;
}

/** Adds what changed to the numbers that are kept, so that reading them stays quick. */
export async function sumUpSendCounts(em: EntityManager): Promise<void> {
  await sumUpHours(em, SEND_COUNTS);
}
