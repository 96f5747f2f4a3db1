import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { createMigrated } from '../support/databases.ts';
import { plainEnvironment, testEnvironment } from '../support/environment.ts';

const PROGRAM = fileURLToPath(new URL('../../bin/admin.ts', import.meta.url));

test('prune goes on until nothing is left and answers with the rows of each table; with --dry-run nothing goes', async () => {
  const { databaseUrl, scratchDir } = testEnvironment();
  const url = await createMigrated(databaseUrl);
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(
    `insert into webhook_attempts (delivery_id, token, begun_at)
     select gen_random_uuid(), gen_random_uuid(), now() - interval '2 days' from generate_series(1, 5000)`,
  );
  const env = { ...plainEnvironment(), DATABASE_URL: url, DATA_DIR: await mkdtemp(join(scratchDir, 'prune-')) };
  const prune = async (...options: string[]) => {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [PROGRAM, 'prune', '--json', ...options], { env });
    const answer = JSON.parse(stdout) as { table: string; rows: number }[];
    return { stderr, counts: Object.fromEntries(answer.map(({ table, rows }) => [table, rows])) };
  };
  const counts = {
    ...{ idempotency_keys: 0, import_refusals: 0, imports: 0, events: 0, send_hits: 0, provider_events: 0 },
    ...{ event_types: 0, webhook_deliveries: 0, webhook_events: 0, webhook_attempts: 5000, enrollment_steps: 0 },
    ...{ console_sessions: 0, webhook_retries: 0, campaign_left_out: 0, refused_entries: 0, date_entries: 0, reputation_counts: 0 },
    ...{ throttle_passes: 0, bulk_enrollments: 0, enrollment_actions: 0, webhook_listeners: 0 },
  };
  try {
    expect(await prune('--dry-run')).toEqual({ counts, stderr: expect.stringContaining('webhook_attempts: 2000 rows would go so far') });
    expect(await prune()).toEqual({ counts, stderr: expect.stringContaining('webhook_attempts: 2000 rows gone so far') });
    expect((await client.query('select 1 from webhook_attempts')).rowCount).toBe(0);
    expect(await prune()).toEqual({ counts: { ...counts, webhook_attempts: 0 }, stderr: '' });
  } finally {
    await client.end();
  }
});
