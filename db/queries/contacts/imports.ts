import { sql } from 'kysely';
import { type ImportStatus, MOST_OPEN_IMPORTS } from '../../../domain/contacts/import.ts';
import { columnsOf } from '../../columns.ts';
import { type KeysetPage, type Place, pageOf } from '../../cursor-page.ts';
import { ContactImport, type ContactImportRow, type ProjectRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { row, rows } from '../../rows.ts';
import { openRows } from '../operations/open-rows.ts';

const IMPORT = columnsOf(ContactImport, 'i');

/** One that has its workflow. */
export const IS_OPEN_IMPORT = sql.raw(`i.status in ('running', 'paused')`);

/** What is known before its file is kept. */
export type NewImport = Pick<ContactImportRow, 'id' | 'project_id' | 'key_id' | 'filename' | 'size' | 'settings' | 'dry_run' | 'read_to'>;

/** Before its file is kept, so that the file of whoever dies has a row. Undefined where the project has as many open ones as it may, however many ask at once. */
export async function insertImport(tx: EntityManager, asked: NewImport): Promise<ContactImportRow | undefined> {
  const { id, project_id, key_id, filename, size, settings, dry_run, read_to } = asked;
  await row(tx, sql`select 1 from projects where id = ${project_id} for no key update`);
  return row(
    tx,
    sql<ContactImportRow>`
      insert into imports as i (id, project_id, key_id, filename, size, settings, dry_run, read_to)
      select ${id}::uuid, ${project_id}::uuid, ${key_id}::uuid, ${filename}::text, ${size}::bigint, ${JSON.stringify(settings)}::jsonb,
             ${dry_run}::boolean, ${read_to}::bigint
      where (select count(*) from imports i where i.project_id = ${project_id} and (${IS_OPEN_IMPORT} or i.status = 'receiving')) < ${sql.lit(MOST_OPEN_IMPORTS)}
      returning ${IMPORT}`,
  );
}

/** Its file is kept, and it runs, or waits for a word. Undefined where the sweep has taken it for one that nobody stores any more. */
export async function beginImport(tx: EntityManager, id: string, status: 'running' | 'paused'): Promise<ContactImportRow | undefined> {
  return row(
    tx,
    sql<ContactImportRow>`update imports i set status = ${status} where i.id = ${id} and i.status = 'receiving' returning ${IMPORT}`,
  );
}

/** With its row locked against its end, and against whoever reads the same. */
export async function lockImport(tx: EntityManager, id: string): Promise<ContactImportRow | undefined> {
  return row(tx, sql<ContactImportRow>`select ${IMPORT} from imports i where i.id = ${id} for no key update`);
}

export async function importById(em: EntityManager, id: string): Promise<ContactImportRow | undefined> {
  return row(em, sql<ContactImportRow>`select ${IMPORT} from imports i where i.id = ${id}`);
}

/** One of the project. */
export async function findImport(em: EntityManager, projectId: string, id: string): Promise<ContactImportRow | undefined> {
  return row(
    em,
    sql<ContactImportRow>`select ${IMPORT} from imports i where i.id = ${id} and i.project_id = ${projectId} and i.status <> 'receiving'`,
  );
}

/** Those of a project, the newest first. */
export async function listImports(
  em: EntityManager,
  projectId: string,
  { status }: { readonly status: ImportStatus | undefined },
  place: Place,
): Promise<KeysetPage<ContactImportRow>> {
  const which = status ? sql`i.status = ${status}` : sql`i.status <> 'receiving'`;
  return pageOf(place, (bounds) =>
    rows(
      em,
      sql<ContactImportRow>`select * from (select ${IMPORT} from imports i where i.project_id = ${projectId} and ${which}) listed where ${bounds}`,
    ),
  );
}

/** What the rows up to a place of the file have come to: in one transaction with it. */
export type ImportProgress = Pick<
  ContactImportRow,
  'read_to' | 'rows' | 'inserted' | 'updated' | 'unchanged' | 'refused' | 'reasons' | 'problems'
>;

export async function keepImport(tx: EntityManager, id: string, progress: ImportProgress): Promise<void> {
  const { read_to, rows: read, inserted, updated, unchanged, refused, reasons, problems } = progress;
  await row(
    tx,
    sql`
      update imports set read_to = ${read_to}, rows = ${read}, inserted = ${inserted}, updated = ${updated}, unchanged = ${unchanged},
        refused = ${refused}, reasons = ${JSON.stringify(reasons)}::jsonb, problems = ${JSON.stringify(problems)}::jsonb
      where id = ${id}`,
  );
}

/** Ends one that is open. Whether it was. */
export async function endImport(
  tx: EntityManager,
  id: string,
  status: Exclude<ImportStatus, 'running' | 'paused'>,
  error: string | null = null,
): Promise<boolean> {
  const ended = await row(
    tx,
    sql`update imports i set status = ${status}, error = ${error}, ended_at = now() where i.id = ${id} and ${IS_OPEN_IMPORT} returning 1`,
  );
  return ended !== undefined;
}

/** Pauses one that runs, or lets a paused one go on. Whether it did. */
export async function setImportPaused(tx: EntityManager, id: string, isPaused: boolean): Promise<boolean> {
  const [from, to] = isPaused ? ['running', 'paused'] : ['paused', 'running'];
  const changed = await row(tx, sql`update imports set status = ${to} where id = ${id} and status = ${from} returning 1`);
  return changed !== undefined;
}

/** Files that nobody needs any more: of imports that have ended, and of those whose process died before it had kept all of it. */
export async function importFilesOver(em: EntityManager, receivingBefore: Date, limit: number): Promise<Pick<ContactImportRow, 'id'>[]> {
  return rows(
    em,
    sql<Pick<ContactImportRow, 'id'>>`
      select i.id from imports i
      where i.has_file and not ${IS_OPEN_IMPORT} and (i.status <> 'receiving' or i.created_at < ${receivingBefore})
      order by i.created_at limit ${limit}`,
  );
}

/** Before the file is removed: one that was being received cannot begin any more. */
export async function giveUpReceiving(em: EntityManager, id: string): Promise<void> {
  await row(
    em,
    sql`update imports set status = 'failed', error = 'its file was not kept', ended_at = now() where id = ${id} and status = 'receiving'`,
  );
}

/** Its object is removed. */
export async function forgetImportFile(em: EntityManager, id: string): Promise<void> {
  await row(em, sql`update imports i set has_file = false where i.id = ${id} and not ${IS_OPEN_IMPORT}`);
}

/** What the workflow is started with. */
export interface ImportStart extends Pick<ContactImportRow, 'id' | 'size' | 'dry_run'> {
  readonly projectSlug: ProjectRow['slug'];
}

export async function importStarts(em: EntityManager, ids: readonly string[]): Promise<ImportStart[]> {
  return rows(
    em,
    sql<ImportStart>`
      select i.id, i.size, i.dry_run, p.slug as "projectSlug" from imports i join projects p on p.id = i.project_id where i.id = any(${ids}::uuid[])`,
  );
}

/** Those that run or are paused. */
export const {
  batch: batchOfOpenImports,
  among: openImports,
  toStart: importsToStart,
} = openRows('contactImport', { table: 'imports', alias: 'i', isOpen: IS_OPEN_IMPORT });
