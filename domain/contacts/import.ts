import type { ImportColumn } from './import-columns.ts';

/** Bytes of the file of an import: a million rows of 250 bytes. */
export const MAX_IMPORT_MB = 256;
export const MAX_IMPORT_ROWS = 1_000_000;
export const MAX_IMPORT_COLUMNS = 200;
/** Of one row, with all of its cells: a quotation mark that nobody closes takes no more than this. */
export const MAX_IMPORT_ROW_KB = 64;
/** Running and paused ones of a project. */
export const MOST_OPEN_IMPORTS = 5;
/** The first problems are told with the import itself. */
export const MOST_IMPORT_PROBLEMS = 100;

export const IMPORT_STATUSES = ['running', 'paused', 'completed', 'cancelled', 'failed'] as const;

/** How an import stands. `failed`: its file cannot be read on. */
export type ImportStatus = (typeof IMPORT_STATUSES)[number];

/** What an import may find wrong with a row, which it refuses then. */
export const ROW_REFUSALS = {
  email_missing: 'it has no address',
  email_invalid: 'its address is none that mail can be sent to',
  invalid_value: 'a cell has a value that its field does not take',
  not_utf8: 'it has bytes that are not UTF-8',
  too_many_cells: 'it has more cells than there are columns',
  too_many_tags: 'the contact would have more tags than a contact may have',
  attributes_too_large: 'the attributes of the contact would be more, or larger, than they may be',
} as const;

export type RowRefusal = keyof typeof ROW_REFUSALS;

/** What an existing contact gets of its row: all that it says, or its refusals of mail alone. */
export type OnExisting = 'update' | 'skip';

/** How the file is to be read, and what its rows come to. */
export interface ImportSettings {
  readonly delimiter: string;
  /** Whether the first row has the names of the columns. */
  readonly header: boolean;
  readonly columns: readonly ImportColumn[];
  readonly tagSeparator: string;
  readonly onExisting: OnExisting;
  /** Of every contact of the file, beside those of its row. */
  readonly tags: readonly string[];
  /** Of new contacts. */
  readonly brand: string;
}

/** One row that was refused. */
export interface RowProblem {
  /** From 1, the names of the columns not counted. */
  readonly row: number;
  /** The name of the column, where one of the cells is wrong. */
  readonly column: string | null;
  readonly reason: RowRefusal;
  readonly message: string;
}

/** What the rows that were read have come to. */
export interface ImportCounts {
  readonly rows: number;
  /** Became contacts. */
  readonly inserted: number;
  /** Changed an existing contact. */
  readonly updated: number;
  /** Said nothing new. */
  readonly unchanged: number;
  readonly refused: number;
}

export const NOTHING_IMPORTED: ImportCounts = { rows: 0, inserted: 0, updated: 0, unchanged: 0, refused: 0 };

/** How many were refused for each reason. */
export type RefusedByReason = Readonly<Partial<Record<RowRefusal, number>>>;

/** Both together. */
export function addRefused(before: RefusedByReason, problems: readonly Pick<RowProblem, 'reason'>[]): RefusedByReason {
  const counts = { ...before };
  for (const { reason } of problems) counts[reason] = (counts[reason] ?? 0) + 1;
  return counts;
}

/** The first problems of an import, after some more. */
export function firstProblems(before: readonly RowProblem[], more: readonly RowProblem[]): readonly RowProblem[] {
  const room = MOST_IMPORT_PROBLEMS - before.length;
  return room > 0 && more.length > 0 ? [...before, ...more.slice(0, room)] : before;
}
