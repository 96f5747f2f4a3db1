import { type RawBuilder, sql } from 'kysely';
import { EVENTS_KEPT_MS } from '../../../domain/operations/retention.ts';
import { sandboxedType } from '../../../domain/sequences/event-type.ts';
import type { EntityManager } from '../../orm.ts';
import { row, rows } from '../../rows.ts';
import { counter } from '../operations/counters.ts';

/** Of each list, for choosing in forms: whoever has more knows the name. */
export const MOST_NAMES = 1_000;
/** The contacts whose attributes are looked at: so many of the newest and as many of the oldest. */
export const SAMPLED_EACH_WAY = 500;

export interface UsedTag {
  readonly tag: string;
  /** How many have it now, exactly. */
  readonly contacts: number;
}

/** The CTE `names (name, place)`: what the column has in the project, by name. Each is found by a step through an index, however many rows have it. */
function namesIn(table: 'contact_tag_counts' | 'contacts', column: 'tag' | 'source', projectId: string): RawBuilder<unknown> {
  const [from, name] = [sql.table(table), sql.ref(column)];
  return sql`names (name, place) as (
        (select ${name}, 1 from ${from} where project_id = ${projectId} order by ${name} limit 1)
        union all
        select next.name, n.place + 1 from names n cross join lateral (
          select ${name} as name from ${from} where project_id = ${projectId} and ${name} > n.name order by ${name} limit 1) next
        where n.place < ${sql.lit(MOST_NAMES)}
      )`;
}

/** The tags that contacts of the project have, by name. */
export async function usedTags(em: EntityManager, projectId: string): Promise<UsedTag[]> {
  return rows(
    em,
    sql<UsedTag>`
      with recursive ${namesIn('contact_tag_counts', 'tag', projectId)},
      counted as (select name as tag, ${counter(projectId, { tag: sql.ref('names.name') })} as contacts from names)
      select tag, contacts from counted where contacts > 0 order by tag`,
  );
}

/** Where contacts of the project come from, by name. */
export async function usedSources(em: EntityManager, projectId: string): Promise<string[]> {
  const found = await rows(
    em,
    sql<{ name: string }>`with recursive ${namesIn('contacts', 'source', projectId)} select name from names order by name`,
  );
  return found.map(({ name }) => name);
}

export interface UsedAttribute {
  readonly name: string;
  readonly types: readonly string[];
  /** How many of the sample have it. */
  readonly contacts: number;
}

/** The attributes that the newest and the oldest contacts of the project have, those that most have first. */
export async function usedAttributes(
  em: EntityManager,
  projectId: string,
): Promise<{ readonly sampled: number; readonly attributes: readonly UsedAttribute[] }> {
  const found = await row(
    em,
    sql<{ sampled: number; attributes: UsedAttribute[] | null }>`
      with sample as materialized (
        (select id, attributes from contacts where project_id = ${projectId} order by created_at desc, id desc limit ${sql.lit(SAMPLED_EACH_WAY)})
        union
        (select id, attributes from contacts where project_id = ${projectId} order by created_at, id limit ${sql.lit(SAMPLED_EACH_WAY)})
      ), used as (
        select key as name, array_agg(distinct jsonb_typeof(value) order by jsonb_typeof(value)) as types, count(*) as contacts
        from sample, jsonb_each(attributes) group by key order by count(*) desc, key limit ${sql.lit(MOST_NAMES)}
      )
      select (select count(*) from sample) as sampled, (select json_agg(u) from used u) as attributes`,
  );
  return { sampled: found?.sampled ?? 0, attributes: found?.attributes ?? [] };
}

export interface SeenEvent {
  readonly type: string;
  /** To the hour. */
  readonly last_seen_at: Date;
}

/** The types of the product events that are kept, the latest first; none that no call may name. */
export async function seenEventTypes(em: EntityManager, projectId: string, now: Date): Promise<SeenEvent[]> {
  const since = new Date(now.getTime() - EVENTS_KEPT_MS);
  return rows(
    em,
    sql<SeenEvent>`
      select type, last_seen_at from event_types where project_id = ${projectId} and last_seen_at >= ${since} and not starts_with(type, ${sandboxedType('')})
      order by last_seen_at desc, type limit ${sql.lit(MOST_NAMES)}`,
  );
}

/**
 * Notes that an event of the type came. Types are the callers' own words, so only so many of a project are kept: a further one waits until
 * one of those is forgotten. In no transaction that locks anything else.
 */
export async function noteEventType(em: EntityManager, projectId: string, type: string, now: Date): Promise<void> {
  const hash = sql`sha256(convert_to(${type}, 'UTF8'))`;
  await row(
    em,
    sql`
      insert into event_types (project_id, type_hash, type, last_seen_at)
      select ${projectId}, ${hash}, ${type}, ${now}
      where exists (select 1 from event_types where project_id = ${projectId} and type_hash = ${hash})
        or (select count(*) from event_types where project_id = ${projectId}) < ${sql.lit(MOST_NAMES)}
      on conflict (project_id, type_hash) do update set last_seen_at = greatest(event_types.last_seen_at, excluded.last_seen_at)`,
  );
}
