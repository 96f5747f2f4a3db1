import { sql } from 'kysely';
import type { EntityManager } from '../../orm.ts';
import { rows } from '../../rows.ts';

/** Recipients of a campaign who are not settled yet, by their zone; '' of who has none. Those in flight are among them. */
export async function remainingByZone(em: EntityManager, campaignId: string): Promise<Map<string, number>> {
  const found = await rows(
    em,
    sql<{ zone: string; remaining: number }>`
      select zone, sum(cardinality(contact_ids))::bigint as remaining from campaign_pages
      where campaign_id = ${campaignId} and zone is not null group by zone`,
  );
  return new Map(found.map(({ zone, remaining }) => [zone, remaining]));
}
