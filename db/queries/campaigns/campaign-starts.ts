import { sql } from 'kysely';
import type { CampaignRow, ProjectRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { rows } from '../../rows.ts';
import { campaignStart, enqueue, hasNoStart } from '../operations/outbox.ts';
import { IS_OPEN } from './campaigns.ts';

/** What a campaign's workflow is started with. */
export interface CampaignStart extends Pick<CampaignRow, 'id' | 'name' | 'template' | 'status' | 'total_recipients' | 'retried_at'> {
  readonly projectSlug: ProjectRow['slug'];
}

export async function campaignStarts(em: EntityManager, ids: readonly string[]): Promise<CampaignStart[]> {
  if (ids.length === 0) return [];
  return rows(
    em,
    sql<CampaignStart>`
      select c.id, c.name, c.template, c.status, c.total_recipients, c.retried_at, p.slug as "projectSlug"
      from campaigns c join projects p on p.id = c.project_id where c.id = any(${ids}::uuid[])`,
  );
}

/** Starts the workflows of those whose workflow should run; whose start is on its way already is passed over. Returns how many. */
export async function restartCampaigns(tx: EntityManager, ids: readonly string[]): Promise<number> {
  const found = await rows(
    tx,
    sql<Pick<CampaignRow, 'id' | 'project_id'>>`
      select c.id, c.project_id from campaigns c
      where c.id = any(${ids}::uuid[]) and ${IS_OPEN}
        and ${hasNoStart(sql`'campaign/' || c.id`)}`,
  );
  for (const { id, project_id } of found) await enqueue(tx, project_id, [campaignStart(id)], { isBulk: true });
  return found.length;
}
