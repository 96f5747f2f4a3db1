import { sql } from 'kysely';
import type { SegmentTriggerRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { row, rows } from '../../rows.ts';
import { inSegment, type SegmentRule } from './segment-filter.ts';
import type { OpenTrigger } from './segment-triggers.ts';

/** So many contacts are compared with the members in one transaction. */
export const LOOKED_AT_ONCE = 1_000;

/** A trigger whose contacts are all being compared with its members. */
export type LookingTrigger = OpenTrigger & Pick<SegmentTriggerRow, 'looked_to_at' | 'looked_to'>;

/**
 * Everybody is compared with the members of these segments: who is in them may have changed for all. In the transaction of the change. Due at once: the
 * column has milliseconds, and an instant that is rounded up to one would come after the transaction's own.
 */
export async function lookAtSegments(tx: EntityManager, projectId: string, labels: readonly string[]): Promise<void> {
  await row(
    tx,
    sql`update segment_triggers set look_at = date_trunc('milliseconds', now()), look_began_at = null, looked_to_at = null, looked_to = null
        where project_id = ${projectId} and ended_at is null and label = any(${labels}::text[])`,
  );
}

/** A contact of a look. */
export interface LookedAt {
  readonly id: string;
  readonly created_at: Date;
  /** Whether what is known of its membership is not so. */
  readonly differs: boolean;
}

/**
 * The next contacts: those that differ, and the last of them. Contacts about whom a change is noted are left to whoever works that off, who knows whether a
 * test key made it.
 */
export async function nextToLookAt(
  tx: EntityManager,
  { id, project_id, looked_to_at, looked_to }: LookingTrigger,
  rule: SegmentRule | undefined,
): Promise<LookedAt[]> {
  const beyond = looked_to ? sql`(c.created_at, c.id) > (${looked_to_at}, ${looked_to}::uuid)` : sql`true`;
  return rows(
    tx,
    sql<LookedAt>`
      with page as materialized (
        select c.* from contacts c where c.project_id = ${project_id} and ${beyond} order by c.created_at, c.id limit ${LOOKED_AT_ONCE}
      ), compared as (
        select p.id, p.created_at, row_number() over (order by p.created_at desc, p.id desc) as nth,
               ${rule ? inSegment(rule, 'p') : sql`false`} <> (m.contact_id is not null)
                 and not exists (select 1 from membership_checks k where k.contact_id = p.id) as differs
        from page p left join segment_trigger_members m on m.trigger_id = ${id} and m.contact_id = p.id
      )
      select id, created_at, differs from compared where differs or nth = 1 order by created_at, id`,
  );
}
