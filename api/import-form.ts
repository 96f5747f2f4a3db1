import * as z from 'zod';
import { boundedArray } from '../domain/bounded-array.ts';
import { MAX_IMPORT_COLUMNS } from '../domain/contacts/import.ts';
import { CELL_TYPES } from '../domain/contacts/import-columns.ts';
import { MAX_TAGS, Tag } from '../domain/contacts/tags.ts';
import { invalidRequest } from '../domain/errors.ts';
import { issuesOf } from '../domain/issues.ts';
import { BrandSlug } from './schemas.ts';

/** Of the text of the form. */
export const MAX_SETTINGS_KB = 64;

/** Attributes may have any name; no field has a longer one. */
const MAX_FIELD_LENGTH = 200;

const FieldName = z
  .string()
  .min(1)
  .max(MAX_FIELD_LENGTH, { error: `at most ${MAX_FIELD_LENGTH} characters` });

/** How many columns are said of is looked at before they are. */
const Mapping = z
  .unknown()
  .refine(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length <= MAX_IMPORT_COLUMNS,
    {
      error: `an object of at most ${MAX_IMPORT_COLUMNS} columns`,
      abort: true,
    },
  )
  .pipe(
    z.record(z.string(), z.union([FieldName, z.strictObject({ field: FieldName, type: z.enum(CELL_TYPES).default('text') })]).nullable()),
  )
  .meta({
    description:
      'What each column is, by its name in the first row, or by its number from 1: `email`, `first_name`, `last_name`, `display_name`, `timezone`, `locale`, ' +
      '`status`, `suppressed`, `source`, `tags`, `consent.source`, `consent.ip`, `consent.user_agent`, `consent.at`, `attributes.<name>`, ' +
      '`topics.<key>`; null: nothing. An attribute is text, or `{ "field": "attributes.age", "type": "number" }`, or a boolean. A column that is not ' +
      'named here is what its name says (`First Name` is `first_name`), or nothing; one whose name is a topic that there is not has to be named',
  });

/** One character, which no cell needs for something else. */
const Delimiter = z.string().regex(/^[^"\r\n\0]$/u, { error: 'one character, no quotation mark and no line end' });

/** What comes with the file of an import, as JSON in the text `settings` of its form. */
export const ImportSettingsInput = z
  .strictObject({
    mapping: Mapping.nullish(),
    delimiter: Delimiter.nullish().meta({ description: 'Of the cells; comma, semicolon, tab and | are found out' }),
    header: z.boolean().nullish().meta({ description: 'Whether the first row has the names of the columns; true when omitted' }),
    onExisting: z.enum(['update', 'skip']).nullish().meta({
      description:
        '`update`: what a row says is written. `skip`: existing contacts stay, but for what a row says against mail. `update` when omitted',
    }),
    dryRun: z
      .boolean()
      .nullish()
      .meta({ description: 'Nothing is written: it tells what would become of the rows, and what is wrong with them' }),
    paused: z.boolean().nullish().meta({ description: 'It waits for POST /imports/:id/resume: for a look at its `columns` first' }),
    tags: boundedArray(Tag, MAX_TAGS, { error: `at most ${MAX_TAGS} tags` })
      .nullish()
      .meta({ description: 'Added to every contact of the file' }),
    tagSeparator: z.string().min(1).max(3).nullish().meta({ description: 'Between the tags of a cell; a comma when omitted' }),
    brand: BrandSlug.nullish().meta({ description: "Of new contacts: a brand's slug, the project's default when omitted" }),
  })
  .meta({ id: 'ImportSettings', description: 'How the file is read, and what its rows come to' });

export type ImportSettingsInput = z.output<typeof ImportSettingsInput>;

/** The settings of a form. Throws invalid_request. */
export function readSettings(text: string | undefined): ImportSettingsInput {
  const parsed = ImportSettingsInput.safeParse(jsonOf(text ?? '{}'));
  if (parsed.success) return parsed.data;
  throw invalidRequest(issuesOf(parsed.error, 'settings'));
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidRequest([{ path: 'settings', message: 'not JSON' }]);
  }
}
