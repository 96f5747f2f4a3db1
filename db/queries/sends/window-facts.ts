import { sql } from 'kysely';
import type { ContactRow, ScheduledSendRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { preparedRow } from '../../rows.ts';

/** What decides whether a call waits for a send window, beside the window. */
export interface WindowFacts {
  /** Of the recipient; null: it has none, or is no contact. */
  readonly timezone: ContactRow['timezone'];
  /** When the mail that waits under the key of the call goes; null: none does. */
  readonly waits_until: ScheduledSendRow['due_at'] | null;
  /** Whether a mail that was opened has the key. */
  readonly is_opened: boolean;
}

/** Of one call, by its recipient and its key, as it is kept. */
export async function windowFacts(
  em: EntityManager,
  projectId: string,
  of: { readonly recipient: { readonly contactId: string } | { readonly email: string }; readonly key: string | undefined },
): Promise<WindowFacts> {
  const { recipient, key = null } = of;
  const [id, email] = 'contactId' in recipient ? [recipient.contactId, null] : [null, recipient.email];
  const found = await preparedRow(
    em,
    sql<WindowFacts>`
      select (select c.timezone from contacts c where c.project_id = ${projectId}::uuid and c.id = ${id}::uuid
              union all
              select c.timezone from contacts c where c.project_id = ${projectId}::uuid and c.email = ${email}::text) as timezone,
             (select q.due_at from scheduled_sends q where q.project_id = ${projectId}::uuid and q.idempotency_key = ${key}::text) as waits_until,
             exists (select 1 from sends s where s.project_id = ${projectId}::uuid and s.idempotency_key = ${key}::text) as is_opened`,
  );
  return found as WindowFacts;
}
