import { sql } from 'kysely';
import type { CampaignRow, ProjectRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { rows } from '../../rows.ts';
import { hasNoStart, workflowIdOf } from '../operations/outbox.ts';
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

/** Those of these campaigns whose workflow should run, and no start of it is on its way. */
export async function campaignsToStart(em: EntityManager, ids: readonly string[]): Promise<Pick<CampaignRow, 'id' | 'project_id'>[]> {
  return rows(
    em,
    sql<Pick<CampaignRow, 'id' | 'project_id'>>`
      select c.id, c.project_id from campaigns c
      where c.id = any(${ids}::uuid[]) and ${IS_OPEN}
        and ${hasNoStart(workflowIdOf('campaign', 'c.id'))}`,
  );
}
