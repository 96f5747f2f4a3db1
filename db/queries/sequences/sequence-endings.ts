import { type RawBuilder, sql } from 'kysely';
import { type EnrollmentRow, Sequence, type SequenceRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { row, rows } from '../../rows.ts';
import { anyOf, tables } from '../../tables.ts';
import { IS_OVER } from './is-over.ts';

/** So many runs end in one transaction: few enough that nobody waits long for their rows. */
export const RUNS_AT_ONCE = 1_000;

/** The sequences that have runs to end, or rows to delete, the longest waiting first. */
export async function endingSequences(em: EntityManager): Promise<string[]> {
  const ending = await tables(em).selectFrom('sequences').select('id').where('is_ending', '=', true).orderBy('archived_at').execute();
  return ending.map(({ id }) => id);
}

/** A sequence that is ending, with its row locked; with `passBusy` none that another transaction has locked. */
export async function lockEnding(
  tx: EntityManager,
  id: string,
  { passBusy }: { readonly passBusy: boolean },
): Promise<Pick<SequenceRow, 'deleted_at'> | undefined> {
  return row(
    tx,
    sql<Pick<SequenceRow, 'deleted_at'>>`
      select deleted_at from sequences where id = ${id} and is_ending for no key update ${passBusy ? sql`skip locked` : sql``}`,
  );
}

/** Waits for those that are entering the sequence, who hold its row in share mode; nobody enters it any more then. */
export async function keepOthersOut(tx: EntityManager, id: string): Promise<void> {
  await row(tx, sql`select 1 from sequences where id = ${id} for update`);
}

/** Locks some active runs that are over. */
export async function lockRunsToEnd(tx: EntityManager, sequenceId: string): Promise<string[]> {
  return lockSome(
    tx,
    sql`e.sequence_id = ${sequenceId} and e.status = 'active' and exists (
      select 1 from sequences s where s.id = e.sequence_id and ${IS_OVER})`,
  );
}

/** Locks some runs, active or not. */
export async function lockRunsToDelete(tx: EntityManager, sequenceId: string): Promise<string[]> {
  return lockSome(tx, sql`e.sequence_id = ${sequenceId}`);
}

export async function deleteRuns(tx: EntityManager, ids: readonly string[]): Promise<void> {
  await tables(tx).deleteFrom('enrollments').where('id', '=', anyOf(ids)).execute();
}

/** All that was to end has ended. */
export async function finishEnding(tx: EntityManager, id: string): Promise<void> {
  await tx.nativeUpdate(Sequence, { id }, { is_ending: false });
}

export async function removeSequence(tx: EntityManager, id: string): Promise<void> {
  await tx.nativeDelete(Sequence, { id });
}

/** Any of those that match, locked in the one order in which everybody locks several. */
async function lockSome(tx: EntityManager, which: RawBuilder<unknown>): Promise<string[]> {
  const locked = await rows(
    tx,
    sql<Pick<EnrollmentRow, 'id'>>`
      select id from enrollments where id in (select e.id from enrollments e where ${which} limit ${RUNS_AT_ONCE}) order by id for update`,
  );
  return locked.map(({ id }) => id);
}
