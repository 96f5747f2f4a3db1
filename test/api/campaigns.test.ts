import { beforeAll, expect, test } from '@jest/globals';
import type { EntityManager } from '../../db/orm.ts';
import { campaignEnds, campaignOf, checkCampaign, newAudience, newCampaign } from '../support/campaigns.ts';
import { mailTo } from '../support/mail.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { enableTemplates } from '../support/sequences.ts';

let em: EntityManager;
let project: TestProject;

beforeAll(async () => {
  em = await database();
  project = await newProject();
  await enableTemplates(project, 'newsletter', 'receipt');
});

test('a campaign to a tag reaches each of its contacts once and adds up', async () => {
  const { tag, emails } = await newAudience(project, 120);
  const created = await project.api.post('/campaigns', { template: 'newsletter', audience: { mode: 'tag', tag } });
  expect(created).toMatchObject({
    status: 201,
    body: { ok: true, campaignId: expect.any(String), audienceSize: 120, enrolled: 120, scheduledFor: null, status: 'queued' },
  });
  const record = await campaignEnds(project, created.body.campaignId);
  expect(record).toMatchObject({ status: 'sent', total_recipients: 120, sent_count: 120, failed_count: 0, skipped_count: 0, reason: null });
  expect(await checkCampaign(em, project, created.body.campaignId, emails)).toMatchObject({ sent: 120, arrived: 120 });
  const [mail] = await mailTo(emails[0] as string);
  expect(mail?.raw).toMatch(/^List-Unsubscribe: </im);
});

test('whoever has unsubscribed, bounced or is suppressed counts in the audience and gets nothing', async () => {
  const { tag, emails } = await newAudience(project, 5);
  await project.api.post('/contacts', { email: emails[0], status: 'unsubscribed' });
  await project.api.post('/contacts', { email: emails[1], status: 'bounced' });
  await project.api.post('/suppressions', { email: emails[2], reason: 'manual' });
  const created = await project.api.post('/campaigns', { template: 'receipt', audience: { mode: 'tag', tag } });
  expect(created.body).toMatchObject({ audienceSize: 5, enrolled: 2 });
  await campaignEnds(project, created.body.campaignId);
  expect(await checkCampaign(em, project, created.body.campaignId, emails)).toMatchObject({ sent: 2, arrived: 2 });
});

test('people mode makes contacts of unknown addresses, and names each address that is none', async () => {
  const emails = [project.address('a'), project.address('b')];
  const bad = await project.api.post('/campaigns', { template: 'newsletter', audience: { mode: 'people', emails: [emails[0], 'nobody'] } });
  expect(bad).toMatchObject({ status: 422, body: { code: 'invalid_request', issues: [{ path: 'audience.emails[1]' }] } });
  const id = await newCampaign(project, { audience: { mode: 'people', emails: [...emails, emails[0]?.toUpperCase()] } });
  await campaignEnds(project, id);
  expect(await checkCampaign(em, project, id, emails)).toMatchObject({ sent: 2, arrived: 2 });
  const { body } = await project.api.get(`/contacts?q=${encodeURIComponent(emails[1] as string)}`);
  expect(body.contacts).toMatchObject([{ email: emails[1], status: 'subscribed', source: 'campaign' }]);
});

test('a campaign of another project is not found', async () => {
  const { tag } = await newAudience(project, 1);
  const id = await newCampaign(project, { audience: { mode: 'tag', tag }, scheduleAt: '2999-01-01T00:00:00Z' });
  const other = await newProject();
  for (const [method, path] of [
    ['GET', ''],
    ['POST', '/cancel'],
    ['POST', '/pause'],
    ['POST', '/resume'],
  ] as const)
    expect(await other.api.call(method, `/campaigns/${id}${path}`)).toMatchObject({ status: 404, body: { code: 'not_found' } });
  expect(await campaignOf(project, id)).toMatchObject({ status: 'scheduled', scheduled_at: '2999-01-01T00:00:00.000Z' });
});
