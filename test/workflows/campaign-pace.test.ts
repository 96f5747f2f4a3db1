import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { rows } from '../../db/rows.ts';
import { campaignBecomes, campaignEnds, checkCampaign, newAudience, newCampaign } from '../support/campaigns.ts';
import { eventually } from '../support/eventually.ts';
import { database } from '../support/project.ts';
import { resetWorkflow } from '../support/reset-workflow.ts';
import { must } from '../support/sequences.ts';
import { temporalClient } from '../support/temporal.ts';
import { sharingEverpost } from '../support/with-everpost.ts';

const withSendRate = sharingEverpost({ env: { SEND_RATE_PER_SECOND: '25' } });

test.concurrent('a campaign that is paused and resumed again and again, and whose workflow is reset, is not faster than its rate', async () => {
  const SIZE = 6;
  await withSendRate(async ({ stack, project }) => {
    const { tag } = await newAudience(project, SIZE);
    const client = await temporalClient(stack.namespace);
    const id = await newCampaign(project, { audience: { mode: 'tag', tag }, ratePerSecond: 1 });
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
    const span = sql<{ seconds: number }>`
      select extract(epoch from max(opened_at) - min(opened_at))::double precision as seconds from sends where source_id = ${id}`;
    const [found] = await rows(await database(stack.databaseUrl), span);
    expect(found?.seconds).toBeGreaterThan(SIZE - 2);
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
