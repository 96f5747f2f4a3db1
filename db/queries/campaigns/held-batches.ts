import { type RawBuilder, sql } from 'kysely';
import { restOf, UNDECIDED } from '../../../domain/campaigns/ab-test.ts';
import type { EntityManager } from '../../orm.ts';
import { row } from '../../rows.ts';

/** Until when batches wait that wait for the winner of a test: nothing but the decision lets them go. */
export const HELD: RawBuilder<Date> = sql.raw(`timestamptz '9999-12-31 00:00:00+00'`);

/** Whether mails of the test are still to be sent, or in flight. */
export async function isTestUnderWay(em: EntityManager, campaignId: string): Promise<boolean> {
  const found = await row(
    em,
    sql<{ isUnderWay: boolean }>`
      select exists (select 1 from campaign_pages where campaign_id = ${campaignId} and not_before is distinct from ${HELD}) as "isUnderWay"`,
  );
  return found?.isUnderWay ?? false;
}

/** Lets the rest go with the winner, as whose recipients they count from now on. The caller has the campaign's row locked, and writes the decision. */
export async function releaseRest(tx: EntityManager, campaignId: string, winner: string): Promise<void> {
  await row(
    tx,
    sql`
      with released as (
        update campaign_pages set available_at = '-infinity', not_before = null where campaign_id = ${campaignId} and not_before = ${HELD} returning 1
      ), undecided as (
        select sum(delta)::bigint as recipients from campaign_counts where campaign_id = ${campaignId} and variant = ${UNDECIDED} and counter = 'recipients'
      )
      insert into campaign_counts (campaign_id, variant, counter, delta)
      select ${campaignId}::uuid, v.variant, 'recipients', v.sign * u.recipients
      from undecided u cross join (values (${restOf(winner)}::text, 1), (${UNDECIDED}, -1)) v(variant, sign) where u.recipients > 0`,
  );
}
