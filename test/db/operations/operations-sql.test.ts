import { readFile } from 'node:fs/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMigrated } from '../../support/databases.ts';
import { testEnvironment } from '../../support/environment.ts';

let client: Client;
beforeAll(async () => {
  const url = await createMigrated(testEnvironment().databaseUrl);
  client = new Client({ connectionString: url });
  await client.connect();
});
afterAll(() => client.end());

test('each statement of docs/operations.md runs on the migrated database', async () => {
  const text = await readFile(new URL('../../../docs/operations.md', import.meta.url), 'utf8');
  const statements = [...text.matchAll(/```sql\n([\s\S]*?)```/g)].map(([, statement]) => statement!);
  expect(statements.length).toBeGreaterThan(6);
  for (const statement of statements) await expect(client.query(statement)).resolves.toBeDefined();
});
