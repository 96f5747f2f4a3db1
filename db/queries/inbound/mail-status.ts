import { sql } from 'kysely';
import type { Bounce, MailStatus } from '../../../domain/inbound/event.ts';
import type { EntityManager } from '../../orm.ts';
import { row } from '../../rows.ts';

/** What one report changes in the row of its mail. */
export interface Reported {
  readonly status: MailStatus;
  readonly occurredAt: Date;
  /** Of a bounce. */
  readonly bounceKind: Bounce['kind'] | undefined;
  readonly isDelay: boolean;
}

/**
 * What became of a mail after its submission, as far as it is known. Reports may come in any order: the latest instant stays, a bounce that was once
 * hard, and that it was put off.
 */
export async function setMailStatus(
  tx: EntityManager,
  sendId: string,
  { status, occurredAt, bounceKind, isDelay }: Reported,
): Promise<void> {
  await row(
    tx,
    sql`update sends set delivery_status = ${status}, last_event_at = greatest(last_event_at, ${occurredAt}),
          bounce_kind = case when bounce_kind = 'hard' then 'hard' else coalesce(${bounceKind ?? null}::text, bounce_kind) end,
          was_delayed = case when ${isDelay} then true else was_delayed end
        where id = ${sendId}`,
  );
}

/** Since the last delivery to the address. */
export async function softBouncesInARow(tx: EntityManager, projectId: string, email: string): Promise<number> {
  const counted = await row(
    tx,
    sql<{ count: number }>`
      select count(distinct send_id) as count from provider_events
      where project_id = ${projectId} and email = ${email} and type = 'bounced' and occurred_at > coalesce(
        (select max(occurred_at) from provider_events where project_id = ${projectId} and email = ${email} and type = 'delivered'), '-infinity')`,
  );
  return counted?.count ?? 0;
}
