import { beforeAll, expect, test } from 'vitest';
import { campaignBecomes, campaignEnds, campaignOf, newAudience, newCampaign } from '../../support/campaigns.ts';
import { report } from '../../support/inbound.ts';
import { newProject, type TestProject } from '../../support/project.ts';
import { enableTemplates, must } from '../../support/sequences.ts';

let project: TestProject;
beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'newsletter');
});

const setLimits = (campaignLimits: unknown, of = project) => of.api.call('PATCH', '/project', { campaignLimits });

test('limits are set one by one and taken out, told with the project, and only those that make sense', async () => {
  const { api } = await newProject();
  const limitsOf = async () => must(await api.get('/me'), 200).project.campaign_limits;
  const change = async (campaignLimits: unknown) =>
    must(await api.call('PATCH', '/project', { campaignLimits }), 200).project.campaign_limits;
  expect(await limitsOf()).toEqual({ bounce_rate: null, complaint_rate: null });
  expect(await change({ bounceRate: 0.05 })).toEqual({ bounce_rate: 0.05, complaint_rate: null });
  expect(await change({ complaintRate: 0.003 })).toEqual({ bounce_rate: 0.05, complaint_rate: 0.003 });
  expect(await change({ bounceRate: null })).toEqual({ bounce_rate: null, complaint_rate: 0.003 });
  expect(await change(undefined)).toEqual({ bounce_rate: null, complaint_rate: 0.003 });
  for (const wrong of [{ bounceRate: 0 }, { bounceRate: 5 }, { complaintRate: -0.1 }, { complaintRate: '0.1' }, { bounces: 0.1 }, 0.05])
    expect((await api.call('PATCH', '/project', { campaignLimits: wrong })).status).toBe(422);
  expect(await limitsOf()).toEqual({ bounce_rate: null, complaint_rate: 0.003 });
  expect(await change(null)).toEqual({ bounce_rate: null, complaint_rate: null });
});

test('limits are set by keys that write campaigns, and by no test key', async () => {
  for (const [scopes, isTest, status] of [
    [['campaigns:write'], false, 200],
    [['campaigns:read', 'keys:write'], false, 403],
    [['*'], true, 403],
  ] as const) {
    const { api } = await project.newKey(scopes, isTest);
    expect((await api.call('PATCH', '/project', { campaignLimits: { bounceRate: 0.5 } })).status).toBe(status);
  }
});

/** The provider ids of mails of the campaign that went, the newest first. */
async function mailsOf(id: string): Promise<string[]> {
  const { sends } = must(await project.api.get(`/sends?sourceId=${id}&status=sent&limit=250`), 200);
  return sends.map(({ provider_id }: { provider_id: string }) => provider_id);
}

async function bounce(providerIds: readonly string[], kind = 'hard'): Promise<void> {
  for (const providerId of providerIds) expect((await report(project, { type: 'bounced', providerId, bounce: { kind } })).status).toBe(200);
}

/** Mails of one batch, under the rate of these campaigns. */
const BATCH = 50;

/** Pauses the campaign when so many went, so that nothing more goes while reports come in. */
async function pauseAt(id: string, sent: number): Promise<number> {
  await campaignBecomes(project, id, ({ sent_count }) => sent_count >= sent);
  must(await project.api.post(`/campaigns/${id}/pause`), 200);
  // Mails in flight still go.
  let before = -1;
  const { sent_count } = await campaignBecomes(project, id, (campaign) => {
    const isStill = campaign.sent_count % BATCH === 0 && campaign.sent_count === before;
    before = campaign.sent_count;
    return isStill;
  });
  return sent_count;
}

test('a campaign beyond its limit pauses by itself, says why, and goes on when somebody resumes it, until it is beyond it again', async () => {
  must(await setLimits({ bounceRate: 0.05, complaintRate: 0.5 }), 200);
  const { tag } = await newAudience(project, 1_500);
  const other = await newProject();
  // Batches of a hundred, one after the other.
  const id = await newCampaign(project, { name: 'Spring', audience: { mode: 'tag', tag }, ratePerSecond: 50 });
  const judged = await pauseAt(id, 100);
  const mails = await mailsOf(id);
  const [allowed, resume] = [judged / 20, () => project.api.post(`/campaigns/${id}/resume`)];
  // Told twice, in another way and by another project: no more than is allowed, so it goes on.
  await bounce(mails.slice(0, allowed));
  await bounce(mails.slice(0, allowed), 'soft');
  for (const providerId of mails.slice(0, allowed + 5)) await report(other, { type: 'bounced', providerId, bounce: { kind: 'hard' } });
  must(await resume(), 200);
  const more = await pauseAt(id, judged + 100);
  expect(await campaignOf(project, id)).toMatchObject({ status: 'sending', paused_reason: null, bounced_count: allowed });

  await bounce(mails.slice(allowed, more / 20 + 1));
  must(await resume(), 200);
  const reason = { limit: 'bounceRate', value: 0.05, count: more / 20 + 1, mails: more };
  const paused = await campaignBecomes(project, id, ({ paused }) => paused);
  expect(paused).toMatchObject({ status: 'sending', sent_count: more, paused_reason: reason });
  const { items } = must(await project.api.get('/attention'), 200);
  expect(items.find(({ about }: { about: string }) => about === id)).toMatchObject({
    kind: 'campaign_held',
    message: expect.stringMatching(
      new RegExp(
        `^the campaign Spring has paused by itself: 5\\.[0-9]+ % of ${more} emails bounced, and the limit is 5 %; resume or cancel it$`,
      ),
    ),
  });

  // Not for the mails that it has paused for; for new ones.
  must(await resume(), 200);
  expect(await campaignOf(project, id)).toMatchObject({ paused: false, paused_reason: null });
  const later = await pauseAt(id, more + 100);
  await bounce((await mailsOf(id)).slice(0, (later - more) / 20 + 1));
  must(await resume(), 200);
  const again = { limit: 'bounceRate', value: 0.05, count: (later - more) / 20 + 1, mails: later - more };
  expect(await campaignBecomes(project, id, ({ paused }) => paused)).toMatchObject({ sent_count: later, paused_reason: again });
  must(await project.api.post(`/campaigns/${id}/cancel`), 200);
  expect(await campaignOf(project, id)).toMatchObject({ status: 'cancelled', paused: false, paused_reason: null });
});

test('complaints pause it too, limits hold for a campaign that is under way, and whoever pauses it has no reason to give', async () => {
  must(await setLimits(null), 200);
  const { tag } = await newAudience(project, 700);
  const id = await newCampaign(project, { audience: { mode: 'tag', tag }, ratePerSecond: 50 });
  const sent = await pauseAt(id, 100);
  for (const providerId of (await mailsOf(id)).slice(0, 10)) await report(project, { type: 'complained', providerId });
  must(await setLimits({ complaintRate: 0.003 }), 200);
  must(await project.api.post(`/campaigns/${id}/resume`), 200);
  const paused = await campaignBecomes(project, id, ({ paused }) => paused);
  expect(paused).toMatchObject({ sent_count: sent, paused_reason: { limit: 'complaintRate', value: 0.003, count: 10, mails: sent } });
  must(await project.api.post(`/campaigns/${id}/resume`), 200);
  must(await project.api.post(`/campaigns/${id}/pause`), 200);
  expect(await campaignOf(project, id)).toMatchObject({ paused: true, paused_reason: null });
  must(await project.api.post(`/campaigns/${id}/resume`), 200);
  expect(await campaignEnds(project, id)).toMatchObject({ status: 'sent', sent_count: 700, paused: false });
});
