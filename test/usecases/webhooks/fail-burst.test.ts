import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { WebhookDelivery, WebhookEndpoint } from '../../../db/entities/index.ts';
import { emit } from '../../../db/queries/webhooks/emit.ts';
import { failBurst } from '../../../usecases/webhooks/fail-burst.ts';
import { untilBlocked } from '../../support/blocked.ts';
import { bareProject, ownDatabase } from '../../support/own-database.ts';

test('an event that is written while a terminated burst is settled fails with it or starts another, and is never left alone', async () => {
  const orm = await ownDatabase();
  const em = orm.em.fork();
  const [{ id: projectId }, id] = [await bareProject(em), uuidv7()];
  const sealed_secret = Buffer.from('a secret') as never;
  await em.insert(WebhookEndpoint, { id, project_id: projectId, url: 'https://a.example/', sealed_secret, has_lane: true });
  const { settling } = await orm.em.fork().transactional(async (tx) => {
    await emit(tx, projectId, { type: 'contact.subscribed', contact: { id: uuidv7(), status: 'subscribed' } as never });
    const settling = orm.em.fork().transactional((other) => failBurst(other, id));
    await untilBlocked(tx);
    return { settling };
  });
  expect(await settling).toBe(1);
  expect(await orm.em.fork().find(WebhookDelivery, { endpoint_id: id })).toMatchObject([{ status: 'failed', in_lane: false }]);
  expect(await orm.em.fork().findOneOrFail(WebhookEndpoint, { id })).toMatchObject({ has_lane: false });
});
