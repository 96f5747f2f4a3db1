import type { ContactImportRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { keepRefusedRows, type RefusedWrite, refreshContactStatistics } from '../../db/queries/contacts/import-rows.ts';
import { endImport, importById, keepImport, lockImport } from '../../db/queries/contacts/imports.ts';
import { brandExists } from '../../db/queries/projects/brands.ts';
import { addRefused, firstProblems, MAX_IMPORT_ROWS, type RowProblem } from '../../domain/contacts/import.ts';
import type { RowOutcome } from '../../domain/contacts/import-plan.ts';
import { type ImportedRow, isRefused } from '../../domain/contacts/import-row.ts';
import { grouped } from '../../domain/shown-text.ts';
import { CsvFault } from '../../platform/csv/read-csv.ts';
import type { ImportReport } from '../../workflows/contracts.ts';
import type { FileStore } from '../files/file-store.ts';
import { importKey } from './begin-import.ts';
import { type ImportPortion, type ReadRow, readPortions } from './read-import.ts';
import { writeRows } from './write-portion.ts';

export interface ImportDeps {
  readonly files: Pick<FileStore, 'owned'>;
  readonly now: () => Date;
  readonly newId: () => string;
}

interface Turn {
  readonly signal: AbortSignal;
  /** Called after each portion. */
  readonly progress: (said: string) => void;
}

/**
 * Portion after portion until the file is read, the import is paused or ended by others, or the signal comes. What becomes of a portion's rows and how
 * far the file is read are one transaction, so that each row counts once, whatever process dies.
 */
export async function importInPortions(em: EntityManager, deps: ImportDeps, id: string, { signal, progress }: Turn): Promise<ImportReport> {
  const found = await importById(em, id);
  if (!found) return { state: 'ended', said: 'it is gone' };
  const standing = reportOf(found);
  if (standing.state !== 'more') return standing;
  if (!(await brandExists(em, found.project_id, found.settings.brand))) return end(em, found, 'failed', 'its brand is gone');
  if (found.read_to >= found.size) return end(em, found, 'completed');
  const source = await deps.files.owned.open(importKey(id), found.read_to);
  if (!source) return end(em, found, 'failed', 'its file is gone');
  // A turn that ends before the file does breaks it off.
  source.on('error', () => undefined);
  const portions = readPortions(source, found);
  try {
    // The next one is read while one is written.
    let next = portions.next();
    for (;;) {
      const { value: portion, done } = await next;
      if (done) return end(em, found, 'completed');
      next = portions.next();
      next.catch(() => undefined);
      const report = await em.transactional((tx) => keepPortion(tx, deps, found, portion));
      progress(report.said);
      if (report.state !== 'more' || signal.aborted) return report;
    }
  } catch (error) {
    if (!(error instanceof CsvFault)) throw error;
    return end(em, found, 'failed', error.message);
  } finally {
    source.destroy();
    await portions.return(undefined).catch(() => undefined);
  }
}

async function keepPortion(
  tx: EntityManager,
  deps: ImportDeps,
  { id }: Pick<ContactImportRow, 'id'>,
  portion: ImportPortion,
): Promise<ImportReport> {
  const before = await lockImport(tx, id);
  if (!before) return { state: 'ended', said: 'it is gone' };
  const standing = reportOf(before);
  // Others have read on: this one begins anew where they are.
  if (standing.state !== 'more' || before.read_to !== portion.from) return standing;
  if (before.rows + portion.rows.length > MAX_IMPORT_ROWS) {
    await endImport(tx, id, 'failed', `it has more than ${grouped(MAX_IMPORT_ROWS)} rows`);
    return { ...standing, state: 'ended' };
  }
  const outcomes = await outcomesOf(tx, deps, before, portion.rows);
  const refused = portion.rows.flatMap((read, index) => refusalOf(read, outcomes[index] as RowOutcome) ?? []);
  await keepRefusedRows(tx, id, refused);
  const count = (which: RowOutcome): number => outcomes.filter((outcome) => outcome === which).length;
  const after = {
    read_to: portion.to,
    rows: before.rows + portion.rows.length,
    inserted: before.inserted + count('inserted'),
    updated: before.updated + count('updated'),
    unchanged: before.unchanged + count('unchanged'),
    refused: before.refused + refused.length,
    reasons: addRefused(before.reasons, refused),
    problems: firstProblems(before.problems, problemsOf(portion.rows, outcomes)),
  };
  await keepImport(tx, id, after);
  return reportOf({ ...before, ...after });
}

/** Of all rows of a portion, those that could not be read among them. */
async function outcomesOf(
  tx: EntityManager,
  deps: ImportDeps,
  into: ContactImportRow,
  rows: readonly ReadRow[],
): Promise<readonly RowOutcome[]> {
  const readable = rows.flatMap(({ read }): ImportedRow[] => (isRefused(read) ? [] : [read]));
  const written = await writeRows(tx, readable, into, { now: deps.now(), newId: deps.newId });
  let next = 0;
  return rows.map(({ read }) => (isRefused(read) ? read : (written[next++] as RowOutcome)));
}

function refusalOf({ row, cells }: ReadRow, outcome: RowOutcome): RefusedWrite | undefined {
  if (typeof outcome === 'string') return undefined;
  const { reason, column, message, email } = outcome;
  return { row, reason, message: column === null ? message : `${column}: ${message}`, email, cells: cells.map(storable) };
}

/** PostgreSQL holds no NUL. */
function storable(cell: string): string {
  return cell.replaceAll('\0', '');
}

function problemsOf(rows: readonly ReadRow[], outcomes: readonly RowOutcome[]): RowProblem[] {
  return rows.flatMap(({ row }, index) => {
    const outcome = outcomes[index] as RowOutcome;
    if (typeof outcome === 'string') return [];
    const { reason, column, message } = outcome;
    return [{ row, column, reason, message }];
  });
}

/** After so many new contacts lists and exports of the project would be read by plans for a small one. */
const VERY_MANY = 10_000;

async function end(
  em: EntityManager,
  { id }: Pick<ContactImportRow, 'id'>,
  status: 'completed' | 'failed',
  error?: string,
): Promise<ImportReport> {
  if (((await importById(em, id))?.inserted ?? 0) >= VERY_MANY) await refreshContactStatistics(em);
  await em.transactional((tx) => endImport(tx, id, status, error ?? null));
  const ended = await importById(em, id);
  return ended ? reportOf(ended) : { state: 'ended', said: 'it is gone' };
}

function reportOf(at: ContactImportRow): ImportReport {
  const { status, rows, inserted, updated, unchanged, refused, read_to, size } = at;
  const state = status === 'running' ? 'more' : status === 'paused' ? 'held' : 'ended';
  const share = size === 0 ? 100 : Math.floor((read_to / size) * 100);
  const counts = `${grouped(inserted)} new, ${grouped(updated)} changed, ${grouped(unchanged)} unchanged, ${grouped(refused)} refused`;
  return { state, said: `${grouped(rows)} rows, ${share} % of the file: ${counts}${state === 'more' ? '' : `; ${status}`}` };
}
