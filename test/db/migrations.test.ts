import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrateUp, migrationStatus } from '../../bin/migrate.ts';
import { type MikroORM, openDatabase } from '../../db/orm.ts';
import { createDatabase } from '../support/databases.ts';
import { testEnvironment } from '../support/environment.ts';

let url: string;
let orm: MikroORM;

beforeAll(async () => {
  url = await createDatabase(testEnvironment().databaseUrl);
  orm = await openDatabase({ url, poolSize: 2, applicationName: 'everpost-test' });
});

afterAll(async () => {
  await orm.close();
});

test('two processes that migrate at once apply everything once, and a third finds nothing to do', async () => {
  const both = await Promise.all([migrateUp(url), migrateUp(url)]);
  const { applied, pending } = await migrationStatus(url);
  expect(pending).toEqual([]);
  expect(both.flat()).toEqual(applied);
  expect(await migrateUp(url)).toEqual([]);
});

test('the entities have the columns of the migrated tables, no more and no less', async () => {
  // Constraints, indexes, triggers and functions are written in SQL only, so a difference in them says nothing.
  const difference = await orm.schema.getUpdateSchemaSQL({ safe: false });
  const statements = difference
    .split(';')
    .map((statement) => statement.trim())
    .filter(Boolean);
  const tablesAndColumns = statements.filter(
    (statement) =>
      !/^(create (unique )?index|drop (index|trigger|function)|alter table "\w+" (add|drop) constraint|comment on|set )/i.test(statement),
  );
  expect(tablesAndColumns).toEqual([]);
});
