import { sql } from 'kysely';
import { recurringScheduleId } from '../../../workflows/contracts.ts';
import type { ProjectRow, RecurringCampaignRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { LOWEST_ID } from '../../outermost-ids.ts';
import { row, rows } from '../../rows.ts';
import { RUNS_SO_FAR, type RunsSoFar } from './recurring-campaigns.ts';

type Column = 'id' | 'name' | 'template' | 'status' | 'recurrence' | 'next_due_at' | 'created_at';

/** What the schedule of a recurring campaign is made of. */
export interface ScheduledRecurring extends Pick<RecurringCampaignRow, Column>, RunsSoFar {
  readonly projectSlug: ProjectRow['slug'];
  /** An instant of it has come, and has no outcome. */
  readonly isDue: boolean;
  readonly now: Date;
}

/** Undefined when it is gone. */
export async function scheduledRecurring(em: EntityManager, id: string): Promise<ScheduledRecurring | undefined> {
  return row(
    em,
    sql<ScheduledRecurring>`
      select r.id, r.name, r.template, r.status, r.recurrence, r.next_due_at, r.created_at, ${RUNS_SO_FAR}, p.slug as "projectSlug",
             coalesce(r.next_due_at <= now(), false) as "isDue", now() as now
      from recurring_campaigns r join projects p on p.id = r.project_id where r.id = ${id}`,
  );
}

/** One that has not ended, as far as its schedule has to agree with it. */
export interface OpenRecurring extends Pick<RecurringCampaignRow, 'id' | 'project_id' | 'status'> {
  /** An instant of it has come, longer ago than its schedule and a run take. */
  readonly isOverdue: boolean;
}

/** Those after this one (null: from the first), in order of their ids, but for those whose schedule is told of a change just now. */
export async function batchOfOpenRecurring(
  em: EntityManager,
  after: string | null,
  { overdueMs, limit }: { readonly overdueMs: number; readonly limit: number },
): Promise<OpenRecurring[]> {
  return rows(
    em,
    sql<OpenRecurring>`
      select r.id, r.project_id, r.status, coalesce(r.next_due_at < now() - make_interval(secs => ${overdueMs / 1000}), false) as "isOverdue"
      from recurring_campaigns r
      where r.status <> 'ended' and r.id > ${after ?? LOWEST_ID}::uuid
        and not exists (select 1 from outbox o where o.workflow_id = ${sql.lit(recurringScheduleId(''))} || r.id)
      order by r.id limit ${limit}`,
  );
}
