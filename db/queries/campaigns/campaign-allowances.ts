import { sql } from 'kysely';
import type { CampaignRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { rows } from '../../rows.ts';

/** Lets every campaign of the project go on that waits for the next day of a sending domain. Their ids. */
export async function releaseCampaigns(tx: EntityManager, projectId: string): Promise<string[]> {
  const released = await rows(
    tx,
    sql<Pick<CampaignRow, 'id'>>`
      with released as (
        update campaigns set reason = null, retry_at = null, allowance = null
        where project_id = ${projectId} and status = 'sending' and reason = 'allowance_used' and allowance ->> 'of' = 'domain' returning id
      ), offered as (
        update campaign_pages g set available_at = '-infinity' from released c
        where g.campaign_id = c.id and g.state = 'pending' and g.available_at > now()
      )
      select id from released`,
  );
  return released.map(({ id }) => id);
}
