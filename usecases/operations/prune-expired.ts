import type { EntityManager } from '../../db/orm.ts';
import { EXPIRING, type PrunePlace } from '../../db/queries/operations/expired.ts';

/** Rows that one statement looks at: it is over in some tens of milliseconds. */
const BATCH = 2_000;

/** Where walks that were cut off go on, by their place in EXPIRING. */
export type PrunePlaces = Map<number, PrunePlace>;

export interface PruneOptions {
  readonly now: Date;
  readonly dryRun?: boolean;
  /** How long all tables together may take; each gets its share, and a batch at least. As long as it takes when omitted. */
  readonly limitMs?: number;
  /** Of the call before, which had a limit. */
  readonly places?: PrunePlaces;
  readonly batchSize?: number;
  /** Rows of this table so far; called after each batch. */
  readonly onBatch?: (table: string, pruned: number) => void;
}

/**
 * Deletes what is kept for a time only (domain/operations/retention.ts), a batch after the other, and nothing that something running still holds. Any
 * number may do so at once, beside all other work. Returns how many rows went of each table.
 */
export async function pruneExpired(
  em: EntityManager,
  { now, dryRun = false, limitMs = Number.POSITIVE_INFINITY, places = new Map(), batchSize = BATCH, onBatch }: PruneOptions,
): Promise<Record<string, number>> {
  const begun = Date.now();
  const pruned: Record<string, number> = {};
  for (const [index, { table, pruneBatch }] of EXPIRING.entries()) {
    const until = begun + (limitMs * (index + 1)) / EXPIRING.length;
    let after = places.get(index) ?? null;
    do {
      const batch = await pruneBatch(em, { now, after, limit: batchSize, dryRun });
      pruned[table] = (pruned[table] ?? 0) + batch.pruned;
      after = batch.place;
      onBatch?.(table, pruned[table]);
    } while (after && Date.now() < until);
    if (after) places.set(index, after);
    else places.delete(index);
  }
  return pruned;
}
