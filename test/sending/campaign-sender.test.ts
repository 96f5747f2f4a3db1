import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { changeCampaign, insertCampaign } from '../../db/queries/campaigns/campaigns.ts';
import { rows } from '../../db/rows.ts';
import { createCampaignSenders } from '../../sending/campaign-sender.ts';
import { createInFlight } from '../../sending/in-flight.ts';
import { NO_PACE } from '../../sending/send-pace.ts';
import { bareProject, ownDatabase } from '../support/own-database.ts';
import { shippedTemplates } from '../support/sending.ts';

test('a sender that has sent the last batch of a campaign under a rate ends without waiting for the next turn', async () => {
  const orm = await ownDatabase();
  const em = orm.em.fork();
  const { id: projectId } = await bareProject(em);
  const id = uuidv7();
  await insertCampaign(em, {
    ...{ id, projectId, name: '', template: 'newsletter', type: 'marketing', brand: 'b', subject: 's', hasOwnSubject: false, data: {} },
    ...{ audience: { mode: 'entire' }, variants: null, scheduledAt: null, endsAt: null, ratePerSecond: 1, now: new Date() },
  });
  await changeCampaign(em, id, { status: 'sending' });
  // After these the next turn is in an hour.
  await rows(
    em,
    sql`insert into campaign_pages (campaign_id, no, contact_ids)
        select ${id}::uuid, 0, array_agg(gen_random_uuid()) from generate_series(1, 3600)`,
  );
  const senders = createCampaignSenders({
    em,
    sending: { sendCampaignBatch: async ({ requests }) => requests.map(() => ({ state: 'sent' })) },
    registry: await shippedTemplates(),
    inFlight: createInFlight({ connections: 1, pace: NO_PACE }),
    places: 2,
    newId: uuidv7,
  });
  const result = await senders.run(id, { milliseconds: 60_000, signal: new AbortController().signal, progress: () => undefined });
  expect(result).toEqual({ sent: 3600, failed: 0, skipped: 0, away: null });
});
