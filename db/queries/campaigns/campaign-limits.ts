import { sql } from 'kysely';
import type { CampaignLimits, JudgedCounts } from '../../../domain/campaigns/campaign-limits.ts';
import type { EntityManager } from '../../orm.ts';
import { row, rows } from '../../rows.ts';

/** Of project `p`. */
const LIMITS = sql.raw(`json_build_object('bounceRate', p.campaign_bounce_limit, 'complaintRate', p.campaign_complaint_limit)`);

/** What the campaigns of a project pause beyond. */
export async function limitsOf(em: EntityManager, projectId: string): Promise<CampaignLimits> {
  const found = await row(em, sql<{ limits: CampaignLimits }>`select ${LIMITS} as limits from projects p where p.id = ${projectId}`);
  return found?.limits ?? { bounceRate: null, complaintRate: null };
}

/** A campaign that may have to pause. */
export interface LimitedCampaign {
  readonly id: string;
  readonly limits: CampaignLimits;
  readonly judged: JudgedCounts | null;
}

/** Those of these campaigns that are sending, and whose project has a limit. */
export async function limitedCampaigns(em: EntityManager, ids: readonly string[]): Promise<LimitedCampaign[]> {
  return rows(
    em,
    sql<LimitedCampaign>`
      select c.id, c.judged, ${LIMITS} as limits from campaigns c join projects p on p.id = c.project_id
      where c.id = any(${ids}::uuid[]) and c.status = 'sending' and not c.paused
        and (p.campaign_bounce_limit is not null or p.campaign_complaint_limit is not null)`,
  );
}
