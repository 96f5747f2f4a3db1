import { setImmediate as nextTurn } from 'node:timers/promises';
import { parse } from 'csv-parse';

/** One row, and how many bytes of the source it ends after. */
export interface CsvRecord {
  readonly cells: readonly string[];
  readonly end: number;
}

/** The rest of the source is no CSV. The message is for people. */
export class CsvFault extends Error {
  override readonly name = 'CsvFault';
}

export interface CsvForm {
  readonly delimiter: string;
  /** Of one row. */
  readonly maxRecordBytes: number;
}

/** So much is parsed in one turn of the thread: others have theirs in between. */
const TURN_BYTES = 32 * 1024;

/**
 * The rows of RFC 4180 in UTF-8, some at a time, as they come; blank lines are passed over. What others write is read, too: lines that end with LF alone,
 * quotation marks inside of a cell that is not quoted. A byte order mark at the beginning is none of the text. Throws CsvFault.
 */
export async function* readCsv(source: AsyncIterable<Uint8Array>, { delimiter, maxRecordBytes }: CsvForm): AsyncGenerator<CsvRecord[]> {
  let found: CsvRecord[] = [];
  const parser = parse({
    delimiter,
    bom: true,
    record_delimiter: ['\r\n', '\n'],
    relax_quotes: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: maxRecordBytes,
    on_record(cells: string[], { bytes }) {
      found.push({ cells, end: bytes });
      return null;
    },
  });
  let fail: (error: Error) => void = () => {};
  parser.on('error', (error) => fail(error));
  parser.resume();
  const rowsAfter = (write: (done: (error?: Error | null) => void) => void): Promise<CsvRecord[]> =>
    new Promise((resolve, reject) => {
      fail = (error) => reject(new CsvFault(wordsOf(error)));
      write((error) => {
        if (error) return fail(error);
        resolve(found);
        found = [];
      });
    });
  try {
    for await (const chunk of source) {
      for (let at = 0; at < chunk.length; at += TURN_BYTES) {
        yield await rowsAfter((done) => parser.write(chunk.subarray(at, at + TURN_BYTES), done));
        await nextTurn();
      }
    }
    yield await rowsAfter((done) => parser.end(done));
  } catch (error) {
    // What is before the fault is read all the same.
    if (error instanceof CsvFault && found.length > 0) yield found;
    throw error;
  } finally {
    parser.destroy();
  }
}

function wordsOf({ code, message }: Error & { readonly code?: string }): string {
  if (code === 'CSV_MAX_RECORD_SIZE') return 'a row is too long: a quotation mark may open a cell that nothing closes';
  if (code === 'CSV_QUOTE_NOT_CLOSED') return 'a quotation mark opens a cell that nothing closes';
  return message;
}
