import { expect, test } from 'vitest';
import { CsvFault, type CsvRecord, readCsv } from '../../../platform/csv/read-csv.ts';
import { csvRow } from '../../../platform/csv/write-csv.ts';

const FORM = { delimiter: ',', maxRecordBytes: 1_000 };
const TEXT = '\ufeffemail,näme\r\na@b.de,"x\r\ny"\r\n\r\nc@d.de,"ü ""q"" "\r\ne@f.de,a"b\ng@h.de,\nlast@x.de,z,more';

async function* inPieces(bytes: Uint8Array, size: number): AsyncIterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(text: string | Uint8Array, size = 1_000): Promise<CsvRecord[]> {
  const found: CsvRecord[] = [];
  for await (const records of readCsv(inPieces(Buffer.from(text as string), size), FORM)) found.push(...records);
  return found;
}

test.each([1, 2, 3, 7, 1_000])('a file is read the same in pieces of %i bytes', async (size) => {
  expect((await read(TEXT, size)).map(({ cells }) => cells)).toEqual([
    ['email', 'näme'],
    ['a@b.de', 'x\r\ny'],
    ['c@d.de', 'ü "q" '],
    ['e@f.de', 'a"b'],
    ['g@h.de', ''],
    ['last@x.de', 'z', 'more'],
  ]);
});

test('who goes on after the end of any row reads exactly the rows after it', async () => {
  const all = await read(TEXT);
  for (const [index, { end }] of all.entries()) {
    const rest = await read(Buffer.from(TEXT).subarray(end));
    expect(rest.map(({ cells, end: at }) => ({ cells, end: at + end }))).toEqual(all.slice(index + 1));
  }
});

test('a quotation mark that nobody closes ends the file with the rows before it read, in no more memory than a row may have', async () => {
  const found: unknown[] = [];
  const reading = async (text: string): Promise<void> => {
    for await (const records of readCsv(inPieces(Buffer.from(text), 100), FORM)) found.push(...records.map(({ cells }) => cells[0]));
  };
  await expect(reading('a\nb\n"c\nd')).rejects.toThrow(CsvFault);
  await expect(reading(`e\nf\n"${'x\n'.repeat(5_000)}`)).rejects.toThrow(/too long/);
  expect(found).toEqual(['a', 'b', 'e', 'f']);
});

test('what is written is read as it was, but for the apostrophe before what a spreadsheet would take for a formula', async () => {
  const plain = ['a', 'with, comma', 'with "quotes"', 'two\r\nlines', '', ' spaces ', "'quoted'", '1-2', 'ü'];
  expect((await read(csvRow(plain)))[0]?.cells).toEqual(plain);
  for (const text of ['=1', '+1', '-1', '@a', '\tx', '\rx']) expect((await read(csvRow([text, 'x'])))[0]?.cells).toEqual([`'${text}`, 'x']);
  expect(csvRow([null, 'x'])).toBe(',x\r\n');
});
