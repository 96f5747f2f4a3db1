import { sql } from 'kysely';
import type { CampaignReason } from '../../../domain/campaigns/campaign.ts';
import type { PausedReason } from '../../../domain/campaigns/campaign-limits.ts';
import type { HoldReason } from '../../../domain/sequences/waiting-for.ts';
import type { WebhookEndpointRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { rows } from '../../rows.ts';
import { OPEN_STATUSES } from '../campaigns/campaigns.ts';
import { HAS_WORKFLOW } from '../webhooks/burst-or-workflow.ts';

/** Beyond it nobody needs the exact number, and counting costs. */
export const COUNTED_TO = 1_000;

export interface FailingEndpoint extends Pick<WebhookEndpointRow, 'id' | 'url'> {
  /** Deliveries that were refused and are tried again; at most COUNTED_TO. */
  readonly retrying: number;
  /** Of the last day, given up; at most COUNTED_TO. */
  readonly failed: number;
}

/** Endpoints that are switched on and have refused what was delivered: the newest first. */
export async function failingEndpoints(em: EntityManager, projectId: string, since: Date): Promise<FailingEndpoint[]> {
  const most = sql.lit(COUNTED_TO);
  return rows(
    em,
    sql<FailingEndpoint>`
      select * from (
        select w.id, w.url, w.created_at,
          (select count(*) from (
            select 1 from webhook_deliveries d where d.endpoint_id = w.id and ${HAS_WORKFLOW} and d.attempts > 0
            limit ${most}) r) as retrying,
          (select count(*) from (
            select d.created_at from webhook_deliveries d where d.endpoint_id = w.id and d.status = 'failed' order by d.created_at desc, d.place desc
            limit ${most}) f where f.created_at >= ${since}) as failed
        from webhook_endpoints w where w.project_id = ${projectId} and w.enabled
      ) e where retrying + failed > 0 order by created_at desc, id desc`,
  );
}

export interface HeldRuns {
  /** Not that of a send window: that is how it is meant. */
  readonly reason: Exclude<HoldReason, 'send_window'>;
  readonly count: number;
  /** The keys of their sequences, the one with the most first; those of deleted ones are left out. */
  readonly sequences: readonly string[];
}

/** How many runs wait for each reason that is not theirs; at most COUNTED_TO in all are looked at. */
export async function heldRuns(em: EntityManager, projectId: string): Promise<HeldRuns[]> {
  return rows(
    em,
    sql<HeldRuns>`
      select reason, sum(count)::bigint as count, coalesce(array_agg(key order by count desc, key) filter (where key is not null), '{}') as sequences
      from (
        select substr(h.waiting_for, 6) as reason, q.key, count(*) as count from (
          select waiting_for, sequence_id from enrollments
          where project_id = ${projectId} and status = 'active' and waiting_for like 'held:%' and waiting_for <> 'held:send_window' limit ${sql.lit(COUNTED_TO)}) h
        left join sequences q on q.id = h.sequence_id and q.deleted_at is null group by h.waiting_for, q.key) held
      group by reason order by count desc, reason`,
  );
}

export interface HeldCampaign {
  readonly id: string;
  readonly name: string;
  readonly paused: boolean;
  readonly paused_reason: PausedReason | null;
  readonly reason: CampaignReason | null;
  /** It is scheduled for a segment that was deleted. */
  readonly lacks_segment: boolean;
  /** It was changed after it was scheduled, and nobody has approved that. */
  readonly lacks_approval: boolean;
}

/**
 * Campaigns that go on only when somebody or something else does: paused, waiting for the provider or an approval, or without the segment that
 * they are for.
 */
export async function heldCampaigns(em: EntityManager, projectId: string): Promise<HeldCampaign[]> {
  return rows(
    em,
    sql<HeldCampaign>`
      select id, name, paused, paused_reason, reason, lacks_segment, lacks_approval from campaigns c cross join lateral (
        select c.status = 'scheduled' and c.audience ->> 'mode' = 'segment' and not exists (
          select 1 from segments s where s.project_id = c.project_id and s.id = (c.audience ->> 'segmentId')::uuid) as lacks_segment,
          c.status = 'scheduled' and c.awaits_approval and (
          select p.campaign_approval from projects p where p.id = c.project_id) as lacks_approval) l
      where project_id = ${projectId} and status in (${OPEN_STATUSES}) and (paused or outages > 0 or lacks_segment or lacks_approval)
      order by created_at desc, id desc limit 100`,
  );
}
