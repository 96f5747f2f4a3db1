import type { Readable } from 'node:stream';
import type { ContactImportRow } from '../../db/entities/index.ts';
import { MAX_IMPORT_ROW_KB } from '../../domain/contacts/import.ts';
import { type ImportedRow, type RefusedRow, readRow } from '../../domain/contacts/import-row.ts';
import { CsvFault, readCsv } from '../../platform/csv/read-csv.ts';

/** One row of the file, read. */
export interface ReadRow {
  /** From 1. */
  readonly row: number;
  readonly cells: readonly string[];
  readonly read: ImportedRow | RefusedRow;
}

/** Rows that are written together, and between which bytes of the file they are. */
export interface ImportPortion {
  readonly from: number;
  readonly to: number;
  readonly rows: readonly ReadRow[];
}

/** Rows of one transaction. */
const PORTION = 2_000;

/** The rest of an import's file, from where it is, portion by portion. Throws CsvFault, after what is before it. */
export async function* readPortions(
  source: Readable,
  { settings, read_to, rows: done }: Pick<ContactImportRow, 'settings' | 'read_to' | 'rows'>,
): AsyncGenerator<ImportPortion> {
  let [from, row] = [read_to, done];
  let rows: ReadRow[] = [];
  let to = from;
  const form = { delimiter: settings.delimiter, maxRecordBytes: MAX_IMPORT_ROW_KB * 1024 };
  let fault: CsvFault | undefined;
  try {
    for await (const records of readCsv(source, form)) {
      for (const { cells, end } of records) {
        row++;
        to = read_to + end;
        rows.push({ row, cells, read: readRow(cells, settings) });
        if (rows.length < PORTION) continue;
        yield { from, to, rows };
        [from, rows] = [to, []];
      }
    }
  } catch (error) {
    if (!(error instanceof CsvFault)) throw error;
    fault = error;
  }
  if (rows.length > 0) yield { from, to, rows };
  if (fault) throw fault;
}
