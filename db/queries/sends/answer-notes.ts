import type { EntityManager } from '../../orm.ts';
import { tables } from '../../tables.ts';

/** What the first answer about this send said beside its outcome, as JSON; null: nothing. */
export async function readAnswerNotes(em: EntityManager, sendId: string): Promise<string | null> {
  const found = await tables(em).selectFrom('sends').select('answer_notes').where('id', '=', sendId).executeTakeFirst();
  return found?.answer_notes ?? null;
}
