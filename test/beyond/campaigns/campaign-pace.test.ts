import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { EntityManager } from '../../../db/orm.ts';
import { rows } from '../../../db/rows.ts';
import { campaignBecomes, campaignEnds, checkCampaign, newAudience, newCampaign } from '../../support/campaigns.ts';
import { eventually } from '../../support/eventually.ts';
import { database } from '../../support/project.ts';
import { resetWorkflow } from '../../support/reset-workflow.ts';
import { must } from '../../support/sequences.ts';
import { temporalClient } from '../../support/temporal.ts';
import { sharingEverpost } from '../../support/with-everpost.ts';

const withSendRate = sharingEverpost({ env: { SEND_RATE_PER_SECOND: '25' } });

/** From now on each claim of a paced batch leaves, in ms, from when on the next one may be made. */
async function noteClaims(em: EntityManager): Promise<void> {
  await em.execute('create table claims (campaign_id uuid, at double precision)');
  await em.execute(`
    create function note_claim() returns trigger language plpgsql as $$
      begin
        insert into claims values (new.id, extract(epoch from new.next_page_at) * 1000);
        return null;
      end $$`);
  await em.execute(`
    create trigger claimed after update of next_page_at on campaigns for each row
    when (new.next_page_at is not null and old.next_page_at is distinct from new.next_page_at) execute function note_claim()`);
}

test.concurrent('a campaign that is paused and resumed again and again, and whose workflow is reset, is not faster than its rate', async () => {
  const SIZE = 6;
  await withSendRate(async ({ stack, project }) => {
    const { tag } = await newAudience(project, SIZE);
    const client = await temporalClient(stack.namespace);
    const em = await database(stack.databaseUrl);
    await noteClaims(em);
    const id = await newCampaign(project, { audience: { mode: 'tag', tag }, ratePerSecond: 1 });
    const claims = async () =>
      (await rows(em, sql<{ at: number }>`select at from claims where campaign_id = ${id} order by at`)).map(({ at }) => at);
    const isPaused = async () =>
      (await client.workflow.getHandle(`campaign/${id}`).describe()).searchAttributes.EverpostState?.[0] === 'paused';
    for (const many of [1, 2, 3]) {
      await campaignBecomes(project, id, ({ sent_count }) => sent_count >= many, { timeoutMs: 60_000, everyMs: 20 });
      must(await project.api.post(`/campaigns/${id}/pause`), 200);
      await eventually(isPaused, { everyMs: 20 });
      must(await project.api.post(`/campaigns/${id}/resume`), 200);
    }
    await campaignBecomes(project, id, ({ sent_count }) => sent_count >= 4, { timeoutMs: 60_000, everyMs: 20 });
    await resetWorkflow(client, `campaign/${id}`);
    expect(await campaignEnds(project, id)).toMatchObject({ status: 'sent', sent_count: SIZE });
    const sent = await claims();
    expect(sent.length).toBeGreaterThanOrEqual(SIZE);
    // Each batch has one mail, and the next may be claimed a second later.
    for (const [index, at] of sent.entries()) if (index > 0) expect(at - sent[index - 1]!).toBeGreaterThanOrEqual(1000);
  });
});

test.concurrent('under SEND_RATE_PER_SECOND a cancel is exact, and the next campaign goes on', async () => {
  const SIZE = 300;
  await withSendRate(async ({ stack, project, arrived }) => {
    const em = await database(stack.databaseUrl);
    const { tag, emails } = await newAudience(project, SIZE);
    const next = await newAudience(project, 30);
    const id = await newCampaign(project, { audience: { mode: 'tag', tag } });
    await eventually(async () => (await arrived()) >= 60, { timeoutMs: 60_000, everyMs: 20 });
    const { cancelledJobs } = must(await project.api.post(`/campaigns/${id}/cancel`), 200);
    const atAnswer = await arrived();
    expect(atAnswer).toBeLessThan(SIZE);
    expect(cancelledJobs).toBe(SIZE - atAnswer);
    const after = await newCampaign(project, { audience: { mode: 'tag', tag: next.tag } });
    expect(await campaignEnds(project, after)).toMatchObject({ status: 'sent', sent_count: 30 });
    await checkCampaign(em, project, after, next.emails);
    expect(await checkCampaign(em, project, id, emails)).toMatchObject({ arrived: atAnswer, outcomeUnknown: 0 });
  });
});
