import { afterEach, beforeEach, expect, test } from 'vitest';
import { migrateUp } from '../../bin/migrate.ts';
import { type EarlierDatabase, earlierDatabase } from '../support/earlier-database.ts';

let database: EarlierDatabase;
beforeEach(async () => {
  database = await earlierDatabase('0072_date_triggers');
});
afterEach(() => database.close());

/** Which nothing but its index can answer without reading the whole table. */
const SEARCHES = {
  contacts_text_idx: `select from contacts where searchable(email) like '%ann%'`,
  sends_stranger_idx: `select from sends where contact_id is null and status is not null and searchable(to_email) like '%ann%'`,
  suppressions_text_idx: `select from suppressions where searchable(email) like '%ann%'`,
} as const;

test('a connection that has searched before the migration searches by the same indexes after it', async () => {
  const client = await database.connect();
  await client.query('set enable_seqscan = off');
  const plans = async () => {
    const read: string[] = [];
    for (const search of Object.values(SEARCHES)) {
      const { rows } = await client.query(`explain ${search}`);
      read.push(rows.map((line) => line['QUERY PLAN']).join('\n'));
    }
    return read;
  };
  const uses = Object.keys(SEARCHES).map((index) => expect.stringContaining(`Bitmap Index Scan on ${index}`));
  expect(await plans()).toEqual(uses);
  await database.migrateTo('0073_search_cost');
  expect(await plans()).toEqual(uses);
});

test('the migration leaves what is indexed of any text as it was', async () => {
  const client = await database.connect();
  const texts = [
    'Ann@Example.com',
    'a\\b\\\\c',
    '\\',
    '',
    'Мария\\Ж',
    'ÄÖÜß İı',
    '100%_of\\them',
    '\\303\\244',
    'é\n\t\u0001',
    '🙂\\🙂',
    '日本',
  ];
  const indexed = async () => (await client.query('select searchable(t) as text from unnest($1::text[]) t', [texts])).rows;
  const before = await indexed();
  expect(before.slice(0, 2)).toEqual([{ text: 'ann@example.com' }, { text: 'abc' }]);
  await migrateUp(database.url);
  expect(await indexed()).toEqual(before);
});
