import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { WebhookEndpoint } from '../../../db/entities/index.ts';
import { listDeliveries } from '../../../db/queries/webhooks/webhook-deliveries.ts';
import { rows } from '../../../db/rows.ts';
import { blocksRead, withoutStatistics } from '../../support/blocks-read.ts';
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
  await withoutStatistics(em, ['webhook_events', 'webhook_deliveries']);
  await rows(
    em,
    sql`with made as (
          insert into webhook_events (id, project_id, type, data, created_at)
          select uuid_v7(), ${projectId}, 'contact.created', '{}', now() - make_interval(secs => n) from generate_series(1, ${EVENTS}) as n
          returning id, created_at)
        insert into webhook_deliveries (id, project_id, endpoint_id, event_id, status, created_at, next_attempt_at)
        select uuid_v7(), ${projectId}, ${endpointId}, id, 'delivered', created_at, created_at from made`,
  );
  const before = await blocksRead(em, 'webhook_deliveries');
  const filter = { status: 'pending', eventType: 'contact.created' } as const;
  expect(await listDeliveries(em, { projectId, endpointId }, { limit: 50, filter, before: undefined })).toMatchObject({ deliveries: [] });
  expect((await blocksRead(em, 'webhook_deliveries')) - before).toBeLessThan(10 * EVENTS);
});
