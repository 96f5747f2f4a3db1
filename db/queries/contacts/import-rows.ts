import { sql } from 'kysely';
import type { SuppressionReason } from '../../../domain/suppressions/suppression.ts';
import { SUPPRESSION_RULES } from '../../../domain/suppressions/suppression.ts';
import { columnsOf } from '../../columns.ts';
import { Contact, type ContactRow, type StoredRefusedRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { row, rows } from '../../rows.ts';
import { allowLongStatements } from '../operations/statement-limits.ts';

/** Contacts as they are, by their addresses; nothing is locked. */
export async function contactsByEmail(em: EntityManager, projectId: string, emails: readonly string[]): Promise<ContactRow[]> {
  // Each looked up by its index, also while the project grows: as lockContacts does.
  return rows(
    em,
    sql<ContactRow>`
      select c.* from unnest(${emails}::text[]) a(email)
      cross join lateral (select ${columnsOf(Contact, 'c')} from contacts c where c.project_id = ${projectId} and c.email = a.email limit 1) c`,
  );
}

/**
 * Has PostgreSQL look at contacts anew, as it would by itself a minute or more later. Until then it takes a project that has grown by very many for a
 * small one, and reads all of it for each page of a list. Nothing where another transaction does so, or the role does not own the table.
 */
export async function refreshContactStatistics(em: EntityManager): Promise<void> {
  await em.transactional(async (tx) => {
    await allowLongStatements(tx);
    await row(tx, sql`analyze (skip_locked) contacts`);
  });
}

/** A refused row of one import. */
export type RefusedWrite = Omit<StoredRefusedRow, 'import_id' | 'at'>;

/** Keeps rows that were refused, in one statement. */
export async function keepRefusedRows(tx: EntityManager, importId: string, refused: readonly RefusedWrite[]): Promise<void> {
  if (refused.length === 0) return;
  await row(
    tx,
    sql`
      insert into import_refusals (import_id, row, reason, message, email, cells)
      select ${importId}, w.row, w.reason, w.message, w.email, w.cells
      from jsonb_populate_recordset(null::import_refusals, ${JSON.stringify(refused)}::jsonb) w`,
  );
}

/** The next refused rows of an import, in the order of its file. */
export async function refusedRowsAfter(em: EntityManager, importId: string, after: number, limit: number): Promise<RefusedWrite[]> {
  return rows(
    em,
    sql<RefusedWrite>`
      select r.row, r.reason, r.message, r.email, r.cells from import_refusals r
      where r.import_id = ${importId} and r.row > ${after} order by r.row limit ${limit}`,
  );
}

/** An address of a file that is to get no mail. */
export interface ImportedSuppression {
  readonly email: string;
  readonly reason: SuppressionReason;
}

const REPLACING = Object.entries(SUPPRESSION_RULES).flatMap(([reason, { replaces }]) => (replaces ? [reason] : []));

/** Those of addresses, each given once, that are not on the list for the reason that they would be on it for. Nothing is locked. */
export async function newlySuppressed(em: EntityManager, projectId: string, given: readonly ImportedSuppression[]): Promise<string[]> {
  if (given.length === 0) return [];
  const found = await rows(
    em,
    sql<{ email: string }>`
      select g.email from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) g(email text, reason text)
      left join suppressions s on s.project_id = ${projectId} and s.email = g.email
      where s.email is null or (g.reason = any(${REPLACING}) and g.reason <> s.reason)`,
  );
  return found.map(({ email }) => email);
}

/** Puts addresses, each given once, on the list in their order; by the rule of a single one, which of two reasons stays. */
export async function suppressAll(tx: EntityManager, projectId: string, given: readonly ImportedSuppression[], now: Date): Promise<void> {
  if (given.length === 0) return;
  await row(
    tx,
    sql`
      with given as materialized (
        select g.email, g.reason from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) g(email text, reason text)
      ), erased as (
        delete from erased_suppressions e using given g
        where e.project_id = ${projectId} and e.address_hash = address_hash(${projectId}, g.email) returning g.email, e.reason
      )
      insert into suppressions as s (project_id, email, reason, created_at)
      select ${projectId}, g.email, case when g.reason = any(${REPLACING}) then g.reason else coalesce(e.reason, g.reason) end, ${now}
      from given g left join erased e using (email) order by g.email
      on conflict (project_id, email) do update set reason = case when excluded.reason = any(${REPLACING}) then excluded.reason else s.reason end`,
  );
}
