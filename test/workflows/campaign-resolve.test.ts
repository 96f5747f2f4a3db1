import { expect, test } from 'vitest';
import { campaignBecomes, campaignEnds, checkCampaign } from '../support/campaigns.ts';
import { database } from '../support/project.ts';
import { dueCampaign, slowResolving } from '../support/slow-resolving.ts';
import { temporalClient } from '../support/temporal.ts';
import { sharingEverpost } from '../support/with-everpost.ts';

const SIZE = 3;
const PATIENCE = { timeoutMs: 90_000, everyMs: 250 };
const withResolving = sharingEverpost({});

test('while it is found out who gets a campaign it can be paused, resumed and cancelled, and then nobody gets it', async () => {
  await withResolving(async (given) => {
    const { stack, project } = given;
    const em = await database(stack.databaseUrl);
    const resolving = await slowResolving(em);
    const { id, emails } = await dueCampaign(given, em, SIZE);
    const pid = await resolving.by();
    expect(await project.api.post(`/campaigns/${id}/pause`)).toMatchObject({ status: 200, body: { campaign: { paused: true } } });
    expect(await project.api.post(`/campaigns/${id}/resume`)).toMatchObject({ status: 200, body: { campaign: { paused: false } } });
    expect(await project.api.post(`/campaigns/${id}/cancel`)).toMatchObject({ status: 200, body: { cancelledJobs: SIZE } });
    expect(await resolving.by()).toBe(pid);
    await resolving.letGo();
    await resolving.over();
    const handle = (await temporalClient(stack.namespace)).workflow.getHandle(`campaign/${id}`);
    await handle.result();
    expect(await checkCampaign(em, project, id, emails)).toMatchObject({
      arrived: 0,
      record: { status: 'cancelled', total_recipients: SIZE, cancelled_count: SIZE },
    });
    await resolving.end();
  });
}, 300_000);

test('a campaign that is paused while it is found out who gets it is sent when it is resumed', async () => {
  await withResolving(async (given) => {
    const { stack, project } = given;
    const em = await database(stack.databaseUrl);
    const resolving = await slowResolving(em);
    const { id, emails } = await dueCampaign(given, em, SIZE);
    await resolving.by();
    expect(await project.api.post(`/campaigns/${id}/pause`)).toMatchObject({ status: 200 });
    await resolving.letGo();
    await campaignBecomes(project, id, ({ status, paused }) => status === 'queued' && paused, PATIENCE);
    expect(await project.api.post(`/campaigns/${id}/resume`)).toMatchObject({ status: 200 });
    await campaignEnds(project, id, PATIENCE);
    expect(await checkCampaign(em, project, id, emails)).toMatchObject({ sent: SIZE, arrived: SIZE });
    await resolving.end();
  });
}, 300_000);
