import { Readable } from 'node:stream';
import { contentDisposition } from '../domain/files/file.ts';
import { csvRow } from '../platform/csv/write-csv.ts';
import { createPlaces } from './places.ts';
import { Answer, type KeyContext } from './route.ts';

/** Of all exports together. */
const exports = createPlaces('exports', { each: 4, all: 16 });

/** What is said of every export in its description. */
export const CSV_WORDS =
  'CSV by RFC 4180 in UTF-8, as a stream: the first row has the names of the columns. A cell that begins with `=`, `+`, `-`, `@`, a tab or a carriage ' +
  'return has an apostrophe before it, so that no spreadsheet takes it for a formula; an import takes it away again.';

/** Rows of one page of what is exported, and whether there may be more. */
type Pages = AsyncIterable<readonly (readonly (string | null)[])[]>;

/** Pages as a stream that reads the next one when the caller has taken those before. Throws rate_limited. */
export function csvAnswer(
  { project }: Pick<KeyContext, 'project'>,
  { filename, columns, pages }: { readonly filename: string; readonly columns: readonly string[]; readonly pages: Pages },
): Answer {
  return streamed(project.id, filename, 'text/csv; charset=utf-8; header=present', lines(columns, pages));
}

/** A text that is made as it is read, as a download. Throws rate_limited. */
export function streamed(projectId: string, filename: string, contentType: string, pieces: AsyncIterable<string>): Answer {
  const release = exports.take(projectId);
  const body = Readable.from(pieces, { objectMode: false, highWaterMark: 64 * 1024 });
  body.once('close', release);
  return new Answer(200, body, { 'Content-Type': contentType, 'Content-Disposition': contentDisposition(filename) });
}

async function* lines(columns: readonly string[], pages: Pages): AsyncGenerator<string> {
  yield csvRow(columns);
  for await (const page of pages) if (page.length > 0) yield page.map(csvRow).join('');
}
