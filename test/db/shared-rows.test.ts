import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { preparedStatement } from '../../db/rows.ts';
import { packRows, unpackedRows } from '../../db/shared-rows.ts';
import { ownDatabase } from '../support/own-database.ts';

const em = (await ownDatabase()).em.fork();

const read = preparedStatement<object>(
  sql`select * from (${unpackedRows('place integer, name text, topic text, details jsonb, at timestamptz', { each: '$1', shared: '$2' })}) r order by place`,
);
const through = async (rows: readonly Readonly<Record<string, unknown>>[]): Promise<object[]> => {
  const { each, shared } = packRows(rows);
  return read(em, [each, shared]);
};

test('rows come out as they went in, whatever they share, and what is absent or null is null', async () => {
  const details = { topic: 'news', names: ['a', null] };
  const at = '2026-01-02T03:04:05.678Z';
  const rows = [
    { place: 0, name: 'same', topic: 'one', details, at },
    { place: 1, name: 'same', topic: null, details, at },
    { place: 2, name: 'same', details, at },
  ];
  const { each, shared } = packRows(rows);
  expect(JSON.parse(shared)).toEqual({ name: 'same', details, at });
  expect(JSON.parse(each)).toEqual([{ place: 0, topic: 'one' }, { place: 1, topic: null }, { place: 2 }]);
  expect(await through(rows)).toEqual(rows.map((row) => ({ ...row, topic: row.topic ?? null, at: new Date(at) })));
});

test('a row alone, and one that has what the first lacks, come out as they went in; of no rows there are none', async () => {
  const alone = { place: 7, name: 'x', topic: null, details: null, at: null };
  expect(await through([alone])).toEqual([alone]);
  expect(await through([{ place: 0 }, { place: 1, name: 'late' }])).toMatchObject([
    { place: 0, name: null },
    { place: 1, name: 'late' },
  ]);
  expect(await through([])).toEqual([]);
});
