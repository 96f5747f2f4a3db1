import { type RawBuilder, sql } from 'kysely';
import {
  LEFT_OUT_AT_ONCE,
  LEFT_OUT_REASONS,
  type LeftOutCounts,
  type LeftOutReason,
  NOBODY_LEFT_OUT,
} from '../../../domain/campaigns/left-out.ts';
import type { SuppressionReason } from '../../../domain/suppressions/suppression.ts';
import type { ErasureRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { LOWEST_ID } from '../../outermost-ids.ts';
import { row, rows } from '../../rows.ts';

/** What the row of some people has; of those who were erased no id is kept. */
const KEPT = sql.raw(`case reason when 'erased' then gen_random_uuid() else ids[1] end,
           case reason when 'erased' then '{}'::uuid[] else ids end, cardinality(ids)`);

/** An insert of everybody of `people (id, reason)`, which are of one campaign, as runs: the first that there are, or the next of each reason. */
export function leaveOut(
  people: RawBuilder<unknown>,
  { campaignId, isFirst }: { readonly campaignId: string; readonly isFirst: boolean },
): RawBuilder<unknown> {
  const run = isFirst
    ? sql.lit(1)
    : sql`coalesce((select max(run) from campaign_left_out where campaign_id = ${campaignId}::uuid and reason = chunks.reason), 0) + 1`;
  return sql`
    insert into campaign_left_out (campaign_id, reason, run, first_id, contact_ids, size)
    select ${campaignId}::uuid, reason, ${run}, ${KEPT}
    from (select reason, array_agg(id order by id) as ids
          from (select id, reason, (row_number() over (partition by reason order by id) - 1) / ${sql.lit(LEFT_OUT_AT_ONCE)} as no
                from (${people}) people) numbered
          group by reason, no) chunks`;
}

/** An insert of everybody of `people (campaign_id, id, reason)` one by one. */
export function leaveOutSingly(people: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    insert into campaign_left_out (campaign_id, reason, run, first_id, contact_ids, size)
    select campaign_id, reason, 0, ${KEPT} from (select campaign_id, reason, array[id] as ids from (${people}) people) singles`;
}

/** How many one campaign left out, for each reason: those who were erased since, too. */
export async function countLeftOut(em: EntityManager, campaignId: string): Promise<LeftOutCounts> {
  const found = await rows(
    em,
    sql<{ reason: LeftOutReason; people: number }>`
      select reason, sum(size)::bigint as people from campaign_left_out where campaign_id = ${campaignId} group by reason`,
  );
  return { ...NOBODY_LEFT_OUT, ...Object.fromEntries(found.map(({ reason, people }) => [reason, people])) };
}

/** Somebody who was left out, who may have been erased since the row was read. */
export interface PersonLeftOut {
  readonly contactId: string;
  readonly email: string | null;
  readonly reason: LeftOutReason;
  /** Of one who was suppressed: why the address is on the list now; null: it is not. */
  readonly suppression: SuppressionReason | null;
  readonly at: Date;
}

/** The last one who was read. */
export type PlaceLeftOut = Pick<PersonLeftOut, 'reason' | 'contactId'>;

/** Those whom a campaign left out for one of the reasons, by reason and id: as quick at any depth as at the top. */
export async function listLeftOut(
  em: EntityManager,
  {
    campaignId,
    reasons,
    after,
    limit,
  }: { campaignId: string; reasons: readonly LeftOutReason[]; after: PlaceLeftOut | undefined; limit: number },
): Promise<PersonLeftOut[]> {
  // Of the reason at which the page begins, the row that has the last one who was read is the first to look at.
  const begins = after
    ? sql`case when r.reason = ${after.reason} then coalesce((
            select b.first_id from campaign_left_out b
            where b.campaign_id = ${campaignId}::uuid and b.reason = r.reason and b.run = n.run and b.first_id <= ${after.contactId}::uuid
            order by b.first_id desc limit 1), ${after.contactId}::uuid) else ${LOWEST_ID}::uuid end`
    : sql`${LOWEST_ID}::uuid`;
  const isBeyond = after ? sql`(r.reason, m.id) > (${after.reason}, ${after.contactId}::uuid)` : sql`true`;
  return rows(
    em,
    sql<PersonLeftOut>`
      select p.id as "contactId", k.email, p.reason, s.reason as suppression, p.at
      from (
        select r.reason, m.id, l.at
        from unnest(${reasons}::text[]) r(reason)
        ${runsFrom(sql`${campaignId}::uuid`, 0)}
        cross join lateral (select ${begins} as id offset 0) lowest
        cross join lateral (
          select l.contact_ids, l.at from campaign_left_out l
          where l.campaign_id = ${campaignId}::uuid and l.reason = r.reason and l.run = n.run and l.contact_ids <> '{}' and l.first_id >= lowest.id
          order by l.first_id limit ${limit}) l
        cross join lateral unnest(l.contact_ids) m(id)
        where ${after ? sql`r.reason >= ${after.reason}` : sql`true`} and ${isBeyond}
        order by r.reason, m.id limit ${limit}
      ) p
      join campaigns c on c.id = ${campaignId}::uuid
      left join contacts k on k.id = p.id and k.project_id = c.project_id
      left join suppressions s on p.reason = 'suppressed' and s.project_id = c.project_id and s.email = k.email
      order by p.reason, p.id`,
  );
}

/** Every run `n (run)` of a campaign and the reason `r`, from this one on. */
function runsFrom(campaignId: RawBuilder<unknown>, first: 0 | 1): RawBuilder<unknown> {
  return sql`
    cross join lateral (select max(run) as run from campaign_left_out where campaign_id = ${campaignId} and reason = r.reason) latest
    cross join lateral generate_series(${sql.lit(first)}, latest.run) n(run)`;
}

/** `campaigns c` with the row `l` of each that has left the contact out: of each run the one row is looked at that can have them. */
export function leftOutOf(projectId: string, contactId: string): RawBuilder<unknown> {
  return sql`
    (select l.* from campaigns c
     cross join unnest(${LEFT_OUT_REASONS}::text[]) r(reason)
     ${runsFrom(sql.ref('c.id'), 1)}
     cross join lateral (
       select * from campaign_left_out l
       where l.campaign_id = c.id and l.reason = r.reason and l.run = n.run and l.first_id <= ${contactId}::uuid and l.contact_ids <> '{}'
       order by l.first_id desc limit 1) l
     where c.project_id = ${projectId} and ${contactId}::uuid = any(l.contact_ids)
     union all
     select * from campaign_left_out where run = 0 and first_id = ${contactId}::uuid) l
    join campaigns c on c.id = l.campaign_id and c.project_id = ${projectId}`;
}

/** Keeps that somebody was left out, and not whom. */
export async function eraseLeftOut(
  tx: EntityManager,
  { project_id, contact_id }: Pick<ErasureRow, 'project_id' | 'contact_id'>,
): Promise<void> {
  const others = sql`array_remove(contact_ids, ${contact_id}::uuid)`;
  await row(
    tx,
    sql`
      with found as materialized (select l.id from ${leftOutOf(project_id, contact_id)})
      update campaign_left_out set contact_ids = ${others}, first_id = coalesce((${others})[1], gen_random_uuid()) where id in (select id from found)`,
  );
}
