import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { row } from '../../../db/rows.ts';
import { createLogger } from '../../../platform/logger.ts';
import { startDatabaseReadings } from '../../../platform/metrics/database-readings.ts';
import { createMetrics } from '../../../platform/metrics/metrics.ts';
import { eventually } from '../../support/eventually.ts';
import { readPage } from '../../support/metrics-page.ts';
import { ownDatabase } from '../../support/own-database.ts';

test('what cannot be read has no samples rather than a 0, the page comes all the same, and it is read again later', async () => {
  const orm = await ownDatabase();
  const metrics = createMetrics();
  const page = async () => readPage(await metrics.page());
  const isUp = async (read: string) => (await page()).sum('everpost_database_read_up', { read });
  const readings = startDatabaseReadings({ orm, log: createLogger('silent'), metrics });
  try {
    // One that took too long is read again after a minute.
    for (const read of ['queue_ages', 'enrollments']) await eventually(async () => (await isUp(read)) === 1, { timeoutMs: 90_000 });
    await orm.em.fork().transactional(async (tx) => {
      await row(tx, sql`lock table outbox in access exclusive mode`);
      await eventually(async () => (await isUp('queue_ages')) === 0);
      expect((await page()).sum('everpost_outbox_oldest_seconds')).toBeUndefined();
      expect(await isUp('enrollments')).toBe(1);
    });
    await eventually(async () => (await isUp('queue_ages')) === 1);
    expect((await page()).sum('everpost_outbox_oldest_seconds')).toBe(0);
  } finally {
    await readings.stop();
  }
});
