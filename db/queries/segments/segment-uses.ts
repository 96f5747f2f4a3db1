import { sql } from 'kysely';
import type { CampaignRow, RecurringCampaignRow, SequenceRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { rows } from '../../rows.ts';

/** Some of what uses a segment, and how many there are in all. */
export interface Uses<T> {
  readonly first: readonly T[];
  readonly count: number;
}

export type SequenceUsing = Pick<SequenceRow, 'key' | 'name' | 'status'> & {
  /** Whoever becomes a member enters it. */
  readonly enters: boolean;
  /** A condition of it asks who is a member. */
  readonly asks: boolean;
};

export type CampaignFor = Pick<CampaignRow, 'id' | 'name' | 'subject' | 'template' | 'status' | 'scheduled_at'>;

/** Where a graph has conditions: data for mails and calls may have members of that name, too. */
const CONDITIONS = [
  '$.goal.condition.**.segment',
  '$.goal.event.match.**.segment',
  '$.triggers[*].config.match.**.segment',
  '$.nodes[*].config.when.**.segment',
  '$.nodes[*].config.branches[*].when.**.segment',
  '$.nodes[*].config.condition.**.segment',
  '$.nodes[*].config.event.match.**.segment',
];

/** The sequences that name a segment by this label, which is as segmentKey writes it: of their current versions, but those that are archived. */
export async function sequencesUsing(em: EntityManager, projectId: string, label: string, limit: number): Promise<Uses<SequenceUsing>> {
  const conditions = sql.join(
    CONDITIONS.map((path) => sql`select jsonb_path_query(v.graph, ${path}::jsonpath)`),
    sql` union all `,
  );
  return counted(
    await rows(
      em,
      sql<SequenceUsing & Counted>`
        select s.key, s.name, s.status, enters, asks, count(*) over () as count
        from sequences s join sequence_versions v on v.sequence_id = s.id and v.version = s.version
        cross join lateral (select
          exists (select 1 from jsonb_array_elements(v.graph -> 'triggers') t where lower(t #>> '{config,segment}') = ${label}) as enters,
          exists (select 1 from (${conditions}) c (named) where lower(named #>> '{}') = ${label}) as asks) uses
        where s.project_id = ${projectId} and s.deleted_at is null and s.status <> 'archived' and (enters or asks)
        order by s.name, s.key limit ${limit}`,
    ),
  );
}

/** The campaigns to a segment that have not begun, drafts too, the newest first. Both are few, and have indexes of their own. */
export async function campaignsFor(em: EntityManager, projectId: string, segmentId: string, limit: number): Promise<Uses<CampaignFor>> {
  const isFor = sql`project_id = ${projectId} and audience ->> 'segmentId' = ${segmentId}`;
  const columns = sql`id, name, subject, template, status, scheduled_at, created_at`;
  return counted(
    await rows(
      em,
      sql<CampaignFor & Counted>`
        select id, name, subject, template, status, scheduled_at, count(*) over () as count from (
          select ${columns} from campaigns where ${isFor} and status = 'draft'
          union all select ${columns} from campaigns where ${isFor} and status = 'scheduled') c
        order by created_at desc, id desc limit ${limit}`,
    ),
  );
}

export type RecurringFor = Pick<RecurringCampaignRow, 'id' | 'name' | 'template' | 'status' | 'next_due_at'>;

/** The recurring campaigns to a segment that have not ended, the newest first. A project has few. */
export async function recurringFor(em: EntityManager, projectId: string, segmentId: string, limit: number): Promise<Uses<RecurringFor>> {
  return counted(
    await rows(
      em,
      sql<RecurringFor & Counted>`
        select id, name, template, status, next_due_at, count(*) over () as count from recurring_campaigns
        where project_id = ${projectId} and status <> 'ended' and audience ->> 'segmentId' = ${segmentId}
        order by created_at desc, id desc limit ${limit}`,
    ),
  );
}

interface Counted {
  readonly count: number;
}

function counted<T extends object>(found: readonly (T & Counted)[]): Uses<T> {
  return { first: found.map(({ count: _, ...one }) => one as unknown as T), count: found[0]?.count ?? 0 };
}
