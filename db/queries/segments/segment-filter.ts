import { type RawBuilder, sql } from 'kysely';
import type { SegmentFilter } from '../../../domain/segments/segment.ts';
import { conditionSql } from '../conditions/condition-sql.ts';

/** What decides who is in a segment. */
export interface SegmentRule {
  readonly filter: SegmentFilter;
  /** Only contacts of this brand. */
  readonly brand_id: string | null;
}

/**
 * The condition under which a row of `contacts` is in the segment, for counts, audiences and conditions alike. `alias` is the name under
 * which the statement knows the contacts; the statement itself names the project.
 */
export function inSegment({ filter, brand_id }: SegmentRule, alias: string): RawBuilder<boolean> {
  const column = (name: string): RawBuilder<unknown> => sql.ref(`${alias}.${name}`);
  const conditions: RawBuilder<unknown>[] = [];
  if (filter.source != null) conditions.push(sql`${column('source')} = ${filter.source}`);
  if (filter.status != null) conditions.push(sql`${column('status')} = any(${[filter.status].flat()}::text[])`);
  if (filter.tags != null) conditions.push(sql`${column('tags')} @> ${filter.tags}::text[]`);
  if (filter.where != null) conditions.push(conditionSql(filter.where, alias));
  if (brand_id !== null) conditions.push(sql`${column('brand_id')} = ${brand_id}`);
  return conditions.length === 0 ? sql`true` : sql`(${sql.join(conditions, sql` and `)})`;
}
