import type { Client } from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { migrateUp, migrationStatus } from '../../bin/migrate.ts';
import { type EarlierDatabase, earlierDatabase, PROJECT } from '../support/earlier-database.ts';
import { eventually } from '../support/eventually.ts';

/** How long a migration stands in line for a table here. */
const TABLE_LOCK_MS = 300;
/** As long as a test may take to let go. */
const LONG_LOCK_MS = 20_000;

let database: EarlierDatabase;
beforeEach(async () => {
  // The version before contacts were counted.
  database = await earlierDatabase('0003_flow_graphs');
  const client = await database.connect();
  for (let n = 0; n < 3; n++) await add(client);
});
afterEach(() => database.close());

/** A contact as the version before writes it. */
const add = (client: Client) =>
  client.query(
    `insert into contacts (id, project_id, email, status, brand_id) values (gen_random_uuid(), '${PROJECT}', gen_random_uuid()::text, 'subscribed', 'p')`,
  );

const countedContacts = async (client: Client) => Number((await client.query('select sum(delta) as sum from contact_counts')).rows[0].sum);

/** A contact with a tag, as the version before writes it: in whatever spelling. */
const addSpelling = (client: Client, email: string) =>
  client.query(
    `insert into contacts (id, project_id, email, status, brand_id, tags)
     values (gen_random_uuid(), '${PROJECT}', $1, 'subscribed', 'p', '{t}')`,
    [email],
  );

const emails = async (client: Client) =>
  (await client.query(`select email from contacts where email like '%example' order by email`)).rows.map(({ email }) => email);

/** Until the migration waits for a lock. */
const untilBlocked = (client: Client) =>
  eventually(async () => {
    const waits = `select 1 from pg_stat_activity where application_name = 'everpost-migrate' and wait_event_type = 'Lock' and datname = current_database()`;
    return (await client.query(waits)).rowCount === 1;
  });

test('contacts that come while migrations run are written at once and counted exactly', async () => {
  const [holder, writer] = [await database.connect(), await database.connect()];
  await holder.query('begin; lock table sequence_versions in access exclusive mode');
  const migrating = migrateUp(database.url);
  // The counting triggers are there, and what was there before them is not counted yet.
  await eventually(async () => (await migrationStatus(database.url)).applied.includes('0005_sending'));
  await add(writer);
  await writer.query(`delete from contacts where id = (select id from contacts limit 1)`);
  await add(writer);
  await holder.query('commit');
  await migrating;
  await add(writer);
  expect(await countedContacts(writer)).toBe(5);
});

test('a migration that has to wait for a table keeps nobody else from it, and goes on when it is free', async () => {
  const [holder, writer] = [await database.connect(), await database.connect()];
  await holder.query('begin');
  await add(holder);
  const migrating = migrateUp(database.url, { tableLockMs: TABLE_LOCK_MS });
  await untilBlocked(writer);
  await writer.query(`set lock_timeout = '5s'`);
  await add(writer);
  await holder.query('commit');
  expect(await migrating).toContain('0007_gentle_sweeps');
  expect(await countedContacts(writer)).toBe(5);
});

test('a migration that waits for those who wait for it is ended, and done again when they are done', async () => {
  const [holder, writer] = [await database.connect(), await database.connect()];
  // Whoever looks first for such a circle is ended: that is to be the migration, and not before there is one.
  await writer.query(`do $$ begin execute format('alter database %I set deadlock_timeout = ''3s''', current_database()); end $$`);
  await holder.query(`set deadlock_timeout = '60s'`);
  await holder.query('begin; select 1 from enrollments');
  const migrating = migrateUp(database.url, { tableLockMs: LONG_LOCK_MS });
  await untilBlocked(writer);
  // The migration has this table already.
  await holder.query('select 1 from sends');
  await holder.query('commit');
  expect(await migrating).toContain('0007_gentle_sweeps');
});

test('a migration without a transaction that was cut off goes on where it can', async () => {
  const client = await database.connect();
  await migrateUp(database.url);
  // As if it had been cut off at its end, and in the middle of building an index.
  await client.query(`delete from migrations where name = '0007_gentle_sweeps'; drop index send_hits_at_idx`);
  await add(client);
  expect(await migrateUp(database.url)).toEqual(['0007_gentle_sweeps']);
  expect(await countedContacts(client)).toBe(4);
  const invalid = await client.query('select indexrelid::regclass from pg_index where not indisvalid');
  expect(invalid.rows).toEqual([]);
});

test('nobody waits for the folding of addresses but whoever wants a row of it', async () => {
  const [holder, writer] = [await database.connect(), await database.connect()];
  await addSpelling(writer, 'ann@bücher.example');
  await writer.query(`
    insert into sends (id, project_id, brand_id, to_email, template, type, source_type)
    values (gen_random_uuid(), '${PROJECT}', 'p', 'ann@bücher.example', 'welcome', 'marketing', 'api')`);
  await database.migrateTo('0005_sending');
  await holder.query('begin; select 1 from sends for update');
  const migrating = migrateUp(database.url, { tableLockMs: LONG_LOCK_MS });
  await untilBlocked(writer);
  await writer.query(`set lock_timeout = '1s'`);
  await add(writer);
  await writer.query(`update contacts set first_name = 'Ann' where email like 'ann@%'`);
  await writer.query(`insert into suppressions (project_id, email, reason) values ('${PROJECT}', 'bob@example.com', 'manual')`);
  await holder.query('commit');
  await migrating;
  expect((await writer.query('select c.email, first_name from contacts c join sends s on s.to_email = c.email')).rows).toEqual([
    { email: 'ann@xn--bcher-kva.example', first_name: 'Ann' },
  ]);
  expect(await countedContacts(writer)).toBe(5);
});

test('a contact that comes with the new spelling while the old one is folded is merged with it', async () => {
  const [holder, writer] = [await database.connect(), await database.connect()];
  await migrateUp(database.url);
  await addSpelling(writer, 'ann@bücher.example');
  await writer.query(`delete from migrations where name = '0006_addresses'`);
  // 0025 drops a key that 0006 checks.
  await writer.query(`alter table enrollments add constraint enrollments_contact_fkey
    foreign key (contact_id, project_id) references contacts (id, project_id) on delete cascade`);
  await holder.query('begin');
  await addSpelling(holder, 'ann@xn--bcher-kva.example');
  const migrating = migrateUp(database.url, { tableLockMs: LONG_LOCK_MS });
  await untilBlocked(writer);
  await holder.query('commit');
  await migrating;
  expect(await emails(writer)).toEqual(['ann@xn--bcher-kva.example']);
  expect(await countedContacts(writer)).toBe(4);
  const tags = await writer.query(`select sum(delta)::integer as sum from contact_tag_counts where tag = 't'`);
  expect(tags.rows).toEqual([{ sum: 1 }]);
});

test.each(['0006_addresses', '0011_trigger_keys'])('the migration %s goes on where it was cut off', async (name) => {
  const client = await database.connect();
  await addSpelling(client, 'ann@bücher.example');
  await database.migrateTo(name);
  const schema = `select indexrelid::regclass::text as index, indisvalid from pg_index where indrelid in ('contacts'::regclass, 'sends'::regclass, 'sequence_triggers'::regclass) order by 1`;
  const before = (await client.query(schema)).rows;
  // As if it had been cut off at its end.
  await client.query('delete from migrations where name = $1', [name]);
  await addSpelling(client, 'ann@ｂücher.example');
  await database.migrateTo(name);
  expect((await client.query(schema)).rows).toEqual(before);
  if (name === '0006_addresses') expect(await emails(client)).toEqual(['ann@xn--bcher-kva.example']);
});
