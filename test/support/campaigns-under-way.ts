import { sql } from 'kysely';
import type { EntityManager } from '../../db/orm.ts';
import { row, rows } from '../../db/rows.ts';
import { eventually } from './eventually.ts';
import { mailNow } from './mail.ts';
import type { TestProject } from './project.ts';
import { temporalClient } from './temporal.ts';

export const HOUR_MS = 3_600_000;

/** The instant so much later, an hour unless told. */
export const later = (milliseconds = HOUR_MS): string => new Date(Date.now() + milliseconds).toISOString();

/** Brings a scheduled campaign on, its end with it: no calls before that take longer than its time is away. */
export async function isDueSoon(em: EntityManager, id: string): Promise<void> {
  const due = sql`now() + interval '1 s'`;
  await rows(em, sql`update campaigns set scheduled_at = ${due}, ends_at = ends_at - (scheduled_at - (${due})) where id = ${id}`);
  const handle = (await temporalClient()).workflow.getHandle(`campaign/${id}`);
  await eventually(async () => {
    await handle.signal('changed');
    return true;
  });
}

/** What has to be slow to be met in the middle need not be slow to its end. */
export async function restIsFast(em: EntityManager, id: string): Promise<void> {
  await rows(em, sql`update campaigns set rate_per_second = 1000 where id = ${id}`);
}

/** Mails to these addresses of the project that arrived so far. */
export async function arrived(project: Pick<TestProject, 'domain'>, emails: readonly string[]): Promise<number> {
  const wanted = new Set(emails);
  return (await mailNow(`@to.${project.domain}`)).filter(({ to }) => wanted.has(to[0] as string)).length;
}

/** Rows of the send log that are sent by now. */
export async function sentRows(em: EntityManager, id: string): Promise<number> {
  const counted = sql<{ count: number }>`select count(*) as count from sends where source_id = ${id} and status = 'sent'`;
  return (await row(em, counted))?.count ?? 0;
}

/** Waits until the workflow has ended; says how. */
export async function workflowEnds(id: string): Promise<string> {
  const handle = (await temporalClient()).workflow.getHandle(`campaign/${id}`);
  return eventually(async () => {
    const { status } = await handle.describe();
    return status.name !== 'RUNNING' && status.name;
  });
}
