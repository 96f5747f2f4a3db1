import type { Client } from 'pg';
import { afterEach, expect, test } from 'vitest';
import { migrateUp } from '../../bin/migrate.ts';
import { type MikroORM, openDatabase } from '../../db/orm.ts';
import { listContacts } from '../../db/queries/contacts/contact-list.ts';
import { listSends } from '../../db/queries/sends/send-log.ts';
import { type EarlierDatabase, earlierDatabase, PROJECT } from '../support/earlier-database.ts';
import { eventually } from '../support/eventually.ts';

const PLACE = { limit: 50, from: undefined, direction: 'next' } as const;

let database: EarlierDatabase;
let orm: MikroORM;
async function open(migration: string): Promise<void> {
  database = await earlierDatabase(migration);
  orm = await openDatabase({ url: database.url, poolSize: 2, applicationName: 'everpost-test' });
  const client = await database.connect();
  await send(client, 'ann@before.example', { isContact: true });
  await send(client, 'guest@before.example', { isContact: false });
}
afterEach(async () => {
  await orm.close();
  await database.close();
});

/** As the version before writes it. */
async function send(client: Client, to: string, { isContact }: { isContact: boolean }): Promise<void> {
  if (isContact) {
    const contact = `insert into contacts (id, project_id, email, status, brand_id) values (uuid_v7(), '${PROJECT}', $1, 'subscribed', 'p')`;
    await client.query(contact, [to]);
  }
  await client.query(
    `insert into sends (id, project_id, contact_id, brand_id, to_email, template, type, source_type, status)
     select uuid_v7(), '${PROJECT}', (select id from contacts where email = $1), 'p', $1, 't', 'marketing', 'api', 'sent'`,
    [to],
  );
}

const sentTo = async (q: string) => (await listSends(orm.em.fork(), PROJECT, { q }, PLACE)).rows.map(({ to_email }) => to_email);

test.each([
  ['0014_campaign_sends', '0016_text_search'],
  ['0074_retried_deliveries', '0075_trigram_lists'],
  ['0084_used_allowances', '0086_text_columns'],
])('from %s on a search finds what was there before, and what the version before writes during and after %s', async (before, migration) => {
  await open(before);
  const [holder, writer] = [await database.connect(), await database.connect()];
  await holder.query('begin');
  await send(holder, 'ann@during.example', { isContact: true });
  const migrating = migrateUp(database.url);
  await eventually(async () => {
    const waits = `select 1 from pg_stat_activity where application_name = 'everpost-migrate' and wait_event_type = 'Lock' and datname = current_database()`;
    return (await writer.query(waits)).rowCount === 1;
  });
  await writer.query(`set lock_timeout = '5s'`);
  await send(writer, 'guest@during.example', { isContact: false });
  await holder.query('commit');
  expect(await migrating).toContain(migration);
  await send(writer, 'ann@after.example', { isContact: true });
  await send(writer, 'guest@after.example', { isContact: false });

  const ann = ['ann@after.example', 'ann@before.example', 'ann@during.example'];
  expect((await sentTo('ANN@')).sort()).toEqual(ann);
  expect((await sentTo('uest@')).sort()).toEqual(['guest@after.example', 'guest@before.example', 'guest@during.example']);
  const contacts = await listContacts(orm.em.fork(), PROJECT, { q: 'nn@' }, PLACE);
  expect(contacts.rows.map(({ email }) => email).sort()).toEqual(ann);
  // The version before asks an index that is gone, and is answered.
  const answered = await writer.query(
    `select to_email from sends where project_id = $1 and status is not null and searchable(to_email) like '%ann%' order by 1`,
    [PROJECT],
  );
  expect(answered.rows.map(({ to_email }) => to_email)).toEqual(ann);
});

test.each([
  {
    migration: '0016_text_search',
    half: 'contacts_text_idx',
    lost: 'sends_stranger_idx',
    left: 'sends_search_idx',
    valid: ['contacts_text_idx', 'sends_stranger_idx'],
  },
  {
    migration: '0075_trigram_lists',
    half: 'contacts_trigrams_idx',
    lost: 'sends_stranger_trigrams_idx',
    left: 'sends_stranger_idx',
    valid: ['contacts_trigrams_idx', 'sends_stranger_trigrams_idx', 'suppressions_trigrams_idx'],
  },
  {
    migration: '0086_text_columns',
    half: 'contacts_columns_idx',
    lost: 'sends_strangers_idx',
    left: 'contacts_trigrams_idx',
    valid: ['contacts_columns_idx', 'sends_stranger_trigrams_idx', 'sends_strangers_idx', 'suppressions_trigrams_idx'],
  },
])('$migration that was cut off begins anew', async ({ migration, half, lost, left, valid }) => {
  await open(migration);
  const client = await database.connect();
  await client.query(`
    delete from migrations where name = '${migration}'; drop index ${lost};
    create index ${left} on sends (to_email);
    update pg_index set indisvalid = false where indexrelid = '${half}'::regclass`);
  await database.migrateTo(migration);
  const indexes = await client.query(
    `select c.relname as name, indisvalid as valid from pg_index i join pg_class c on c.oid = i.indexrelid
     where c.relname ~ '^(contacts|sends|suppressions)_.*(text|search|stranger|trigrams|columns).*_idx$' order by 1`,
  );
  expect(indexes.rows).toEqual(valid.map((name) => ({ name, valid: true })));
  await migrateUp(database.url);
  expect(await sentTo('before.example')).toHaveLength(2);
});
