import { type RawBuilder, sql } from 'kysely';
import { ENDED, type EndReason, endStatus } from '../../../domain/sequences/end-reason.ts';
import { KINDS_FINISHING_AFTER_END } from '../../../domain/sequences/kinds/node-kinds.ts';
import { type ContactRow, Enrollment, type EnrollmentRow, type ProjectRow, type SequenceRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { preparedRows, rows } from '../../rows.ts';
import { IS_OVER } from './is-over.ts';

/** Some enrollments of one project, or one that the project shows. */
export type RunsToEnd =
  | { readonly id: string }
  | { readonly ids: readonly string[] }
  | { readonly id: string; readonly shownBy: ProjectRow['id'] };

/** An enrollment that has just ended, with what follows from that. */
export interface EndedRun
  extends Pick<EnrollmentRow, 'id' | 'parent_id' | 'project_id' | 'contact_id' | 'sandboxed'>,
    Pick<ProjectRow, 'has_webhooks'> {
  readonly sequence_key: SequenceRow['key'];
}

/**
 * Ends those that are active. What they waited for does not come any more; a mail or a call in flight still gets its own outcome. What follows
 * from an end is the caller's to do.
 */
export async function markEnded(tx: EntityManager, which: RunsToEnd, reason: EndReason, now: Date): Promise<EndedRun[]> {
  // What ends a run from outside ends the step, too; one that ends by itself is told by the step that ends it.
  const why = endStatus(reason) === 'cancelled' ? reason : null;
  return preparedRows(
    tx,
    sql<EndedRun>`
      with ended as (
        update enrollments e set status = ${endStatus(reason)}, end_reason = ${reason}, ended_at = ${now}, waiting_for = null, wakes_at = null
        from sequences s, projects p where s.id = e.sequence_id and p.id = e.project_id and ${matching(which)} and e.status = 'active'
        returning e.id, e.parent_id, e.project_id, e.contact_id, e.sandboxed, s.key as sequence_key, p.has_webhooks
      ), left_over as (
        update enrollment_steps st set outcome = ${sql.lit(ENDED)}, detail = coalesce(st.detail, ${why}::text) from ended
        where st.enrollment_id = ended.id and st.outcome is null and st.kind <> all(${KINDS_FINISHING_AFTER_END})
      )
      select id, parent_id, project_id, contact_id, sandboxed, sequence_key, has_webhooks from ended`,
  );
}

/** Keeps by which key it was cancelled, in the transaction that cancels it. */
export async function keepCanceller(tx: EntityManager, enrollmentId: string, keyId: string): Promise<void> {
  await tx.nativeUpdate(Enrollment, { id: enrollmentId }, { cancelled_by_key_id: keyId });
}

/** The same of many. */
export async function keepCancellers(tx: EntityManager, enrollmentIds: readonly string[], keyId: string): Promise<void> {
  await tx.nativeUpdate(Enrollment, { id: { $in: [...enrollmentIds] } }, { cancelled_by_key_id: keyId });
}

function matching(which: RunsToEnd): RawBuilder<unknown> {
  if ('ids' in which) return sql`e.id = any(${which.ids}::uuid[])`;
  const isIt = sql`e.id = ${which.id}`;
  return 'shownBy' in which ? sql`${isIt} and e.project_id = ${which.shownBy} and s.deleted_at is null` : isIt;
}

/** Locks all active enrollments of the contact, in the order of their ids. */
export async function lockRunsOf(tx: EntityManager, contact: Pick<ContactRow, 'id' | 'project_id'>): Promise<string[]> {
  const locked = await rows(
    tx,
    sql<Pick<EnrollmentRow, 'id'>>`
      select id from enrollments where contact_id = ${contact.id} and project_id = ${contact.project_id} and status = 'active'
      order by id for update`,
  );
  return locked.map(({ id }) => id);
}

/** Locks the contact's active enrollments in these sequences, the sandboxed ones or the others, in the order of their ids; unknown keys are passed over. */
export async function lockRunsIn(
  tx: EntityManager,
  projectId: string,
  contactId: string,
  keys: readonly string[],
  isSandboxed: boolean,
): Promise<string[]> {
  const locked = await rows(
    tx,
    sql<Pick<EnrollmentRow, 'id'>>`
      select e.id from enrollments e where e.contact_id = ${contactId} and e.status = 'active' and e.sandboxed = ${isSandboxed} and exists (
        select 1 from sequences s where s.id = e.sequence_id and s.project_id = ${projectId} and s.key = any(${keys}) and not ${IS_OVER})
      order by e.id for update`,
  );
  return locked.map(({ id }) => id);
}
