import { beforeAll, expect, test } from 'vitest';
import { campaignBecomes, campaignEnds, campaignOf, newAudience, newCampaign } from '../../support/campaigns.ts';
import { mailCount } from '../../support/mail.ts';
import { newProject, type TestProject } from '../../support/project.ts';
import { enableTemplates, must } from '../../support/sequences.ts';
import { listenForEvents } from '../../support/webhook-events.ts';

let live: TestProject;
/** The same project, by a test key. */
let tester: Pick<TestProject, 'api'>;

beforeAll(async () => {
  live = await newProject();
  tester = await live.newKey(['*'], true);
  await enableTemplates(live, 'newsletter');
});

const sendsOf = async (id: string) => must(await live.api.get(`/sends?sourceId=${id}`), 200).sends;

test('a campaign that a test key asks for reaches everybody by a row of a mail that never left, once, and tells the webhooks', async () => {
  const { tag, emails } = await newAudience(live, 12);
  const events = await listenForEvents(live);
  const body = { template: 'newsletter', audience: { mode: 'tag', tag } };
  const ask = async (by: Pick<TestProject, 'api'>) =>
    must(await by.api.call('POST', '/campaigns', body, { headers: { 'idempotency-key': `k-${tag}` } }), 201).campaignId;
  const id = await ask(tester);
  expect(await ask(tester)).toBe(id);
  expect(await campaignEnds(live, id)).toMatchObject({ status: 'sent', sandboxed: true, sent_count: 12 });
  const sends = await sendsOf(id);
  expect(sends.map(({ to_email }: { to_email: string }) => to_email).sort()).toEqual(emails.toSorted());
  for (const send of sends) expect(send).toMatchObject({ status: 'sent', sandboxed: true, provider_id: `sandbox-${send.id}` });
  for (const email of emails) expect(await mailCount(email)).toBe(0);
  const completed = async () =>
    (await events()).filter(({ type }) => type === 'campaign.completed').map(({ data }) => (data as { sandboxed: boolean }).sandboxed);
  expect(await completed()).toEqual([true]);
  // The live one under the same key is another, and goes.
  const liveId = await ask(live);
  expect(liveId).not.toBe(id);
  expect(await campaignEnds(live, liveId)).toMatchObject({ status: 'sent', sandboxed: false, sent_count: 12 });
  for (const email of emails) expect(await mailCount(email)).toBe(1);
});

test('whoever resumes it, and however it is cancelled, nothing of it leaves', async () => {
  const { tag, emails } = await newAudience(live, 6);
  const id = await newCampaign(tester, { audience: { mode: 'tag', tag }, ratePerSecond: 2 });
  await campaignBecomes(live, id, ({ sent_count }) => sent_count > 0);
  must(await tester.api.post(`/campaigns/${id}/pause`), 200);
  must(await live.api.post(`/campaigns/${id}/resume`), 200);
  must(await tester.api.post(`/campaigns/${id}/cancel`), 200);
  expect((await sendsOf(id)).every(({ sandboxed }: { sandboxed: boolean }) => sandboxed)).toBe(true);
  for (const email of emails) expect(await mailCount(email)).toBe(0);
});

test('a test key pauses, resumes and cancels no campaign of another key, and none of another project', async () => {
  const { tag } = await newAudience(live, 1);
  const scheduleAt = new Date(Date.now() + 86_400_000).toISOString();
  const [ofLive, tried] = [live, tester].map((by) => newCampaign(by, { audience: { mode: 'tag', tag }, scheduleAt }));
  const other = await (await newProject()).newKey(['*'], true);
  for (const change of ['pause', 'resume', 'cancel']) {
    const { status, body } = await tester.api.post(`/campaigns/${await ofLive}/${change}`);
    expect([change, status, body.code, body.error]).toEqual([
      change,
      403,
      'forbidden',
      expect.stringContaining('can change only what test keys'),
    ]);
    expect((await other.api.post(`/campaigns/${await tried}/${change}`)).status).toBe(404);
  }
  expect(await campaignOf(live, (await ofLive) as string)).toMatchObject({ status: 'scheduled', paused: false, sandboxed: false });
});
