import { sql } from 'kysely';
import type { EntityManager } from '../../orm.ts';
import { signalRuns } from '../operations/outbox.ts';

/** Signals every held enrollment of the project, or of one of its sequences: something that held it has changed. */
export async function signalHeldEnrollments(tx: EntityManager, projectId: string, sequenceId?: string): Promise<void> {
  const within = sequenceId === undefined ? sql`true` : sql`e.sequence_id = ${sequenceId}`;
  await signalRuns(tx, sql`e.project_id = ${projectId} and ${within} and e.status = 'active' and e.waiting_for like 'held:%'`);
}

/** Signals those that a send window holds: of the project, or of these contacts of it. */
export async function signalWindowHolds(tx: EntityManager, projectId: string, contactIds?: readonly string[]): Promise<void> {
  const whose = contactIds === undefined ? sql`e.waiting_for like 'held:%'` : sql`e.contact_id = any(${contactIds}::uuid[])`;
  await signalRuns(tx, sql`e.project_id = ${projectId} and ${whose} and e.status = 'active' and e.waiting_for = 'held:send_window'`);
}

/** Signals the enrollments whose wait or goal depends on these contacts of the project: something about them has changed. */
export async function signalWatchers(tx: EntityManager, projectId: string, contactIds: readonly string[]): Promise<void> {
  if (contactIds.length === 0) return;
  const watching = sql`e.contact_id = any(${contactIds}::uuid[]) and e.project_id = ${projectId} and e.status = 'active' and e.watches_contact`;
  await signalRuns(tx, watching);
}

/** Signals the workflows of these enrollments, which then evaluate their step again; also of those that have just ended. */
export async function signalEnrollments(tx: EntityManager, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await signalRuns(tx, sql`e.id = any(${ids}::uuid[])`);
}
