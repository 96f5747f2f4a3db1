import * as z from 'zod';
import type { ContactImportRow } from '../../../db/entities/index.ts';
import { type RefusedWrite, refusedRowsAfter } from '../../../db/queries/contacts/import-rows.ts';
import { findImport, listImports } from '../../../db/queries/contacts/imports.ts';
import {
  IMPORT_STATUSES,
  MAX_IMPORT_MB,
  MAX_IMPORT_ROWS,
  MOST_OPEN_IMPORTS,
  ROW_REFUSALS,
  type RowRefusal,
} from '../../../domain/contacts/import.ts';
import { fieldText } from '../../../domain/contacts/import-columns.ts';
import { notFound, Refusal } from '../../../domain/errors.ts';
import { IMPORTS_KEPT_MS } from '../../../domain/operations/retention.ts';
import { shownPeriod } from '../../../domain/shown-text.ts';
import { cancelImport, pauseImport } from '../../../usecases/contacts/begin-import.ts';
import { importWorkflowId } from '../../../workflows/contracts.ts';
import { CSV_WORDS, csvAnswer } from '../../csv-answer.ts';
import { readCursor, writeCursor } from '../../cursor.ts';
import * as examples from '../../examples/import-examples.ts';
import { allAfter } from '../../export-pages.ts';
import { ImportSettingsInput } from '../../import-form.ts';
import { IMPORT_SECONDS, previewedImport, receivedImport } from '../../received-import.ts';
import { defineRoute, type KeyContext, type Route } from '../../route.ts';
import { CreatedAt, Cursor, DryRun, Limit, NextCursor, PathId, Timestamp } from '../../schemas.ts';
import { UPLOAD_SECONDS } from '../../spooled-upload.ts';

const ImportPath = z.object({ id: PathId.meta({ description: "The import's id" }) });
const REASONS = Object.keys(ROW_REFUSALS) as [RowRefusal, ...RowRefusal[]];

const RowRefusalName = z.enum(REASONS).meta({
  id: 'RowRefusal',
  description: Object.entries(ROW_REFUSALS)
    .map(([reason, meaning]) => `\`${reason}\`: ${meaning}`)
    .join('. '),
});

const ImportColumn = z
  .object({
    name: z.string().meta({ description: 'In the first row, or its number from 1' }),
    field: z.string().nullable().meta({ description: 'What it is of a contact; null: nothing' }),
  })
  .meta({ id: 'ImportColumn', description: 'A column of a file' });

const ImportForm = z
  .object({
    settings: ImportSettingsInput.optional(),
    file: z.string().meta({ format: 'binary', description: 'The CSV, with a filename' }),
  })
  .meta({ id: 'ImportForm', description: 'A form with one file, and how it is read' });

function columnRecords(columns: ContactImportRow['settings']['columns']): z.output<typeof ImportColumn>[] {
  return columns.map(({ name, field }) => ({ name, field: field && fieldText(field) }));
}

const ImportRecord = z
  .object({
    id: z.uuid().meta({ description: 'Stays the same for good' }),
    status: z
      .enum(IMPORT_STATUSES)
      .meta({ description: '`failed`: `error` says why the file could not be read on; what was imported before stays' }),
    dry_run: z.boolean().meta({ description: 'It writes nothing' }),
    filename: z.string().meta({ description: 'As it was uploaded' }),
    size: z.int().meta({ description: 'Bytes of the file' }),
    read: z.int().meta({ description: 'Bytes that are done' }),
    columns: z.array(ImportColumn).meta({ description: 'Of the file, in its order' }),
    rows: z.int().meta({ description: 'Rows that are done' }),
    inserted: z.int().meta({ description: 'Rows that became contacts' }),
    updated: z.int().meta({ description: 'Rows that changed a contact, or suppressed its address' }),
    unchanged: z.int().meta({ description: 'Rows that said nothing new, or of whom `onExisting` is `skip`' }),
    refused: z.int().meta({ description: 'Rows that were refused: GET /imports/:id/refused has them' }),
    reasons: z.partialRecord(RowRefusalName, z.int()).meta({ description: 'How many were refused for each reason' }),
    problems: z
      .array(
        z.object({
          row: z.int().meta({ description: 'From 1, the names of the columns not counted' }),
          column: z.string().nullable().meta({ description: 'The name of the column; null: it is about the row' }),
          reason: RowRefusalName,
          message: z.string().meta({ description: 'In words; not kept of who was erased' }),
        }),
      )
      .meta({ description: 'The first hundred rows that were refused' }),
    error: z.string().nullable().meta({ description: 'Of a failed one: why' }),
    created_at: CreatedAt,
    ended_at: Timestamp.nullable().meta({ description: 'null: it runs, or is paused' }),
    workflow_id: z.string().meta({ description: 'The workflow id in Temporal' }),
  })
  .meta({ id: 'Import', description: 'A file of contacts that is imported' });

function importRecord(row: ContactImportRow): z.output<typeof ImportRecord> {
  const { id, status, dry_run, filename, size, read_to, settings, error, created_at, ended_at } = row;
  const { rows, inserted, updated, unchanged, refused, reasons, problems } = row;
  return {
    ...{ id, status: status === 'receiving' ? 'running' : status, dry_run, filename, size, read: read_to },
    columns: columnRecords(settings.columns),
    ...{
      rows,
      inserted,
      updated,
      unchanged,
      refused,
      reasons,
      problems: [...problems],
      error,
      created_at,
      ended_at,
      workflow_id: importWorkflowId(id),
    },
  };
}

async function importOf({ em, project }: KeyContext, id: string): Promise<ContactImportRow> {
  return (await findImport(em, project.id, id)) ?? notFound('import');
}

const begin = defineRoute({
  method: 'post',
  path: '/imports',
  scope: 'contacts:write',
  summary: 'Import contacts from a CSV file',
  description:
    `A form with one file, and its settings as JSON. At most ${MAX_IMPORT_MB} MB and ${MAX_IMPORT_ROWS.toLocaleString('en')} lines, in UTF-8. What is wrong with the settings or the ` +
    'columns is answered at once; the rows are read by a workflow that goes on whatever process dies, each row once. A row creates or updates a contact ' +
    'as POST /contacts does, but for this: an empty cell says nothing, tags are added, no row takes an unsubscription, a bounce or a topic that is off back, and nobody ' +
    `is asked to confirm. At most ${MOST_OPEN_IMPORTS} at a time run or are paused (\`too_many_imports\`). The upload may take ${IMPORT_SECONDS} seconds.`,
  query: z.object({ dryRun: DryRun }),
  form: ImportForm,
  seconds: IMPORT_SECONDS,
  status: 201,
  reply: z.object({ import: ImportRecord }),
  errors: ['no_brand', 'too_many_imports'],
  examples: examples.begin,
  handle: async (context, { query }) => ({ import: importRecord(await receivedImport(context, query.dryRun === '1')) }),
});

const columns = defineRoute({
  method: 'post',
  path: '/imports/columns',
  scope: 'contacts:write',
  summary: 'Preview the columns of a CSV file',
  description:
    'The form of POST /imports, of whose file the beginning is enough (up to 1 MB, best to the end of a line). Nothing is kept or imported. What is wrong with the mapping is ' +
    '`invalid_request`, as POST /imports answers it, but for a file of which no column is the email, or of which two are the same by their names: the second is nothing then.',
  form: ImportForm,
  seconds: UPLOAD_SECONDS,
  status: 200,
  reply: z.object({
    delimiter: z.string().meta({ description: 'Of the cells, as it was given or found out' }),
    columns: z.array(ImportColumn).meta({ description: 'Of the file, in its order: what each would be, by the mapping or by its name' }),
    rows: z.array(z.array(z.string())).meta({ description: 'The first five rows, as they are' }),
    fields: z.array(z.string()).meta({ description: 'What a column may be, beside `attributes.<name>`' }),
  }),
  examples: examples.columns,
  takesTestKeys: true,
  async handle(context) {
    const { delimiter, columns: found, rows, fields } = await previewedImport(context);
    return { delimiter, columns: columnRecords(found), rows: rows.map((row) => [...row]), fields: [...fields] };
  },
});

const list = defineRoute({
  method: 'get',
  path: '/imports',
  scope: 'contacts:read',
  summary: 'List imports, the newest first',
  description: `They are kept for ${shownPeriod(IMPORTS_KEPT_MS)}.`,
  query: z.object({
    status: z.enum(IMPORT_STATUSES).optional().meta({ description: 'How it stands' }),
    limit: Limit,
    cursor: Cursor.optional(),
  }),
  status: 200,
  reply: z.object({ imports: z.array(ImportRecord).meta({ description: 'This page' }), nextCursor: NextCursor }),
  errors: ['invalid_cursor'],
  examples: examples.list,
  async handle({ em, project, vault }, { query: { status, limit, cursor } }) {
    const scope = { projectId: project.id, list: 'imports', filter: { status } };
    const page = await listImports(em, project.id, { status }, { limit, from: readCursor(vault, scope, cursor), direction: 'next' });
    return { imports: page.rows.map(importRecord), nextCursor: writeCursor(vault, scope, page.next) };
  },
});

const read = defineRoute({
  method: 'get',
  path: '/imports/:id',
  scope: 'contacts:read',
  summary: 'How far an import is, and what its rows came to',
  params: ImportPath,
  status: 200,
  reply: z.object({ import: ImportRecord }),
  errors: ['not_found'],
  examples: examples.read,
  handle: async (context, { params }) => ({ import: importRecord(await importOf(context, params.id)) }),
});

const refused = defineRoute({
  method: 'get',
  path: '/imports/:id/refused',
  scope: 'contacts:read',
  summary: 'The rows that an import refused, as CSV',
  description: `${CSV_WORDS} The columns are those of the file, then \`reason\`, and behind it cells for which there is no column: mended, it may be imported again. So far, while the import runs.`,
  params: ImportPath,
  status: 200,
  reply: z.string().meta({ description: 'The rows in the order of the file' }),
  answersAs: 'text/csv',
  errors: ['not_found'],
  examples: examples.refused,
  async handle(context, { params }) {
    const { id, settings } = await importOf(context, params.id);
    const columns = [...settings.columns.map(({ name }) => name), 'reason'];
    return csvAnswer(context, { filename: 'refused.csv', columns, pages: refusedPages(context, id, settings.columns.length) });
  },
});

async function* refusedPages({ em }: KeyContext, id: string, columns: number): AsyncGenerator<string[][]> {
  for await (const rows of allAfter<RefusedWrite>((after, limit) => refusedRowsAfter(em, id, after?.row ?? 0, limit)))
    yield rows.map(({ cells, reason, message }) => [
      ...Array.from({ length: columns }, (_, index) => cells[index] ?? ''),
      `${reason}: ${message}`,
      // What has no column stays behind.
      ...cells.slice(columns),
    ]);
}

/** A route that changes how an import stands; one that stands so already is left. */
function changing(
  name: keyof typeof STANDS,
  words: Pick<Route, 'summary' | 'description' | 'examples'>,
  change: (context: KeyContext, row: ContactImportRow) => Promise<boolean>,
): Route {
  return defineRoute({
    method: 'post',
    path: `/imports/:id/${name}`,
    scope: 'contacts:write',
    ...words,
    params: ImportPath,
    status: 200,
    reply: z.object({ import: ImportRecord }),
    errors: ['not_found', 'invalid_status'],
    async handle(context, { params }) {
      const found = await importOf(context, params.id);
      const changed = await change(context, found);
      const after = await importOf(context, params.id);
      if (!changed && after.status !== STANDS[name]) throw new Refusal('invalid_status', `the import is ${after.status}`);
      return { import: importRecord(after) };
    },
  });
}

const STANDS = { pause: 'paused', resume: 'running', cancel: 'cancelled' } as const;

const pause = changing(
  'pause',
  {
    summary: 'Pause an import',
    examples: examples.pause,
    description: 'After the answer it imports no row more until it is resumed. `invalid_status`: it has ended.',
  },
  ({ em }, row) => pauseImport(em, row, true),
);
const resume = changing(
  'resume',
  {
    summary: 'Let a paused import go on',
    examples: examples.resume,
    description: 'It goes on with the next row. `invalid_status`: it has ended.',
  },
  ({ em }, row) => pauseImport(em, row, false),
);
const cancel = changing(
  'cancel',
  {
    summary: 'Cancel an import; what was imported stays',
    examples: examples.cancel,
    description: 'After the answer it imports no row more. `invalid_status`: it has ended by itself.',
  },
  ({ em }, row) => cancelImport(em, row),
);

export const routes: readonly Route[] = [begin, columns, list, read, refused, pause, resume, cancel];
