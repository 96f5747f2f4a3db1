import { type RawBuilder, sql } from 'kysely';
import { restOf, UNDECIDED } from '../../../domain/campaigns/ab-test.ts';
import type { EntityManager } from '../../orm.ts';
import { row } from '../../rows.ts';

/** Until when batches wait that wait for the winner of a test: nothing but the decision lets them go. */
export const HELD: RawBuilder<Date> = sql.raw(`timestamptz '9999-12-31 00:00:00+00'`);

/** Of campaign `c`: whether all mails of its test have their outcome, and somebody waits for what it tells. */
export const AWAITS_WINNER: RawBuilder<boolean> = sql`(
  exists (select 1 from campaign_pages g where g.campaign_id = c.id and g.not_before = ${HELD})
  and not exists (select 1 from campaign_pages g where g.campaign_id = c.id and g.not_before is distinct from ${HELD}))`;

/** The same of one campaign. */
export async function awaitsWinner(em: EntityManager, campaignId: string): Promise<boolean> {
  const found = await row(
    em,
    sql<{ isAwaited: boolean }>`select ${AWAITS_WINNER} as "isAwaited" from campaigns c where c.id = ${campaignId}`,
  );
  return found?.isAwaited ?? false;
}

/** Lets the rest go with the winner, as whose recipients they count from now on. The caller has the campaign's row locked, and writes the decision. */
export async function releaseRest(tx: EntityManager, campaignId: string, winner: string): Promise<void> {
  await row(
    tx,
    sql`
      with released as (
        update campaign_pages set available_at = now(), not_before = null where campaign_id = ${campaignId} and not_before = ${HELD} returning 1
      ), undecided as (
        select sum(delta)::bigint as recipients from campaign_counts where campaign_id = ${campaignId} and variant = ${UNDECIDED} and counter = 'recipients'
      )
      insert into campaign_counts (campaign_id, variant, counter, delta)
      select ${campaignId}::uuid, v.variant, 'recipients', v.sign * u.recipients
      from undecided u cross join (values (${restOf(winner)}::text, 1), (${UNDECIDED}, -1)) v(variant, sign) where u.recipients > 0`,
  );
}
