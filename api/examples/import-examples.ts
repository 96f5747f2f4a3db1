import { IMPORT_FIELDS } from '../../domain/contacts/import-columns.ts';
import { IDS, NOW } from './shown-records.ts';

const FILE = 'E-mail,First Name,City,Newsletter\nada@example.com,Ada,London,yes\ngrace@example,Grace,New York,yes\n';
const COLUMNS = [
  { name: 'E-mail', field: 'email' },
  { name: 'First Name', field: 'first_name' },
  { name: 'City', field: 'attributes.city' },
  { name: 'Newsletter', field: null },
];
const SETTINGS = { mapping: { 'E-mail': 'email', City: 'attributes.city' }, tags: ['imported'] };

const RUNNING = {
  id: IDS.import,
  status: 'running',
  dry_run: false,
  filename: 'people.csv',
  size: FILE.length,
  read: 34,
  columns: COLUMNS,
  ...{ rows: 0, inserted: 0, updated: 0, unchanged: 0, refused: 0, reasons: {}, problems: [] },
  error: null,
  created_at: NOW,
  ended_at: null,
  workflow_id: `import/${IDS.import}`,
};
const COMPLETED = {
  ...RUNNING,
  ...{ status: 'completed', read: FILE.length, rows: 2, inserted: 1, refused: 1, reasons: { email_invalid: 1 } },
  problems: [{ row: 2, column: 'E-mail', reason: 'email_invalid', message: '"grace@example" is not a valid address' }],
  ended_at: NOW,
};
const PAUSED = { ...RUNNING, status: 'paused' };
const params = { id: IDS.import };

export const begin = [
  { title: 'Read at once', body: { settings: SETTINGS, file: FILE }, answer: { import: RUNNING } },
  { title: 'Waiting for a look at its columns', body: { settings: { ...SETTINGS, paused: true }, file: FILE }, answer: { import: PAUSED } },
  {
    title: 'A dry run',
    body: { settings: { ...SETTINGS, dryRun: true }, file: FILE },
    answer: { import: { ...RUNNING, dry_run: true } },
  },
] as const;

export const columns = [
  {
    body: { settings: SETTINGS, file: FILE },
    answer: {
      delimiter: ',',
      columns: COLUMNS,
      rows: [
        ['ada@example.com', 'Ada', 'London', 'yes'],
        ['grace@example', 'Grace', 'New York', 'yes'],
      ],
      fields: IMPORT_FIELDS,
    },
  },
] as const;

export const list = [{ query: { limit: 50 }, answer: { imports: [COMPLETED], nextCursor: null } }] as const;

export const read = [{ params, answer: { import: COMPLETED } }] as const;

export const refused = [
  {
    params,
    answer:
      'E-mail,First Name,City,Newsletter,reason\r\n' +
      'grace@example,Grace,New York,yes,"email_invalid: E-mail: ""grace@example"" is not a valid address"\r\n',
  },
] as const;

export const pause = [{ params, answer: { import: PAUSED } }] as const;

export const resume = [{ params, answer: { import: RUNNING } }] as const;

export const cancel = [{ params, answer: { import: { ...RUNNING, status: 'cancelled', ended_at: NOW } } }] as const;
