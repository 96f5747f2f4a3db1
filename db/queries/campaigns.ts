import { sql } from 'kysely';
import type { Audience, CampaignCounter, CampaignStatus, CampaignVariant } from '../../domain/campaign.ts';
import { CAMPAIGN_COUNTERS } from '../../domain/campaign.ts';
import type { SendType } from '../../domain/send.ts';
import type { CampaignRow } from '../entities/index.ts';
import type { EntityManager } from '../orm.ts';
import { type KeysetPage, type Place, pageOf } from '../page.ts';
import { row, rows } from '../rows.ts';

export interface NewCampaign {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly template: string;
  readonly type: SendType;
  readonly brand: string;
  readonly subject: string;
  readonly hasOwnSubject: boolean;
  readonly data: Readonly<Record<string, unknown>>;
  readonly audience: Audience;
  readonly variants: readonly CampaignVariant[] | null;
  readonly scheduledAt: Date | null;
  readonly endsAt: Date | null;
  readonly ratePerSecond: number | null;
  readonly now: Date;
}

/** Not yet resolved: `scheduled` when it has a time, else `queued`. */
export async function insertCampaign(tx: EntityManager, campaign: NewCampaign): Promise<void> {
  const { id, projectId, name, template, type, brand, subject, hasOwnSubject, data, audience, variants, scheduledAt, endsAt } = campaign;
  await row(
    tx,
    sql`insert into campaigns (id, project_id, name, template, type, brand_id, subject, has_own_subject, data, audience, variants, scheduled_at,
                               ends_at, rate_per_second, status, created_at)
        values (${id}, ${projectId}, ${name}, ${template}, ${type}, ${brand}, ${subject}, ${hasOwnSubject}, ${JSON.stringify(data)}::jsonb,
                ${JSON.stringify(audience)}::jsonb, ${variants && JSON.stringify(variants)}::jsonb, ${scheduledAt}, ${endsAt},
                ${campaign.ratePerSecond}, ${scheduledAt ? 'scheduled' : 'queued'}, ${campaign.now})`,
  );
}

/** What the audience came to: `resolvedAt` when pages of it were made, null when it was only counted. */
export async function setAudience(
  tx: EntityManager,
  id: string,
  counts: { readonly audienceSize: number; readonly enrolled: number },
  resolvedAt: Date | null,
): Promise<void> {
  const { audienceSize, enrolled } = counts;
  await row(
    tx,
    sql`update campaigns set audience_size = ${audienceSize}, total_recipients = ${enrolled}, resolved_at = ${resolvedAt} where id = ${id}`,
  );
}

/** With its row locked until the transaction ends. */
export async function lockCampaign(tx: EntityManager, id: string): Promise<CampaignRow | undefined> {
  return row(tx, sql<CampaignRow>`select * from campaigns where id = ${id} for update`);
}

/** The columns that change while a campaign runs. */
type Change = Partial<
  Pick<
    CampaignRow,
    'status' | 'paused' | 'reason' | 'subject' | 'published_version' | 'started_at' | 'sent_at' | 'outages' | 'first_outage_at' | 'retry_at'
  >
>;

export async function changeCampaign(tx: EntityManager, id: string, change: Change): Promise<void> {
  const sets = Object.entries(change).map(([column, value]) => sql`${sql.ref(column)} = ${value}`);
  await row(tx, sql`update campaigns set ${sql.join(sets)} where id = ${id}`);
}

export async function findCampaign(em: EntityManager, projectId: string, id: string): Promise<CampaignRow | undefined> {
  return row(em, sql<CampaignRow>`select * from campaigns where project_id = ${projectId} and id = ${id}`);
}

/** Of whatever project: for whom a workflow asks. */
export async function findCampaignById(em: EntityManager, id: string): Promise<CampaignRow | undefined> {
  return row(em, sql<CampaignRow>`select * from campaigns where id = ${id}`);
}

export interface CampaignFilter {
  readonly status?: CampaignStatus | undefined;
}

export async function listCampaigns(
  em: EntityManager,
  projectId: string,
  { status }: CampaignFilter,
  place: Place,
): Promise<KeysetPage<CampaignRow>> {
  const where = status ? sql`status = ${status}` : sql`true`;
  return pageOf(place, (bounds) =>
    rows(em, sql<CampaignRow>`select * from campaigns where project_id = ${projectId} and ${where} and ${bounds}`),
  );
}

export type CampaignCounts = Readonly<Record<CampaignCounter, number>>;

const NONE = Object.fromEntries(CAMPAIGN_COUNTERS.map((counter) => [counter, 0])) as CampaignCounts;

/** The counters of each campaign, by variant; '' where there are no variants. What nothing was counted of is absent. */
export async function readCampaignCounts(em: EntityManager, ids: readonly string[]): Promise<Map<string, Map<string, CampaignCounts>>> {
  const found = await rows(
    em,
    sql<{ campaign_id: string; variant: string; counter: CampaignCounter; total: number }>`
      select campaign_id, variant, counter, sum(delta)::bigint as total from campaign_counts
      where campaign_id = any(${ids}::uuid[]) group by campaign_id, variant, counter`,
  );
  const counts = new Map<string, Map<string, CampaignCounts>>();
  for (const { campaign_id, variant, counter, total } of found) {
    const ofCampaign = counts.get(campaign_id) ?? new Map<string, CampaignCounts>();
    counts.set(campaign_id, ofCampaign);
    ofCampaign.set(variant, { ...(ofCampaign.get(variant) ?? NONE), [counter]: total });
  }
  return counts;
}

/** The counters of one campaign, all variants together. */
export async function sumCampaignCounts(em: EntityManager, id: string): Promise<CampaignCounts> {
  const byVariant = (await readCampaignCounts(em, [id])).get(id);
  return totalOf(byVariant);
}

/** All variants together. */
export function totalOf(byVariant: ReadonlyMap<string, CampaignCounts> | undefined): CampaignCounts {
  const total = { ...NONE } as Record<CampaignCounter, number>;
  for (const counts of byVariant?.values() ?? []) for (const counter of CAMPAIGN_COUNTERS) total[counter] += counts[counter];
  return total;
}

/** Recipients that are settled together, whatever their variant. */
export async function countSettled(tx: EntityManager, id: string, counter: 'skipped' | 'cancelled', recipients: number): Promise<void> {
  if (recipients === 0) return;
  await row(tx, sql`insert into campaign_counts (campaign_id, variant, counter, delta) values (${id}, '', ${counter}, ${recipients})`);
}

/** Sums the counters up, so that reading them stays quick. */
export async function sumUpCampaignCounts(em: EntityManager): Promise<void> {
  await row(
    em,
    sql`
      with summed as (
        delete from campaign_counts where campaign_id in (
          select campaign_id from campaign_counts group by campaign_id, variant, counter having count(*) > 1)
        returning campaign_id, variant, counter, delta)
      insert into campaign_counts (campaign_id, variant, counter, delta)
      select campaign_id, variant, counter, sum(delta) from summed group by campaign_id, variant, counter having sum(delta) <> 0`,
  );
}
