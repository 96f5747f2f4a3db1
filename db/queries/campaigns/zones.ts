import { sql } from 'kysely';
import type { EntityManager } from '../../orm.ts';
import { rows } from '../../rows.ts';
import { HELD } from './held-batches.ts';

/** What is left of a zone. */
export interface ZoneLeft {
  /** Recipients who are not settled yet; those in flight are among them. */
  readonly remaining: number;
  /** When the next of them go; null: at any moment. */
  readonly resumesAt: Date | null;
}

/** Of a campaign, by zone; '' of who has none. */
export async function leftByZone(em: EntityManager, campaignId: string): Promise<Map<string, ZoneLeft>> {
  const found = await rows(
    em,
    sql<ZoneLeft & { zone: string }>`
      select zone, sum(cardinality(contact_ids))::bigint as remaining,
             case when bool_and(state = 'pending' and not_before > now()) then nullif(min(not_before), ${HELD}) end as "resumesAt"
      from campaign_pages where campaign_id = ${campaignId} and zone is not null group by zone`,
  );
  return new Map(found.map(({ zone, ...left }) => [zone, left]));
}
