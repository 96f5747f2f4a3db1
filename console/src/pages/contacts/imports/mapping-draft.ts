import type { ImportColumns } from './import-queries.ts';

type CellType = 'text' | 'number' | 'boolean';
/** What a column is, as the API takes it; null: nothing. */
type Mapped = string | { readonly field: string; readonly type: CellType } | null;

/** What a column of a file is to be, while that is chosen. */
export interface ColumnDraft {
  readonly name: string;
  /** Another column has the same name, so that nothing can be said of this one. */
  readonly isTwice: boolean;
  /** A field of the API, `attribute`, or '' for nothing. */
  readonly choice: string;
  readonly attribute: string;
  readonly type: CellType;
  /** Its first values that are not empty. */
  readonly samples: readonly string[];
}

/** Chosen in place of a field of the API. */
export const ATTRIBUTE = 'attribute';
const ATTRIBUTES = 'attributes.';
const MOST_SAMPLES = 3;

/** Columns as the API takes them by themselves. */
export function draftOfColumns({ columns, rows }: Pick<ImportColumns, 'columns' | 'rows'>): readonly ColumnDraft[] {
  return columns.map(({ name, field }, index) => {
    const isAttribute = field?.startsWith(ATTRIBUTES) ?? false;
    return {
      name,
      isTwice: columns.some((other, at) => at !== index && other.name === name),
      choice: isAttribute ? ATTRIBUTE : (field ?? ''),
      attribute: isAttribute ? (field ?? '').slice(ATTRIBUTES.length) : attributeOf(name),
      type: 'text',
      samples: rows.flatMap((cells) => cells[index]?.trim() || []).slice(0, MOST_SAMPLES),
    };
  });
}

/** What an attribute would be called that a column becomes. */
function attributeOf(name: string): string {
  return name.trim().toLowerCase().replaceAll(/\s+/g, '_');
}

/** All columns, as the API takes them: what is shown is what becomes of them. */
export function mappingOf(columns: readonly ColumnDraft[]): Record<string, Mapped> {
  return Object.fromEntries(columns.map((column) => [column.name, fieldOf(column)]));
}

function fieldOf({ choice, attribute, type, isTwice }: ColumnDraft): Mapped {
  if (choice === '' || isTwice) return null;
  if (choice !== ATTRIBUTE) return choice;
  return type === 'text' ? ATTRIBUTES + attribute.trim() : { field: ATTRIBUTES + attribute.trim(), type };
}

/** What is wrong with each column, by its place; undefined where nothing is. */
export function columnFaults(columns: readonly ColumnDraft[]): readonly (string | undefined)[] {
  const fields = columns.map((column) => textOf(fieldOf(column)));
  return columns.map((column, index) => {
    if (column.choice === ATTRIBUTE && column.attribute.trim() === '') return 'Enter a name';
    const field = fields[index];
    return field && fields.indexOf(field) < index ? 'Another column is this already' : undefined;
  });
}

/** Whether a column is the email, without which nobody is imported. */
export function hasEmail(columns: readonly ColumnDraft[]): boolean {
  return columns.some(({ choice, isTwice }) => choice === 'email' && !isTwice);
}

/** Whether a column has tags, which are separated then. */
export function hasTags(columns: readonly ColumnDraft[]): boolean {
  return columns.some(({ choice, isTwice }) => choice === 'tags' && !isTwice);
}

function textOf(field: Mapped): string | null {
  return typeof field === 'string' ? field : (field?.field ?? null);
}
