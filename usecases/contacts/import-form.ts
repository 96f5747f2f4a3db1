import { open } from 'node:fs/promises';
import { TextDecoder } from 'node:util';
import { type ImportSettings, MAX_IMPORT_COLUMNS, MAX_IMPORT_ROW_KB } from '../../domain/contacts/import.ts';
import { type CellType, columnField, fieldOfName, fieldText, type ImportColumn } from '../../domain/contacts/import-columns.ts';
import { type Issue, invalidRequest, noSuchTopic } from '../../domain/errors.ts';
import { CsvFault, type CsvRecord, readCsv } from '../../platform/csv/read-csv.ts';

/** What the caller says of the columns: by their names, or by their numbers from 1 where the file has no names. null: of nobody's interest. */
export type Mapping = Readonly<Record<string, string | { readonly field: string; readonly type?: CellType | undefined } | null>>;

/** What a call says of how its file is to be read. */
export interface ImportForm {
  /** undefined: it is found out. */
  readonly delimiter: string | undefined;
  readonly header: boolean;
  readonly mapping: Mapping | undefined;
}

/** The columns of the file, and where its first row of contacts begins. */
export interface FoundForm extends Pick<ImportSettings, 'delimiter' | 'columns'> {
  readonly readTo: number;
}

const DELIMITERS = [',', ';', '\t', '|'] as const;
const BEGINNING = 2 * MAX_IMPORT_ROW_KB * 1024;

/**
 * Reads the beginning of a file, which says what its columns are. Throws invalid_request with what is wrong with the file or with the mapping;
 * `topics`: keys that the project has.
 */
export async function findForm(path: string, form: ImportForm, topics: ReadonlySet<string>): Promise<FoundForm> {
  const { delimiter, columns, end } = await readForm(path, form, topics, { most: 1, isPreview: false });
  if (!columns.some(isEmail))
    refuse('settings.mapping', `no column is the email: the columns are ${shownNames(columns.map(({ name }) => name))}`);
  return { delimiter, columns, readTo: form.header ? end : 0 };
}

/** The columns of a file, as an import would read them, and its first rows of contacts. */
export interface FormPreview extends Pick<ImportSettings, 'delimiter' | 'columns'> {
  readonly rows: readonly (readonly string[])[];
}

/** The same of a file whose beginning may be all there is of it, and which may lack the email. Throws invalid_request. */
export async function previewForm(path: string, form: ImportForm, topics: ReadonlySet<string>, rows: number): Promise<FormPreview> {
  const names = form.header ? 1 : 0;
  const { delimiter, columns, records } = await readForm(path, form, topics, { most: rows + names, isPreview: true });
  return { delimiter, columns, rows: records.slice(names).map(({ cells }) => cells) };
}

function isEmail({ field }: ImportColumn): boolean {
  return field?.kind === 'email';
}

interface ReadForm extends Pick<ImportSettings, 'delimiter' | 'columns'> {
  /** The first ones, the names of the columns too. */
  readonly records: readonly CsvRecord[];
  /** Of the first one. */
  readonly end: number;
}

interface Wanted {
  /** So many records, the names of the columns too. */
  readonly most: number;
  /** Of two columns that are the same by their names the second is nothing, which is for whoever looks at them to mend. */
  readonly isPreview: boolean;
}

async function readForm(
  path: string,
  { delimiter, header, mapping }: ImportForm,
  topics: ReadonlySet<string>,
  { most, isPreview }: Wanted,
): Promise<ReadForm> {
  const beginning = await beginningOf(path);
  if (beginning.length === 0) refuse('file', 'it is empty');
  if (beginning.subarray(0, 2).equals(Buffer.from([0xff, 0xfe])) || beginning.subarray(0, 2).equals(Buffer.from([0xfe, 0xff])))
    refuse('file', 'it is UTF-16: save it as UTF-8');
  const separator = delimiter ?? likelyDelimiter(new TextDecoder().decode(beginning));
  const records = await firstRecords(beginning, separator, most);
  const [first] = records;
  if (!first) refuse('file', 'it has no row');
  const { cells, end } = first as CsvRecord;
  if (cells.length > MAX_IMPORT_COLUMNS) refuse('file', `at most ${MAX_IMPORT_COLUMNS} columns`);
  const names = cells.map((cell, index) => (header ? cell.trim() : String(index + 1)));
  const columns = mapped(names, mapping, topics, isPreview);
  return { delimiter: separator, columns, records, end };
}

function mapped(names: readonly string[], mapping: Mapping | undefined, topics: ReadonlySet<string>, isPreview: boolean): ImportColumn[] {
  const issues: Issue[] = [];
  const wrong = (name: string, message: string): null => {
    issues.push({ path: `settings.mapping.${name}`, message });
    return null;
  };
  for (const name of Object.keys(mapping ?? {}))
    if (!names.includes(name) && !isNumberOf(name, names)) wrong(name, 'the file has no such column');
  const taken = new Set<string>();
  const columns = names.map((name, index): ImportColumn => {
    const said = saidOf(mapping, names, index);
    if (said === null) return { name, field: null };
    const text = typeof said === 'string' ? said : said?.field;
    const field = text === undefined ? fieldOfName(name) : columnField(text, typeof said === 'string' ? 'text' : said?.type);
    if (text !== undefined && !field)
      return { name, field: wrong(name, 'no field of a contact: email, first_name, attributes.city, topics.news …') };
    if (!field) return { name, field: null };
    if (typeof said === 'object' && said.type !== 'text' && field.kind !== 'attribute')
      return { name, field: wrong(name, `${fieldText(field)} has a type of its own: only attributes are given one`) };
    if (field.kind === 'topic' && !topics.has(field.key)) {
      if (text === undefined && isPreview) return { name, field: null };
      const { path, message } = noSuchTopic(`settings.mapping.${name}`);
      issues.push({ path, message: text === undefined ? `${message}; null leaves the column out` : message });
      return { name, field: null };
    }
    if (taken.has(fieldText(field)) && text === undefined && isPreview) return { name, field: null };
    if (taken.has(fieldText(field))) return { name, field: wrong(name, `another column is ${fieldText(field)} already`) };
    taken.add(fieldText(field));
    return { name, field };
  });
  if (issues.length > 0) throw invalidRequest(issues);
  return columns;
}

/** Whether it is the number of a column, from 1, and the name of none. */
function isNumberOf(text: string, names: readonly string[]): boolean {
  return /^[1-9]\d{0,3}$/.test(text) && Number(text) <= names.length && !names.includes(text);
}

/** What a mapping says of a column: by its number, which tells two of one name apart, or by its name. */
function saidOf(mapping: Mapping | undefined, names: readonly string[], index: number): Mapping[string] | undefined {
  const [name, number] = [names[index] as string, String(index + 1)];
  if (!mapping) return undefined;
  if (Object.hasOwn(mapping, number) && isNumberOf(number, names)) return mapping[number];
  return Object.hasOwn(mapping, name) ? mapping[name] : undefined;
}

function shownNames(names: readonly string[]): string {
  const shown = names.slice(0, 10).map((name) => JSON.stringify(name.slice(0, 40)));
  return shown.join(', ') + (names.length > 10 ? ' …' : '');
}

async function beginningOf(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(BEGINNING), 0, BEGINNING, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

async function firstRecords(beginning: Buffer, delimiter: string, most: number): Promise<CsvRecord[]> {
  const found: CsvRecord[] = [];
  try {
    for await (const records of readCsv([beginning] as unknown as AsyncIterable<Buffer>, {
      delimiter,
      maxRecordBytes: MAX_IMPORT_ROW_KB * 1024,
    }))
      if (found.push(...records) >= most) break;
  } catch (error) {
    if (!(error instanceof CsvFault)) throw error;
    // Where the beginning ends within a row, that row is none of the first ones.
    if (found.length === 0) refuse('file', error.message);
  }
  return found.slice(0, most);
}

/** That which the first line has most of, outside of quotation marks. */
function likelyDelimiter(text: string): string {
  const [line = ''] = text
    .replace(/^\uFEFF/, '')
    .replace(/"(?:[^"]|"")*"/g, '')
    .split(/\r?\n/, 1);
  const counts = DELIMITERS.map((delimiter) => line.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}

function refuse(path: string, message: string): never {
  throw invalidRequest([{ path, message }]);
}
