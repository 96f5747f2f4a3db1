import { type RawBuilder, sql } from 'kysely';
import { Sequence, type SequenceRow } from '../entities/index.ts';
import type { EntityManager } from '../orm.ts';
import { row, rows } from '../rows.ts';
import { cancelRuns } from './enrollments.ts';
import { IS_OVER } from './is-over.ts';

/** So many runs end in one transaction: few enough that nobody waits long for their rows. */
export const RUNS_AT_ONCE = 1_000;

/** The sequences that have runs to end, or rows to delete, the longest waiting first. */
export async function endingSequences(em: EntityManager): Promise<string[]> {
  return (await rows(em, sql<{ id: string }>`select id from sequences where is_ending order by archived_at`)).map(({ id }) => id);
}

/**
 * Ends the next runs of an archived sequence, at most RUNS_AT_ONCE; of a deleted one it deletes them, and in the end the sequence. Of two
 * at once one waits for the other, or passes by where `passBusy` says so. Returns whether there may be more to do.
 */
export async function endSomeRuns(
  em: EntityManager,
  sequenceId: string,
  { now, passBusy = false }: { readonly now: Date; readonly passBusy?: boolean },
): Promise<boolean> {
  return em.transactional(async (tx) => {
    const sequence = await row(
      tx,
      sql<Pick<SequenceRow, 'deleted_at'>>`
        select deleted_at from sequences where id = ${sequenceId} and is_ending
        for no key update ${passBusy ? sql`skip locked` : sql``}`,
    );
    if (!sequence) return false;
    if (sequence.deleted_at === null) {
      const ids = await lockSome(tx, toEndIn(sequenceId));
      await cancelRuns(tx, ids, 'archived', now);
      if (ids.length === 0) await tx.nativeUpdate(Sequence, { id: sequenceId }, { is_ending: false });
      return ids.length > 0;
    }
    if (await deleteSomeRuns(tx, sequenceId, now)) return true;
    // Those that are entering it hold the row in share mode; when they are through nobody enters any more.
    await row(tx, sql`select 1 from sequences where id = ${sequenceId} for update`);
    if (await deleteSomeRuns(tx, sequenceId, now)) return true;
    await tx.nativeDelete(Sequence, { id: sequenceId });
    return false;
  });
}

/** Returns whether there were any. */
async function deleteSomeRuns(tx: EntityManager, sequenceId: string, now: Date): Promise<boolean> {
  const ids = await lockSome(tx, sql`e.sequence_id = ${sequenceId}`);
  if (ids.length === 0) return false;
  await cancelRuns(tx, ids, 'cancelled', now);
  await row(tx, sql`delete from enrollments where id = any(${ids}::uuid[])`);
  return true;
}

function toEndIn(sequenceId: string): RawBuilder<unknown> {
  return sql`e.sequence_id = ${sequenceId} and e.status = 'active' and exists (
    select 1 from sequences s where s.id = e.sequence_id and ${IS_OVER})`;
}

/** Any of those that match, locked in the one order in which everybody locks several. */
async function lockSome(tx: EntityManager, which: RawBuilder<unknown>): Promise<string[]> {
  const locked = await rows(
    tx,
    sql<{ id: string }>`
      select id from enrollments where id in (select e.id from enrollments e where ${which} limit ${RUNS_AT_ONCE}) order by id for update`,
  );
  return locked.map(({ id }) => id);
}
