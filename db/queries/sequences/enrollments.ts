import { sql } from 'kysely';
import type { RunFilter } from '../../../domain/sequences/enrollment-action.ts';
import { enrollmentWorkflowId } from '../../../workflows/contracts.ts';
import { type KeysetPage, type Place, type Position, pageOf } from '../../cursor-page.ts';
import type { EnrollmentRow, EnrollmentStepRow, SequenceRow } from '../../entities/index.ts';
import { groupedBy } from '../../grouped-rows.ts';
import type { EntityManager } from '../../orm.ts';
import { row, rows } from '../../rows.ts';
import { matchingRuns } from './run-filter.ts';

/** Where one contact's run stands, as the API shows it. */
export interface EnrollmentView
  extends Pick<
    EnrollmentRow,
    | 'id'
    | 'sequence_version'
    | 'contact_id'
    | 'status'
    | 'current_node_id'
    | 'waiting_for'
    | 'wakes_at'
    | 'started_at'
    | 'ended_at'
    | 'end_reason'
    | 'failed_steps'
    | 'sandboxed'
  > {
  readonly sequence_key: SequenceRow['key'];
  readonly workflow_id: string;
}

/** With a page of its trace: the nodes that it visited, in order. */
export interface EnrollmentWithSteps extends EnrollmentView, Pick<EnrollmentRow, 'cancelled_by_key_id'> {
  readonly steps: StepView[];
  /** Where the steps before these end; undefined when there are none. */
  readonly earlier: Position | undefined;
  /** It had a trace, which is over its time (domain/operations/retention.ts). */
  readonly steps_pruned: boolean;
}

export interface StepView extends Pick<EnrollmentStepRow, 'node_id' | 'kind' | 'at' | 'outcome' | 'detail'> {
  /** Its place in the run, from 1. */
  readonly number: EnrollmentStepRow['step'];
}

type Found = Omit<EnrollmentView, 'workflow_id'> & { readonly created_at: EnrollmentRow['started_at'] };

const columns = sql`e.id, s.key as sequence_key, e.sequence_version, e.contact_id, e.status, e.current_node_id, e.waiting_for, e.wakes_at,
  e.started_at, e.ended_at, e.end_reason, e.failed_steps, e.sandboxed, e.started_at as created_at`;

const shownStep = sql`st.step as number, st.node_id, st.kind, st.at, st.outcome, coalesce(st.detail, case when st.kind = 'digest' and st.outcome is null then (
    select d.count || case d.count when 1 then ' event' else ' events' end || ' so far' from digests d
    where d.enrollment_id = st.enrollment_id and d.step = st.step) end) as detail`;

/** With its last steps, or the last before that place. */
export async function findEnrollment(
  em: EntityManager,
  projectId: string,
  id: string,
  { limit, from }: Pick<Place, 'limit' | 'from'>,
): Promise<EnrollmentWithSteps | undefined> {
  const found = await row(
    em,
    sql<Found & Pick<EnrollmentRow, 'cancelled_by_key_id'>>`
      select ${columns}, e.cancelled_by_key_id from enrollments e join sequences s on s.id = e.sequence_id where e.id = ${id} and e.project_id = ${projectId} and s.deleted_at is null`,
  );
  if (!found) return undefined;
  const reached = await rows(
    em,
    sql<StepView>`
      select ${shownStep} from enrollment_steps st
      where enrollment_id = ${id} and (${from?.id ?? null}::integer is null or step < ${from?.id ?? null}::integer)
      order by step desc limit ${limit + 1}`,
  );
  const steps = reached.slice(0, limit).toReversed();
  const [first] = steps;
  const { cancelled_by_key_id, ...rest } = found;
  return {
    ...{ ...view(rest), cancelled_by_key_id, steps, steps_pruned: !from && steps.length === 0 && found.current_node_id !== null },
    earlier: first && reached.length > limit ? { createdAt: first.at, id: String(first.number) } : undefined,
  };
}

/** A run of a contact, and the name of its sequence, which may be deleted. */
export interface RunOfContact extends EnrollmentView, Pick<EnrollmentRow, 'cancelled_by_key_id'> {
  readonly sequence_name: SequenceRow['name'];
}

/** All runs of a contact, the last begun first. */
export async function runsOfContact(
  em: EntityManager,
  { id, project_id }: { readonly id: string; readonly project_id: string },
  place: Place,
): Promise<KeysetPage<RunOfContact>> {
  const page = await pageOf(place, (bounds) =>
    rows(
      em,
      sql<Found & Pick<RunOfContact, 'sequence_name' | 'cancelled_by_key_id'>>`
        select * from (
          select ${columns}, s.name as sequence_name, e.cancelled_by_key_id
          from enrollments e join sequences s on s.id = e.sequence_id where e.contact_id = ${id} and e.project_id = ${project_id}) runs
        where ${bounds}`,
    ),
  );
  return {
    ...page,
    rows: page.rows.map(({ sequence_name, cancelled_by_key_id, ...found }) => ({ ...view(found), sequence_name, cancelled_by_key_id })),
  };
}

/** So many steps of each of these runs after the one with this number, in their order. */
export async function stepsOfRuns(
  em: EntityManager,
  projectId: string,
  runIds: readonly string[],
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<Map<string, StepView[]>> {
  const found = await rows(
    em,
    sql<StepView & { readonly enrollment_id: string }>`
      select e.id as enrollment_id, steps.* from enrollments e
      cross join lateral (
        select ${shownStep} from enrollment_steps st where st.enrollment_id = e.id and st.step > ${after} order by st.step limit ${limit}) steps
      where e.id = any(${runIds}::uuid[]) and e.project_id = ${projectId} order by e.id, steps.number`,
  );
  return groupedBy(runIds, 'enrollment_id', found);
}

/** Whether a test key asked for it; undefined: the project has none of this id. */
export async function isSandboxedRun(em: EntityManager, projectId: string, id: string): Promise<boolean | undefined> {
  const found = await row(
    em,
    sql<Pick<EnrollmentRow, 'sandboxed'>>`select sandboxed from enrollments where id = ${id} and project_id = ${projectId}`,
  );
  return found?.sandboxed;
}

/** One of a list, with whose run it is. */
export interface ListedEnrollment extends EnrollmentView {
  readonly contact_email: string;
  readonly created_at: Date;
}

/** The enrollments of a sequence, the last started first. */
export async function listEnrollments(
  em: EntityManager,
  sequenceId: string,
  filter: RunFilter,
  place: Place,
): Promise<KeysetPage<ListedEnrollment>> {
  const page = await pageOf(place, (bounds) =>
    rows(
      em,
      sql<Found & Pick<ListedEnrollment, 'contact_email'>>`select * from (select ${columns}, c.email as contact_email
        from enrollments e join sequences s on s.id = e.sequence_id join contacts c on c.id = e.contact_id
        where ${matchingRuns(sequenceId, filter)}) listed where ${bounds}`,
    ),
  );
  return {
    ...page,
    rows: page.rows.map(({ contact_email, ...found }) => ({ ...view(found), contact_email, created_at: found.created_at })),
  };
}

function view({ created_at: _, ...found }: Found): EnrollmentView {
  return { ...found, workflow_id: enrollmentWorkflowId(found.id) };
}
