import { type RawBuilder, sql } from 'kysely';
import {
  ANSWERS_KEPT_MS,
  ATTEMPTS_KEPT_MS,
  DATE_ENTRIES_KEPT_MS,
  DELIVERIES_KEPT_MS,
  EVENTS_KEPT_MS,
  FOREIGN_REPORTS_KEPT_MS,
  HITS_KEPT_MS,
  IMPORTS_KEPT_MS,
  LEFT_OUT_KEPT_MS,
  LISTENERS_KEPT_MS,
  REPORTS_KEPT_MS,
  REPUTATION_KEPT_MS,
  THROTTLE_PASSES_KEPT_MS,
  TRACES_KEPT_MS,
} from '../../../domain/operations/retention.ts';
import { SESSION_MS } from '../../../domain/projects/console-sessions.ts';
import type { EntityManager } from '../../orm.ts';
import { LOWEST_ID } from '../../outermost-ids.ts';
import { row } from '../../rows.ts';

/** The last row that was looked at. */
export interface PrunePlace {
  readonly at: string;
  readonly ctid: string;
}

export interface PruneRequest {
  readonly now: Date;
  /** Null: from the oldest row on. */
  readonly after: PrunePlace | null;
  /** Rows that the batch looks at. */
  readonly limit: number;
  /** Only counts. */
  readonly dryRun: boolean;
}

/** What a batch came to. `place` is null when there are no further rows to look at. */
export interface PrunedBatch {
  readonly pruned: number;
  readonly place: PrunePlace | null;
}

/** One table and what goes of it. A batch is one statement, which reads and deletes a bounded number of rows. */
export interface Expiring {
  readonly table: string;
  /** Whether the place of a batch is an id, and no instant. */
  readonly isById: boolean;
  pruneBatch(em: EntityManager, request: PruneRequest): Promise<PrunedBatch>;
}

interface Rule {
  readonly table: string;
  /** A column with an index, in the order of which rows grow old. */
  readonly by: 'created_at' | 'last_seen_at' | 'received_at' | 'begun_at' | 'due_at' | 'at' | 'hour' | 'id';
  readonly keptMs: number;
  /** The predicate of the index, where that is partial. */
  readonly among?: RawBuilder<unknown>;
  /** What must hold of the row `t` itself, still when it is deleted. */
  readonly only?: (before: Date, now: Date) => RawBuilder<unknown>;
  /** A query that finds something where the row `t` is kept for something else. It is asked row by row, never by a hash of a whole table. */
  readonly unless?: (before: Date) => RawBuilder<unknown>;
}

const ALWAYS = sql.lit(true);
const NOTHING = sql`select false`;

/** All that is kept for a time only, what refers to a row before the row itself. Rows that are kept for longer are passed over once a walk. */
export const EXPIRING: readonly Expiring[] = [
  rule({
    table: 'idempotency_keys',
    by: 'created_at',
    keptMs: ANSWERS_KEPT_MS,
    only: (_, now) => sql`t.leased_until < ${now}`,
  }),
  rule({
    table: 'events',
    by: 'created_at',
    keptMs: EVENTS_KEPT_MS,
    // An enrollment shows events of its own contact, by which there is an index.
    unless: () => sql`
      select true from enrollments e
      where e.contact_id = t.contact_id and e.project_id = t.project_id and e.status = 'active'
        and (e.event_id = t.id or (select true from kept_events k where k.event_id = t.id and k.enrollment_id = e.id limit 1)
          or (select true from digests d where d.enrollment_id = e.id and t.id = any(d.event_ids) limit 1)) limit 1`,
  }),
  rule({ table: 'event_types', by: 'last_seen_at', keptMs: EVENTS_KEPT_MS }),
  rule({ table: 'send_hits', by: 'at', keptMs: HITS_KEPT_MS }),
  rule({ table: 'provider_events', by: 'received_at', keptMs: REPORTS_KEPT_MS }),
  rule({ table: 'provider_events', by: 'received_at', keptMs: FOREIGN_REPORTS_KEPT_MS, among: sql`t.applied_at is null` }),
  rule({
    table: 'webhook_deliveries',
    by: 'id',
    keptMs: DELIVERIES_KEPT_MS,
    // One that is begun again meanwhile stays.
    only: (before) => sql`t.status <> 'pending' and t.next_attempt_at < ${before}`,
  }),
  rule({
    table: 'webhook_events',
    by: 'id',
    keptMs: DELIVERIES_KEPT_MS,
    unless: (before) => sql`
      select true from webhook_deliveries d where d.event_id = t.id and (d.status = 'pending' or d.next_attempt_at >= ${before}) limit 1`,
  }),
  rule({
    table: 'webhook_attempts',
    by: 'begun_at',
    keptMs: ATTEMPTS_KEPT_MS,
    unless: () => sql`select true from webhook_deliveries d where d.id = t.delivery_id limit 1`,
  }),
  // With it goes what waits for it.
  rule({ table: 'webhook_listeners', by: 'created_at', keptMs: LISTENERS_KEPT_MS, only: (before) => sql`t.heard_at < ${before}` }),
  rule({ table: 'console_sessions', by: 'created_at', keptMs: SESSION_MS }),
  rule({ table: 'webhook_retries', by: 'id', keptMs: DELIVERIES_KEPT_MS, only: () => sql`t.status <> 'running'` }),
  rule({ table: 'bulk_enrollments', by: 'id', keptMs: TRACES_KEPT_MS, only: () => sql`t.status <> 'running'` }),
  rule({ table: 'enrollment_actions', by: 'id', keptMs: TRACES_KEPT_MS, only: () => sql`t.status <> 'running'` }),
  rule({ table: 'campaign_left_out', by: 'id', keptMs: LEFT_OUT_KEPT_MS }),
  rule({ table: 'refused_entries', by: 'id', keptMs: EVENTS_KEPT_MS }),
  rule({ table: 'date_entries', by: 'due_at', keptMs: DATE_ENTRIES_KEPT_MS }),
  rule({ table: 'throttle_passes', by: 'at', keptMs: THROTTLE_PASSES_KEPT_MS }),
  rule({ table: 'reputation_counts', by: 'hour', keptMs: REPUTATION_KEPT_MS }),
  rule({ table: 'import_refusals', by: 'at', keptMs: IMPORTS_KEPT_MS }),
  rule({ table: 'imports', by: 'id', keptMs: IMPORTS_KEPT_MS, only: () => sql`t.ended_at is not null and not t.has_file` }),
  { table: 'enrollment_steps', isById: true, pruneBatch: pruneTraces },
];

function rule({ table, by, keptMs, among = ALWAYS, only = () => ALWAYS, unless = () => NOTHING }: Rule): Expiring {
  const [name, column] = [sql.table(table), sql.ref(`t.${by}`)];
  const isById = by === 'id';
  const type = sql.raw(isById ? 'uuid' : 'timestamptz');
  return {
    ...{ table, isById },
    async pruneBatch(em, { now, after, limit, dryRun }) {
      const before = new Date(now.getTime() - keptMs);
      const end = isById ? idOf(before) : before.toISOString();
      const beyond = after ? sql`and (${column}, t.ctid) > (${after.at}::${type}, ${after.ctid}::tid)` : sql``;
      const found = await row(
        em,
        sql<{ pruned: number; looked: number; at: string; ctid: string }>`
          with batch as materialized (
            select t.ctid as place, ${column} as at, (${only(before, now)}) and not coalesce((${unless(before)}), false) as goes from ${name} t
            where ${column} < ${end}::${type} and ${among} ${beyond} order by ${column}, t.ctid limit ${limit}
          ), gone as (
            delete from ${name} t using batch p
            where t.ctid = p.place and p.goes and ${among} and (${only(before, now)}) and not ${dryRun}::boolean returning 1
          ), latest as (select at, place from batch order by at desc, place desc limit 1)
          select case when ${dryRun}::boolean then (select count(*) from batch where goes) else (select count(*) from gone) end as pruned,
                 (select count(*) from batch) as looked, l.at::text as at, l.place::text as ctid
          from (select 1) one left join latest l on true`,
      );
      return pageOf(found, limit);
    },
  };
}

/**
 * Traces go as a whole. Enrollments are found by their steps, so that those without are never looked at again; ids of version 7 begin with
 * their time, and what has ended so long ago began before it.
 */
async function pruneTraces(em: EntityManager, { now, after, limit, dryRun }: PruneRequest): Promise<PrunedBatch> {
  const before = new Date(now.getTime() - TRACES_KEPT_MS);
  const found = await row(
    em,
    sql<{ pruned: number; looked: number; at: string; ctid: string }>`
      with recursive runs (id, place) as (
        (select s.enrollment_id, 1 from enrollment_steps s
         where s.enrollment_id > ${after?.at ?? LOWEST_ID}::uuid and s.enrollment_id < ${idOf(before)}::uuid order by s.enrollment_id limit 1)
        union all
        select next.id, r.place + 1 from runs r cross join lateral (
          select s.enrollment_id as id from enrollment_steps s
          where s.enrollment_id > r.id and s.enrollment_id < ${idOf(before)}::uuid order by s.enrollment_id limit 1) next
        where r.place < ${limit}
      ), over as materialized (
        select r.id from runs r join enrollments e on e.id = r.id where e.status <> 'active' and e.ended_at < ${before}
      ), gone as (
        delete from enrollment_steps s using over o where s.enrollment_id = o.id and not ${dryRun}::boolean returning 1)
      select case when ${dryRun}::boolean then (select count(*) from enrollment_steps s join over o on o.id = s.enrollment_id)
                  else (select count(*) from gone) end as pruned,
             (select count(*) from runs) as looked, (select id::text from runs order by place desc limit 1) as at, '' as ctid`,
  );
  return pageOf(found, limit);
}

function pageOf(found: { pruned: number; looked: number; at: string; ctid: string } | undefined, limit: number): PrunedBatch {
  const { pruned, looked, at, ctid } = found!;
  return { pruned: Number(pruned), place: Number(looked) < limit ? null : { at, ctid } };
}

/** The least UUIDv7 of an instant. */
function idOf(at: Date): string {
  const time = at.getTime().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}
