import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { WebhookEndpoint } from '../../../db/entities/index.ts';
import type { EntityManager } from '../../../db/orm.ts';
import { listDeliveries } from '../../../db/queries/webhooks/webhook-deliveries.ts';
import { row, rows } from '../../../db/rows.ts';
import { bareProject, ownDatabase } from '../../support/own-database.ts';

const EVENTS = 8_000;

test('a list by status and type of event reads a few blocks for each event, also before the tables have statistics', async () => {
  const orm = await ownDatabase();
  const em = orm.em.fork();
  const { id: projectId } = await bareProject(em);
  const endpointId = uuidv7();
  await em.insert(WebhookEndpoint, {
    id: endpointId,
    project_id: projectId,
    url: 'https://x.example/',
    events: null,
    sealed_secret: Buffer.of(1),
  });
  for (const table of ['webhook_events', 'webhook_deliveries'])
    await rows(em, sql`alter table ${sql.table(table)} set (autovacuum_enabled = false)`);
  await rows(
    em,
    sql`with made as (
          insert into webhook_events (id, project_id, type, data, created_at)
          select uuid_v7(), ${projectId}, 'contact.created', '{}', now() - make_interval(secs => n) from generate_series(1, ${EVENTS}) as n
          returning id, created_at)
        insert into webhook_deliveries (id, project_id, endpoint_id, event_id, status, created_at, next_attempt_at)
        select uuid_v7(), ${projectId}, ${endpointId}, id, 'delivered', created_at, created_at from made`,
  );
  const before = await blocksRead(em);
  const filter = { status: 'pending', eventType: 'contact.created' } as const;
  expect(await listDeliveries(em, { projectId, endpointId }, { limit: 50, filter, before: undefined })).toMatchObject({ deliveries: [] });
  expect((await blocksRead(em)) - before).toBeLessThan(10 * EVENTS);
});

/** Of the deliveries and their indexes, from memory or not. */
async function blocksRead(em: EntityManager): Promise<number> {
  await rows(em, sql`select pg_stat_force_next_flush()`);
  const read = await row(
    em,
    sql<{ blocks: number }>`select (heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read)::bigint as blocks
                            from pg_statio_user_tables where relname = 'webhook_deliveries'`,
  );
  return read?.blocks ?? Number.NaN;
}
