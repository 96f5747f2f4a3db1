import { sql } from 'kysely';
import type { SuppressionReason } from '../../domain/suppression.ts';
import type { SuppressionRow } from '../entities/index.ts';
import type { EntityManager } from '../orm.ts';
import { row } from '../rows.ts';
import { tables } from '../tables.ts';
import { moveContact } from './contact-status.ts';
import { lockContact } from './contacts.ts';

export async function listSuppressions(em: EntityManager, projectId: string): Promise<SuppressionRow[]> {
  const ofProject = tables(em).selectFrom('suppressions').selectAll().where('project_id', '=', projectId);
  return ofProject.orderBy('created_at', 'desc').orderBy('email').execute();
}

/** What keeps the recipient of a send from getting mail just now, also where the contact was erased. */
export function suppressionOfSend(
  em: EntityManager,
  sendId: string,
): Promise<{ readonly reason: SuppressionReason; readonly created_at: Date } | undefined> {
  return row(
    em,
    sql`
      select u.reason, u.created_at from sends s cross join lateral (
        select reason, created_at from suppressions where project_id = s.project_id and email = s.to_email
        union all
        select reason, created_at from erased_suppressions
        where project_id = s.project_id and address_hash = address_hash(s.project_id, s.to_email)
      ) u where s.id = ${sendId} limit 1`,
  );
}

/**
 * Puts the address on the list and answers with the reason that is stored: the first one stays unless the new one is a complaint.
 * A global opt-out and a complaint also unsubscribe a matching contact (decisions.md 10).
 */
export async function suppress(
  tx: EntityManager,
  suppression: { readonly projectId: string; readonly email: string; readonly reason: SuppressionReason; readonly now: Date },
): Promise<SuppressionReason> {
  const { projectId, email, reason, now } = suppression;
  const stored = await row(
    tx,
    sql<Pick<SuppressionRow, 'reason'>>`
      with erased as (
        delete from erased_suppressions where project_id = ${projectId} and address_hash = address_hash(${projectId}, ${email}) returning reason
      )
      insert into suppressions as s (project_id, email, reason, created_at)
      select ${projectId}, ${email}, case when ${reason} = 'complaint' then 'complaint' else coalesce((select reason from erased), ${reason}) end, ${now}
      on conflict (project_id, email) do update set reason = case when excluded.reason = 'complaint' then 'complaint' else s.reason end
      returning reason`,
  );
  if (reason === 'complaint' || reason === 'global_unsubscribe') {
    const contact = await lockContact(tx, projectId, { email });
    if (contact) await moveContact(tx, contact, 'unsubscribed', now);
  }
  return stored?.reason ?? reason;
}

/** Whether it was on the list, or had been when its contact was erased. */
export async function unsuppress(em: EntityManager, projectId: string, email: string): Promise<boolean> {
  const removed = await row(
    em,
    sql`
      with plain as (
        delete from suppressions where project_id = ${projectId} and email = ${email} returning 1
      ), erased as (
        delete from erased_suppressions where project_id = ${projectId} and address_hash = address_hash(${projectId}, ${email}) returning 1
      )
      select 1 from plain union all select 1 from erased limit 1`,
  );
  return removed !== undefined;
}
