import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../db/orm.ts';
import { row, rows } from '../../db/rows.ts';
import { changeProject } from '../../usecases/projects/change-project.ts';
import { campaignBecomes, campaignEnds, campaignOf, checkCampaign, newAudience, newCampaign } from '../support/campaigns.ts';
import { arrived, HOUR_MS, isDueSoon, later, restIsFast, sentRows } from '../support/campaigns-under-way.ts';
import { eventually } from '../support/eventually.ts';
import { scriptMail } from '../support/mail.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { enableTemplates, must } from '../support/sequences.ts';
import { readable, tell, temporalClient, workflowHistory } from '../support/temporal.ts';

let em: EntityManager;
let project: TestProject;

beforeAll(async () => {
  em = await database();
  project = await newProject();
  await enableTemplates(project, 'newsletter');
});

test('a paused campaign sends nothing until it is resumed, then it reaches everybody once', async () => {
  const SIZE = 100;
  const { tag, emails } = await newAudience(project, SIZE);
  const id = await newCampaign(project, { audience: { mode: 'tag', tag }, ratePerSecond: 10 });
  await eventually(async () => (await sentRows(em, id)) >= 10, { everyMs: 20 });
  expect(await project.api.post(`/campaigns/${id}/pause`)).toMatchObject({ status: 200, body: { campaign: { paused: true } } });
  expect(await project.api.post(`/campaigns/${id}/pause`)).toMatchObject({ status: 422, body: { code: 'invalid_status' } });
  const client = await temporalClient();
  await eventually(async () => readable(await workflowHistory(client, `campaign/${id}`)).includes('paused'));
  const open = sql`select 1 from campaign_pages where campaign_id = ${id} and state <> 'pending'`;
  await eventually(async () => (await rows(em, open)).length === 0);
  const atPause = await arrived(project, emails);
  expect(atPause).toBeLessThan(SIZE);
  await restIsFast(em, id);
  expect(await project.api.post(`/campaigns/${id}/resume`)).toMatchObject({ status: 200, body: { campaign: { paused: false } } });
  await campaignEnds(project, id);
  expect(await checkCampaign(em, project, id, emails)).toMatchObject({ sent: SIZE, arrived: SIZE });
});

test('a campaign whose project is suspended in the middle is held, says so, and goes on as soon as that ends', async () => {
  const other = await newProject();
  await enableTemplates(other, 'newsletter');
  const SIZE = 100;
  const { tag, emails } = await newAudience(other, SIZE);
  const id = await newCampaign(other, { audience: { mode: 'tag', tag }, ratePerSecond: 10 });
  await eventually(async () => (await sentRows(em, id)) > 0, { everyMs: 20 });
  await changeProject(em, other.id, { status: 'suspended' });
  const client = await temporalClient();
  await eventually(async () => readable(await workflowHistory(client, `campaign/${id}`)).includes('held: project_suspended'));
  const atHold = await sentRows(em, id);
  expect(atHold).toBeLessThan(SIZE);
  await restIsFast(em, id);
  await changeProject(em, other.id, { status: 'active' });
  // It would look by itself after a minute.
  expect(await campaignEnds(other, id, { timeoutMs: 30_000 })).toMatchObject({ status: 'sent', sent_count: SIZE });
  await checkCampaign(em, other, id, emails);
});

test('a provider that is away for three days ends the campaign and the rest is skipped, but time in which it is paused does not count', async () => {
  const { tag, emails } = await newAudience(project, 3);
  for (const email of emails) await scriptMail(email, { rejectRecipient: { code: 451, message: '4.3.0 later' } });
  const id = await newCampaign(project, { audience: { mode: 'tag', tag } });
  const outagesAre = (least: number) => sql`id = ${id} and outages >= ${least}`;
  const isAway = (least: number) => eventually(() => row(em, sql`select 1 from campaigns where ${outagesAre(least)}`));
  const forThreeDays = (least: number) =>
    row(em, sql`update campaigns set first_outage_at = now() - interval '3 days' where ${outagesAre(least)} returning id`);
  const handle = (await temporalClient()).workflow.getHandle(`campaign/${id}`);
  // It would end at its next try: after the third the pause until that is long enough for a call to come first.
  for (const least of [1, 2]) {
    await isAway(least);
    await handle.signal('retryNow');
  }
  await eventually(() => forThreeDays(3));
  must(await project.api.post(`/campaigns/${id}/pause`), 200);
  const outage = sql<{ at: Date | null }>`select first_outage_at as at from campaigns where id = ${id}`;
  await eventually(async () => (await row(em, outage))?.at === null);
  must(await project.api.post(`/campaigns/${id}/resume`), 200);
  expect(await campaignOf(project, id)).toMatchObject({ status: 'sending', skipped_count: 0 });
  await eventually(async () => {
    await handle.signal('retryNow');
    return forThreeDays(1);
  });
  // A signal of before may have ended it.
  await tell(await temporalClient(), `campaign/${id}`, 'retryNow');
  expect(await campaignEnds(project, id)).toMatchObject({ status: 'sent', reason: 'provider_unavailable', skipped_count: 3 });
  await checkCampaign(em, project, id, emails);
});

test('what an operator asks to retry is tried once: a provider that is still away is waited for again', async () => {
  const { tag, emails } = await newAudience(project, 1);
  await scriptMail(emails[0] as string, { rejectRecipient: { code: 451, message: '4.3.0 later' } });
  const id = await newCampaign(project, { audience: { mode: 'tag', tag } });
  const outages = async () => (await row(em, sql<{ outages: number }>`select outages from campaigns where id = ${id}`))?.outages ?? 0;
  const handle = (await temporalClient()).workflow.getHandle(`campaign/${id}`);
  // Then the pause is long enough to be seen.
  for (const least of [1, 2]) {
    await eventually(async () => (await outages()) >= least);
    await handle.signal('retryNow');
  }
  await eventually(async () => (await outages()) >= 3);
  await eventually(async () => (await handle.describe()).searchAttributes.EverpostState?.[0] === 'retrying');
  expect(await outages()).toBeLessThan(10);
  must(await project.api.post(`/campaigns/${id}/cancel`), 200);
});

test('whoever cannot get it any more after an outage leaves no reason behind', async () => {
  const { tag, emails } = await newAudience(project, 1);
  await scriptMail(emails[0] as string, { rejectRecipient: { code: 451, message: '4.3.0 later' } });
  const id = await newCampaign(project, { audience: { mode: 'tag', tag } });
  await campaignBecomes(project, id, ({ reason }) => reason === 'provider_unavailable');
  must(await project.api.post('/suppressions', { email: emails[0], reason: 'manual' }), 201);
  const client = await temporalClient();
  await eventually(async () => {
    await tell(client, `campaign/${id}`, 'retryNow');
    return (await campaignOf(project, id)).status === 'sent';
  });
  expect(await campaignOf(project, id)).toMatchObject({ skipped_count: 1, reason: null });
});

test('a campaign that is paused before it starts ends at endsAt all the same', async () => {
  const { tag, emails } = await newAudience(project, 2);
  const id = await newCampaign(project, { audience: { mode: 'tag', tag }, scheduleAt: later(), endsAt: later(HOUR_MS + 1_500) });
  must(await project.api.post(`/campaigns/${id}/pause`), 200);
  await isDueSoon(em, id);
  expect(await campaignEnds(project, id)).toMatchObject({
    status: 'sent',
    reason: 'ends_at_reached',
    total_recipients: 2,
    skipped_count: 2,
  });
  expect(await checkCampaign(em, project, id, emails)).toMatchObject({ sent: 0, arrived: 0 });
});

test('at endsAt the rest is skipped and the campaign counts as sent', async () => {
  const { tag, emails } = await newAudience(project, 100);
  const id = await newCampaign(project, { audience: { mode: 'tag', tag }, ratePerSecond: 5, endsAt: later() });
  await eventually(async () => (await sentRows(em, id)) > 0, { everyMs: 20 });
  await rows(em, sql`update campaigns set ends_at = now() + interval '1 s' where id = ${id}`);
  const record = await campaignEnds(project, id);
  expect(record).toMatchObject({ status: 'sent', reason: 'ends_at_reached' });
  expect(record.skipped_count).toBeGreaterThan(0);
  expect(record.sent_count).toBeGreaterThan(0);
  await checkCampaign(em, project, id, emails);
});
