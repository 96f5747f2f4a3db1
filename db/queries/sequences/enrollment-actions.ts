import { type RawBuilder, sql } from 'kysely';
import type { ActionStatus } from '../../../domain/sequences/enrollment-action.ts';
import { columnsOf } from '../../columns.ts';
import { type KeysetPage, type Place, pageOf } from '../../cursor-page.ts';
import { EnrollmentAction, type EnrollmentActionRow, type EnrollmentRow, type ProjectRow, type SequenceRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { row, rows } from '../../rows.ts';
import { endRunning, openRows } from '../operations/open-rows.ts';
import { matchingRuns, stillStanding } from './run-filter.ts';

const ACTION = columnsOf(EnrollmentAction, 'a');

/** What decides which runs an action is about. */
export type ActionOn = Pick<EnrollmentActionRow, 'sequence_id' | 'action' | 'filter' | 'migrate' | 'to_node' | 'to_version'>;

/** What is asked for. */
export type NewEnrollmentAction = ActionOn & Pick<EnrollmentActionRow, 'id' | 'project_id' | 'key_id'>;

const ACTIVE = sql`e.status = 'active'`;
const HELD = sql`e.status = 'active' and e.waiting_for like 'held:%'`;
/** A step that is tried again, or that failed so that the run ended. */
const FAILING = sql`(e.status = 'active' and e.waiting_for in ('webhook', 'held:provider_unavailable') or e.status = 'cancelled' and e.end_reason = 'failed')`;

/** Whether the action can do anything with the run `e`. */
function isFor({ action, migrate, to_node, to_version }: Omit<ActionOn, 'sequence_id' | 'filter'>): RawBuilder<unknown> {
  switch (action) {
    case 'move':
      return sql`${ACTIVE} and (e.current_node_id, e.sequence_version) is distinct from (${to_node}::text, ${to_version}::integer)`;
    case 'cancel':
      return ACTIVE;
    case 'migrate':
      return sql`${ACTIVE} and e.current_node_id = any(${Object.keys(migrate ?? {})}::text[])`;
    case 'resume':
      return HELD;
    case 'retry':
      return FAILING;
    default:
      return action satisfies never;
  }
}

/** The runs that match now. */
function matching(on: ActionOn): RawBuilder<unknown> {
  return sql`${matchingRuns(on.sequence_id, on.filter)} and ${isFor(on)}`;
}

export async function countRunsFor(em: EntityManager, on: ActionOn): Promise<number> {
  const found = await row(em, sql<{ count: number }>`select count(*) as count from enrollments e where ${matching(on)}`);
  return found?.count ?? 0;
}

/** With the runs that match at this instant before it. */
export async function insertAction(tx: EntityManager, asked: NewEnrollmentAction): Promise<EnrollmentActionRow> {
  const { id, project_id, sequence_id, action, filter, to_node, migrate, to_version, key_id } = asked;
  await row(
    tx,
    sql`insert into enrollment_actions (id, project_id, sequence_id, action, filter, to_node, migrate, to_version, key_id, total)
        values (${id}, ${project_id}, ${sequence_id}, ${action}, ${JSON.stringify(filter)}::jsonb, ${to_node},
                ${migrate === null ? null : JSON.stringify(migrate)}::jsonb, ${to_version}, ${key_id}, 0)`,
  );
  const begun = await row(
    tx,
    sql<EnrollmentActionRow>`
      with matching as (
        insert into enrollment_action_runs (action_id, enrollment_id) select ${id}, e.id from enrollments e where ${matching(asked)} returning 1
      )
      update enrollment_actions a set total = (select count(*) from matching) where a.id = ${id} returning ${ACTION}`,
  );
  return begun!;
}

/** How many of a sequence run. */
export async function countRunningActions(em: EntityManager, sequenceId: string): Promise<number> {
  const found = await row(
    em,
    sql<{ count: number }>`select count(*) as count from enrollment_actions where sequence_id = ${sequenceId} and status = 'running'`,
  );
  return found?.count ?? 0;
}

/** With its row locked against its end. */
export async function lockAction(tx: EntityManager, id: string): Promise<EnrollmentActionRow | undefined> {
  return row(tx, sql<EnrollmentActionRow>`select ${ACTION} from enrollment_actions a where a.id = ${id} for update`);
}

export async function findAction(em: EntityManager, sequenceId: string, id: string): Promise<EnrollmentActionRow | undefined> {
  return row(em, sql<EnrollmentActionRow>`select ${ACTION} from enrollment_actions a where a.id = ${id} and a.sequence_id = ${sequenceId}`);
}

/** Those of a sequence, the newest first. */
export async function listActions(em: EntityManager, sequenceId: string, place: Place): Promise<KeysetPage<EnrollmentActionRow>> {
  return pageOf(place, (bounds) =>
    rows(
      em,
      sql<EnrollmentActionRow>`
        select * from (select ${ACTION} from enrollment_actions a where a.sequence_id = ${sequenceId}) listed where ${bounds}`,
    ),
  );
}

/** Takes the next runs from before an action whose row is locked, in the order in which they began. */
export async function takeRuns(
  tx: EntityManager,
  { id, after_id }: Pick<EnrollmentActionRow, 'id' | 'after_id'>,
  limit: number,
): Promise<string[]> {
  const taken = await rows(
    tx,
    sql<Pick<EnrollmentRow, 'id'>>`
      with next as materialized (
        select enrollment_id from enrollment_action_runs
        where action_id = ${id} and (${after_id}::uuid is null or enrollment_id > ${after_id}::uuid) order by enrollment_id limit ${limit}
      ), gone as (
        delete from enrollment_action_runs r using next where r.action_id = ${id} and r.enrollment_id = next.enrollment_id
      )
      select enrollment_id as id from next order by enrollment_id`,
  );
  return taken.map(({ id }) => id);
}

/** Those of these runs that still stand as they were asked for, locked in the order of their ids. */
export async function lockThoseStanding(tx: EntityManager, on: ActionOn, ids: readonly string[]): Promise<string[]> {
  const standing = await rows(
    tx,
    sql<Pick<EnrollmentRow, 'id'>>`
      select e.id from enrollments e where e.id = any(${ids}::uuid[]) and ${isFor(on)} and ${stillStanding(on.filter)} order by e.id for update of e`,
  );
  return standing.map(({ id }) => id);
}

/** What one portion has come to, and up to which run: in one transaction with what was done. */
export async function keepAction(
  tx: EntityManager,
  id: string,
  { done, skipped, last }: Pick<EnrollmentActionRow, 'done' | 'skipped'> & { readonly last: string },
): Promise<void> {
  await row(tx, sql`update enrollment_actions set done = ${done}, skipped = ${skipped}, after_id = ${last} where id = ${id}`);
}

/** Ends one that runs; nothing is before it any more. Whether it did run. */
export async function endAction(tx: EntityManager, id: string, status: Exclude<ActionStatus, 'running'>): Promise<boolean> {
  const ended = await endRunning(tx, 'enrollment_actions', { id, status });
  if (ended) await row(tx, sql`delete from enrollment_action_runs where action_id = ${id}`);
  return ended;
}

/** Takes a contact out of what actions were asked for. */
export async function leaveActions(
  tx: EntityManager,
  { project_id, contact_id }: Pick<EnrollmentRow, 'project_id' | 'contact_id'>,
): Promise<void> {
  await row(
    tx,
    sql`
      update enrollment_actions set filter = jsonb_set(filter, '{contactIds}', (filter -> 'contactIds') - ${contact_id}::text)
      where project_id = ${project_id} and filter -> 'contactIds' @> ${JSON.stringify([contact_id])}::jsonb`,
  );
}

/** What the workflow is started with. */
export interface ActionStart extends Pick<EnrollmentActionRow, 'id' | 'action' | 'total'>, Pick<SequenceRow, 'key' | 'name'> {
  readonly projectSlug: ProjectRow['slug'];
}

export async function actionStarts(em: EntityManager, ids: readonly string[]): Promise<ActionStart[]> {
  return rows(
    em,
    sql<ActionStart>`
      select a.id, a.action, a.total, s.key, s.name, p.slug as "projectSlug" from enrollment_actions a
      join sequences s on s.id = a.sequence_id join projects p on p.id = a.project_id where a.id = any(${ids}::uuid[])`,
  );
}

/** Those that run. */
export const {
  batch: batchOfRunningActions,
  among: runningActions,
  toStart: actionsToStart,
} = openRows('enrollmentAction', { table: 'enrollment_actions', alias: 'a', isOpen: sql`a.status = 'running'` });
