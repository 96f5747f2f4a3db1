import { sql } from 'kysely';
import type { EntityManager } from '../orm.ts';
import { rows } from '../rows.ts';

/** The mails of one hour or day, by what has become of them since. */
export interface SendCounts {
  readonly from: Date;
  readonly sent: number;
  readonly failed: number;
  readonly bounced: number;
  readonly complained: number;
  /** Mails that were opened at least once, by whom no machine is known to be. */
  readonly opened: number;
  readonly clicked: number;
}

/** Every hour or day from `from` on, which begins one in UTC; those without a mail are among them. */
export async function countSends(
  em: EntityManager,
  projectId: string,
  { from, to, bucket }: { readonly from: Date; readonly to: Date; readonly bucket: 'hour' | 'day' },
): Promise<SendCounts[]> {
  return rows(
    em,
    sql<SendCounts>`
      with counted as (
        select date_trunc(${bucket}, created_at, 'UTC') as since,
          count(*) filter (where status = 'sent') as sent,
          count(*) filter (where status = 'failed') as failed,
          count(*) filter (where delivery_status = 'bounced') as bounced,
          count(*) filter (where delivery_status = 'complained') as complained,
          count(first_opened_at) as opened,
          count(first_clicked_at) as clicked
        from sends
        where project_id = ${projectId} and status is not null and created_at >= ${from} and created_at < ${to}
        group by since
      )
      select b.since as "from", coalesce(sent, 0) as sent, coalesce(failed, 0) as failed, coalesce(bounced, 0) as bounced,
        coalesce(complained, 0) as complained, coalesce(opened, 0) as opened, coalesce(clicked, 0) as clicked
      from generate_series(${from}::timestamptz, ${to}::timestamptz - interval '1 millisecond', ${bucket === 'day' ? '24 hours' : '1 hour'}::interval) b(since)
      left join counted using (since) order by b.since`,
  );
}
