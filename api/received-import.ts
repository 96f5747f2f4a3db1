import type { ContactImportRow } from '../db/entities/index.ts';
import { topicKeys } from '../db/queries/contacts/topics.ts';
import { MAX_IMPORT_MB, MAX_IMPORT_ROWS } from '../domain/contacts/import.ts';
import { fieldText, IMPORT_FIELDS } from '../domain/contacts/import-columns.ts';
import { Refusal } from '../domain/errors.ts';
import { receiveImport } from '../usecases/contacts/begin-import.ts';
import { type FormPreview, findForm, type ImportForm, previewForm } from '../usecases/contacts/import-form.ts';
import { brandOf } from './brand.ts';
import { type ImportSettingsInput, MAX_SETTINGS_KB, readSettings } from './import-form.ts';
import { createPlaces } from './places.ts';
import type { KeyContext } from './route.ts';
import { withUpload } from './spooled-upload.ts';

/** The largest file by a line of 3.5 megabits a second. */
export const IMPORT_SECONDS = 600;

/** Uploads of imports. */
const places = createPlaces('imports that are uploaded', { each: 4, all: 16 });
const LINE_END = 0x0a;
const EXAMPLE = 'people.csv -F settings={}';

/** The form of POST /imports, its file on the disk until it is kept; `isDryRun`: whatever its settings say. Throws what is wrong with either. */
export async function receivedImport(context: KeyContext, isDryRun: boolean): Promise<ContactImportRow> {
  const { em, project, files, keyId, newId } = context;
  const text = settingsText();
  const reading = { mostMb: MAX_IMPORT_MB, example: EXAMPLE, text, places, through: withFewLines };
  return withUpload(context, reading, async ({ file, filename }) => {
    const settings = readSettings(text.given());
    const { slug } = await brandOf(context, settings.brand);
    const form = formOf(settings);
    const { columns, delimiter, readTo } = await findForm(file.path, form, await topicKeys(em, project.id));
    const asked = {
      ...{ id: newId(), project_id: project.id, key_id: keyId, filename, size: file.size, read_to: readTo },
      dry_run: isDryRun || (settings.dryRun ?? false),
      isPaused: settings.paused ?? false,
      settings: {
        ...{ delimiter, columns, brand: slug, header: form.header, tagSeparator: settings.tagSeparator ?? ',' },
        ...{ onExisting: settings.onExisting ?? 'update', tags: [...new Set(settings.tags ?? [])] },
      },
    } as const;
    return receiveImport(em, files, asked, file);
  });
}

/** Of the beginning of a file. */
const MAX_BEGINNING_MB = 1;
const SHOWN_ROWS = 5;

/** The columns of the file of such a form, or of its beginning, and what each may be. Throws what is wrong with either. */
export async function previewedImport(context: KeyContext): Promise<FormPreview & { readonly fields: readonly string[] }> {
  const { em, project } = context;
  const text = settingsText();
  return withUpload(context, { mostMb: MAX_BEGINNING_MB, example: EXAMPLE, text }, async ({ file }) => {
    const settings = readSettings(text.given());
    const topics = await topicKeys(em, project.id);
    const preview = await previewForm(file.path, formOf(settings), topics, SHOWN_ROWS);
    return { ...preview, fields: [...IMPORT_FIELDS, ...[...topics].map((key) => fieldText({ kind: 'topic', key }))] };
  });
}

/** The text of the form beside its file, once it has come. */
function settingsText() {
  let given: string | undefined;
  return {
    ...{ name: 'settings', maxKb: MAX_SETTINGS_KB },
    take(settings: string): void {
      given = settings;
    },
    given: () => given,
  };
}

function formOf({ delimiter, header, mapping }: ImportSettingsInput): ImportForm {
  return { delimiter: delimiter ?? undefined, header: header ?? true, mapping: mapping ?? undefined };
}

/** Lines are counted as they come: a row has one at least, so that no file with fewer has too many rows. */
async function* withFewLines(pieces: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let lines = 0;
  for await (const piece of pieces) {
    for (let at = piece.indexOf(LINE_END); at >= 0; at = piece.indexOf(LINE_END, at + 1)) lines++;
    // The names of the columns, and the end of the last line.
    if (lines > MAX_IMPORT_ROWS + 1)
      throw new Refusal('payload_too_large', `the file has more than ${MAX_IMPORT_ROWS.toLocaleString('en')} lines`);
    yield piece;
  }
}
