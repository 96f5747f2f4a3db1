import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type MikroORM, openDatabase } from '../../db/orm.ts';
import { row, rows } from '../../db/rows.ts';
import { changeTables } from './change-tables.ts';
import { createMigrated } from './databases.ts';
import { testEnvironment } from './environment.ts';
import { eventually } from './eventually.ts';

let orm: MikroORM;
beforeEach(async () => {
  const url = await createMigrated(testEnvironment().databaseUrl);
  orm = await openDatabase({ url, poolSize: 3, applicationName: 'everpost-test' });
});
afterEach(() => orm.close());

test('a change that waits for a transaction holds up nobody else, and is made once that has ended', async () => {
  const changing = await orm.em.fork().transactional(async (tx) => {
    await rows(tx, sql`select from sends`);
    const change = changeTables(orm.em.fork(), 'alter table sends add column changed integer');
    await eventually(async () => {
      const waits = sql`select from pg_locks where not granted and mode = 'AccessExclusiveLock' and relation = 'sends'::regclass`;
      return (await rows(orm.em.fork(), waits)).length === 1;
    });
    await orm.em.fork().transactional(async (other) => {
      await row(other, sql`set local lock_timeout = '5s'`);
      expect(await rows(other, sql`select from sends`)).toEqual([]);
    });
    return { change };
  });
  await changing.change;
  expect(await rows(orm.em.fork(), sql`select changed from sends`)).toEqual([]);
});

test('a change that is refused throws what PostgreSQL says', async () => {
  await expect(changeTables(orm.em.fork(), 'drop trigger nobody on sends')).rejects.toThrow(
    'trigger "nobody" for table "sends" does not exist',
  );
});
