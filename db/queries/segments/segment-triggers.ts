import { sql } from 'kysely';
import type { SegmentRow, SegmentTriggerRow, SequenceRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { row, rows } from '../../rows.ts';
import { inSegment, type SegmentRule } from './segment-filter.ts';

/** A segment by which an active sequence is entered. */
export type OpenTrigger = Pick<SegmentTriggerRow, 'id' | 'project_id' | 'sequence_id' | 'label'>;

/** So many members of a trigger that has ended are removed in one transaction. */
export const REMOVED_AT_ONCE = 10_000;

/**
 * Nobody becomes a member of these any more but of those that stay: the sequence is entered by the segments with these labels from here on.
 * Returns the triggers that are new.
 */
export async function setSegmentTriggers(
  tx: EntityManager,
  sequence: Pick<SequenceRow, 'id' | 'project_id'>,
  labels: readonly string[],
): Promise<OpenTrigger[]> {
  const { id, project_id } = sequence;
  await row(
    tx,
    sql`update segment_triggers set ended_at = now(), look_at = null
        where project_id = ${project_id} and sequence_id = ${id} and ended_at is null and label <> all(${labels}::text[])`,
  );
  if (labels.length === 0) return [];
  // A change that was under way when it was turned on may have noted nothing: once it surely has ended, everybody is looked at.
  return rows(
    tx,
    sql<OpenTrigger>`
      insert into segment_triggers (project_id, sequence_id, label, look_at)
      select ${project_id}, ${id}, l, now() + interval '2 minutes' from unnest(${labels}::text[]) l group by l order by l
      on conflict (project_id, sequence_id, label) where ended_at is null do nothing returning id, project_id, sequence_id, label`,
  );
}

/** Who is in the segment now counts as a member, and is not enrolled for it. */
export async function keepMembers(tx: EntityManager, { id, project_id }: OpenTrigger, rule: SegmentRule): Promise<void> {
  await row(
    tx,
    sql`insert into segment_trigger_members (trigger_id, contact_id)
        select ${id}::uuid, c.id from contacts c where c.project_id = ${project_id} and ${inSegment(rule, 'c')} order by c.id`,
  );
}

/** The segment with this label; undefined: nobody is in it. */
export async function segmentLabelled(
  em: EntityManager,
  projectId: string,
  label: string,
): Promise<Pick<SegmentRow, 'filter' | 'brand_id'> | undefined> {
  return row(
    em,
    sql<Pick<SegmentRow, 'filter' | 'brand_id'>>`
      select filter, brand_id from segments where project_id = ${projectId} and lower(label) = ${label}`,
  );
}

/** In the order in which they were turned on. */
export async function openTriggers(em: EntityManager, projectId: string): Promise<OpenTrigger[]> {
  return rows(
    em,
    sql<OpenTrigger>`
      select id, project_id, sequence_id, label from segment_triggers where project_id = ${projectId} and ended_at is null order by id`,
  );
}

/** Whose membership is not what is known of it. */
export interface MembershipChange {
  readonly contact_id: string;
  readonly is_member: boolean;
}

/** Of these contacts those that have become members, and those that are none any more. `rule` undefined: there is no such segment. */
export async function membershipChanges(
  tx: EntityManager,
  { id, project_id }: OpenTrigger,
  rule: SegmentRule | undefined,
  contactIds: readonly string[],
): Promise<MembershipChange[]> {
  return rows(
    tx,
    sql<MembershipChange>`
      select c.id as contact_id, is_member from contacts c
      cross join lateral (select ${rule ? inSegment(rule, 'c') : sql`false`} as is_member offset 0) now_in
      left join segment_trigger_members m on m.trigger_id = ${id} and m.contact_id = c.id
      where c.project_id = ${project_id} and c.id = any(${contactIds}::uuid[]) and is_member <> (m.contact_id is not null)`,
  );
}

/** Keeps what is known now. Returns who has become a member by this very call. */
export async function keepChanges(tx: EntityManager, { id }: OpenTrigger, changes: readonly MembershipChange[]): Promise<string[]> {
  const idsOf = (isMember: boolean): string[] =>
    changes.filter(({ is_member }) => is_member === isMember).map(({ contact_id }) => contact_id);
  const [joined, left] = [idsOf(true), idsOf(false)];
  if (left.length > 0)
    await row(tx, sql`delete from segment_trigger_members where trigger_id = ${id} and contact_id = any(${left}::uuid[])`);
  if (joined.length === 0) return [];
  const kept = await rows(
    tx,
    sql<{ contact_id: string }>`
      insert into segment_trigger_members (trigger_id, contact_id) select ${id}::uuid, j from unnest(${joined}::uuid[]) j
      on conflict do nothing returning contact_id`,
  );
  return kept.map(({ contact_id }) => contact_id);
}

/** Of a contact whose row is locked: no trigger knows of it any more. */
export async function forgetMember(tx: EntityManager, contact: { readonly id: string; readonly project_id: string }): Promise<void> {
  await row(
    tx,
    sql`delete from segment_trigger_members m using segment_triggers t
        where t.project_id = ${contact.project_id} and m.trigger_id = t.id and m.contact_id = ${contact.id}`,
  );
  await row(tx, sql`delete from membership_checks where contact_id = ${contact.id}`);
}

/** The keys of the sequences that are entered by the segment, whatever their status but archived: of the current versions. */
export async function sequencesEnteredBy(em: EntityManager, projectId: string, label: string): Promise<string[]> {
  const found = await rows(
    em,
    sql<Pick<SequenceRow, 'key'>>`
      select s.key from sequences s join sequence_versions v on v.sequence_id = s.id and v.version = s.version
      where s.project_id = ${projectId} and s.deleted_at is null and s.status <> 'archived'
        and exists (select 1 from jsonb_array_elements(v.graph -> 'triggers') t where lower(t #>> '{config,segment}') = ${label})
      order by s.key`,
  );
  return found.map(({ key }) => key);
}

/** Triggers that have ended, whose members are still to be removed. Whoever enrolled somebody by them just then has ended, too. */
export async function endedTriggers(em: EntityManager): Promise<string[]> {
  const found = await rows(
    em,
    sql<{ id: string }>`select id from segment_triggers where ended_at < now() - interval '1 minute' order by ended_at`,
  );
  return found.map(({ id }) => id);
}

/** Removes some members of a trigger that has ended, and in the end the trigger. Whether there may be more. */
export async function removeEnded(tx: EntityManager, id: string): Promise<boolean> {
  const locked = await row(tx, sql`select 1 from segment_triggers where id = ${id} and ended_at is not null for update skip locked`);
  if (!locked) return false;
  const removed = await row(
    tx,
    sql<{ count: number }>`
      with removed as (
        delete from segment_trigger_members where trigger_id = ${id} and contact_id = any(array(
          select contact_id from segment_trigger_members where trigger_id = ${id} limit ${REMOVED_AT_ONCE})) returning 1)
      select count(*) as count from removed`,
  );
  if ((removed?.count ?? 0) === REMOVED_AT_ONCE) return true;
  await row(tx, sql`delete from segment_triggers where id = ${id}`);
  return false;
}
