import { sql } from 'kysely';
import type { EntityManager } from '../../orm.ts';
import { row, rows } from '../../rows.ts';

/** The mails of one hour or day, by what has become of them since. */
export interface SendCounts {
  readonly from: Date;
  readonly sent: number;
  readonly failed: number;
  readonly delivered: number;
  readonly bounced: number;
  readonly complained: number;
  /** Mails that were opened at least once, by whom no machine is known to be. */
  readonly opened: number;
  readonly clicked: number;
}

/** Every hour or day from `from` on, which begins one in UTC; those without a mail are among them. Of each hour the numbers are kept. */
export async function countSends(
  em: EntityManager,
  projectId: string,
  { from, to, bucket }: { readonly from: Date; readonly to: Date; readonly bucket: 'hour' | 'day' },
): Promise<SendCounts[]> {
  const within = sql`project_id = ${projectId} and hour >= ${from} and hour < ${to}`;
  return rows(
    em,
    sql<SendCounts>`
      with kept as (
        select hour, ${shown} from send_counts where ${within}
        union all
        select hour, ${shown} from send_count_changes where ${within}
      )
      select b.since as "from", ${shownSums}
      from generate_series(${from}::timestamptz, ${to}::timestamptz - interval '1 millisecond', ${bucket === 'day' ? '24 hours' : '1 hour'}::interval) b(since)
      left join kept on date_trunc(${bucket}, hour, 'UTC') = b.since
      group by b.since order by b.since`,
  );
}

/** What is counted of each hour: migration 0028. */
const COUNTERS = ['sent', 'failed', 'unreported', 'queued', 'delivered', 'bounced', 'complained', 'opened', 'clicked'] as const;
const SHOWN = ['sent', 'failed', 'delivered', 'bounced', 'complained', 'opened', 'clicked'] as const;

const shown = sql.join(SHOWN.map((name) => sql.ref(name)));
const shownSums = sql.join(SHOWN.map((name) => sql`coalesce(sum(${sql.ref(name)}), 0)::bigint as ${sql.ref(name)}`));
const counters = sql.join(COUNTERS.map((name) => sql.ref(name)));
const sums = sql.join(COUNTERS.map((name) => sql`sum(${sql.ref(name)})`));
const added = sql.join(COUNTERS.map((name) => sql`${sql.ref(name)} = ${sql.ref(`c.${name}`)} + ${sql.ref(`excluded.${name}`)}`));

/** So many rows of changes are added up in one statement. */
const CHANGES_AT_ONCE = 50_000;

/** Adds the changes to the numbers that are kept, so that reading them stays quick. */
export async function sumUpSendCounts(em: EntityManager): Promise<void> {
  for (let left = true; left; ) {
    const summed = await row(
      em,
      sql<{ count: number }>`
        with gone as (
          delete from send_count_changes where (project_id, hour, id) in (
            select project_id, hour, id from send_count_changes order by project_id, hour, id limit ${CHANGES_AT_ONCE})
          returning *
        ), kept as (
          insert into send_counts as c (project_id, hour, ${counters})
          select project_id, hour, ${sums} from gone group by project_id, hour order by project_id, hour
          on conflict (project_id, hour) do update set ${added}
        )
        select count(*) as count from gone`,
    );
    left = summed?.count === CHANGES_AT_ONCE;
  }
}
