import { type RawBuilder, sql } from 'kysely';
import { sandboxedType } from '../../../domain/sequences/event-type.ts';
import { type Digest, type GatheredEvent, latestShown, MAX_GATHERED } from '../../../domain/sequences/gathered.ts';
import type { EnrollmentRow, EnrollmentStepRow, GatheredDigestRow, ProductEventRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { preparedRow, row } from '../../rows.ts';

/** A visit to a digest. */
export interface DigestVisit {
  readonly enrollmentId: EnrollmentRow['id'];
  readonly step: EnrollmentStepRow['step'];
}

/** Whether the run `e` has come to a digest, in whatever version: then there is something for digestBefore to read. */
export const HAS_GATHERED = sql<boolean>`exists (select from digests d where d.enrollment_id = e.id)`;

/** Whether events are kept for the run `e`. */
export const HAS_KEPT = sql<boolean>`exists (select from kept_events k where k.enrollment_id = e.id)`;

/** As gatheringKey of the domain reads it. */
function keyOf(data: RawBuilder<unknown>, path: string | undefined): RawBuilder<string | null> {
  if (path === undefined) return sql<string | null>`null::text`;
  const at = sql`(${data} #> ${path.split('.')}::text[])`;
  return sql<string | null>`case when jsonb_typeof(${at}) in ('string', 'number', 'boolean') then ${at} #>> '{}' end`;
}

/** The latest of a list of ids. */
function latest(ids: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(${ids})[greatest(1, cardinality(${ids}) + 1 - ${sql.lit(MAX_GATHERED)}):]`;
}

/** What has to be known of the graph to open a digest. */
export interface DigestOpening {
  /** Of its event triggers. */
  readonly types: readonly string[];
  /** Of the key. */
  readonly path: string | undefined;
  /** With so many it takes nothing more of what is kept; undefined: it takes all. */
  readonly max: number | undefined;
  readonly isSandboxed: boolean;
  /** An event begins a run whatever other runs are under way: then one that ended a wait of this run is of that one. */
  readonly reentersAlways: boolean;
}

/**
 * Opens the digest of a visit, unless it is open: with the event that the run has last, where it is one of `types` and no digest of the run before took
 * it, with what the digest of the step before has, whatever its key, should the run have been moved away from it or have failed there, and with what
 * was kept for the run and has the key of its event, the first up to `max` with what there is already: the others stay kept. The contact's row is
 * locked. Returns how many have gathered.
 */
export async function openDigest(
  tx: EntityManager,
  { enrollmentId, step }: DigestVisit,
  { types, path, max, isSandboxed, reentersAlways }: DigestOpening,
): Promise<number> {
  const left =
    max === undefined
      ? sql`all`
      : sql`(select greatest(0, ${max}::integer - cardinality(r.own) - coalesce((select count from left_behind), 0)) from run r)`;
  const found = await row(
    tx,
    sql<Pick<GatheredDigestRow, 'count'>>`
      with run as materialized (
        select ${keyOf(sql`ev.data`, path)} as key, case
            when ev.type = any(${isSandboxed ? types.map(sandboxedType) : types}::text[])
              and not exists (select 1 from digests d where d.enrollment_id = e.id)
              and not exists (select 1 from kept_events k where k.enrollment_id = e.id and k.event_id = ev.id)
              and not (${reentersAlways} and exists (select 1 from enrollment_steps st where st.enrollment_id = e.id and st.outcome = 'event'))
            then array[ev.id] else '{}' end as own,
            e.moved_step
        from enrollments e left join events ev on ev.id = e.event_id where e.id = ${enrollmentId}
      ), left_behind as (
        delete from digests d using run, enrollment_steps st
        where d.enrollment_id = ${enrollmentId} and d.step = ${step}::integer - 1
          and st.enrollment_id = d.enrollment_id and st.step = d.step and (st.step = run.moved_step or st.outcome = 'failed')
        returning d.count, d.event_ids
      ), taken as (
        delete from kept_events k using (
          select w.place from kept_events w join events v on v.id = w.event_id cross join run
          where w.enrollment_id = ${enrollmentId} and ${keyOf(sql`v.data`, path)} is not distinct from run.key
          order by w.place limit ${left}) first
        where k.enrollment_id = ${enrollmentId} and k.place = first.place
        returning k.place, k.event_id
      ), gathered as (
        select run.key, run.own || array(select event_id from taken order by place) as ids from run
      ), brought as (
        select g.key, coalesce(l.count, 0) + cardinality(g.ids) as count, coalesce(l.event_ids, '{}') || g.ids as ids from gathered g left join left_behind l on true
      )
      insert into digests (enrollment_id, step, key, count, event_ids)
      select ${enrollmentId}, ${step}, key, count, ${latest(sql`ids`)} from brought
      returning count`,
  );
  return found?.count ?? 0;
}

/** Counts an event into an open digest, if it has its key. Returns how many have gathered then; undefined: it has another key. */
export async function gatherEvent(
  tx: EntityManager,
  { enrollmentId, step }: DigestVisit,
  eventId: ProductEventRow['id'],
  path: string | undefined,
): Promise<number | undefined> {
  const found = await preparedRow(
    tx,
    sql<Pick<GatheredDigestRow, 'count'>>`
      update digests d set count = d.count + 1, event_ids = ${latest(sql`(d.event_ids || v.id)`)}
      from events v
      where v.id = ${eventId} and d.enrollment_id = ${enrollmentId} and d.step = ${step}
        and d.key is not distinct from ${keyOf(sql`v.data`, path)}
      returning d.count`,
  );
  return found?.count;
}

/** How many have gathered at a visit. */
export async function gatheredAt(tx: EntityManager, { enrollmentId, step }: DigestVisit): Promise<number> {
  const found = await row(
    tx,
    sql<Pick<GatheredDigestRow, 'count'>>`select count from digests where enrollment_id = ${enrollmentId} and step = ${step}`,
  );
  return found?.count ?? 0;
}

/** What the run has gathered at the last digest that it left before this step; undefined: it came by none. */
export async function digestBefore(em: EntityManager, { enrollmentId, step }: DigestVisit): Promise<Digest | undefined> {
  const found = await row(
    em,
    sql<{ count: number; events: { type: string; data: GatheredEvent['data']; at: string }[] }>`
      select d.count, coalesce((
          select jsonb_agg(jsonb_build_object('type', v.type, 'data', v.data, 'at', v.created_at) order by i.place)
          from unnest(d.event_ids) with ordinality as i(id, place) join events v on v.id = i.id), '[]') as events
      from digests d where d.enrollment_id = ${enrollmentId} and d.step < ${step} order by d.step desc limit 1`,
  );
  if (!found) return undefined;
  const ofTestKeys = sandboxedType('');
  const events = latestShown(found.events).map(({ type, data, at }) => ({
    type: type.startsWith(ofTestKeys) ? type.slice(ofTestKeys.length) : type,
    data,
    at: new Date(at).toISOString(),
  }));
  return { count: found.count, events };
}

/** Keeps an event for the run of the contact that is under way in the sequence. The contact's row is locked. Whether there is one. */
export async function keepEvent(
  tx: EntityManager,
  { sequence_id, contact_id, sandboxed }: Pick<EnrollmentRow, 'sequence_id' | 'contact_id' | 'sandboxed'>,
  eventId: ProductEventRow['id'],
): Promise<boolean> {
  const kept = await row(
    tx,
    sql`
      insert into kept_events (enrollment_id, place, event_id)
      select e.id, coalesce((select max(k.place) from kept_events k where k.enrollment_id = e.id), 0) + 1, ${eventId}
      from enrollments e
      where e.contact_id = ${contact_id} and e.sequence_id = ${sequence_id} and e.status = 'active' and e.sandboxed = ${sandboxed}
      order by e.id limit 1
      returning place`,
  );
  return kept !== undefined;
}

/** Takes the first event that was kept for a run; undefined: none was. */
export async function takeKeptEvent(tx: EntityManager, enrollmentId: EnrollmentRow['id']): Promise<ProductEventRow['id'] | undefined> {
  const found = await row(
    tx,
    sql<{ event_id: string }>`
      delete from kept_events k
      where (k.enrollment_id, k.place) = (select enrollment_id, place from kept_events where enrollment_id = ${enrollmentId} order by place limit 1)
      returning k.event_id`,
  );
  return found?.event_id;
}

/** Leaves what is kept for a run that has ended to the next one. */
export async function passKeptEvents(tx: EntityManager, from: EnrollmentRow['id'], to: EnrollmentRow['id']): Promise<void> {
  await row(tx, sql`update kept_events set enrollment_id = ${to} where enrollment_id = ${from}`);
}
