import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../../db/orm.ts';
import { setBrand } from '../../../db/queries/projects/brands.ts';
import { campaignEnds, campaignOf, checkCampaign, newAudience, newCampaign } from '../../support/campaigns.ts';
import { mailTo } from '../../support/mail.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { enableTemplates, must } from '../../support/sequences.ts';
import { listenForEvents, ofType } from '../../support/webhook-events.ts';

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

test('who becomes a contact by a list of addresses has no record of a consent, for the caller is another person', async () => {
  const [created, launched] = [project.address('c'), project.address('d')];
  await newCampaign(project, { audience: { mode: 'people', emails: [created] } });
  const draft = { template: 'newsletter', audience: { mode: 'people', emails: [launched] } };
  const { campaignId } = must(await project.api.post('/campaigns?draft=1', draft), 201);
  must(await project.api.post(`/campaigns/${campaignId}/launch`), 200);
  for (const email of [created, launched]) {
    const { contacts } = must(await project.api.get(`/contacts?email=${email}`), 200);
    const { contact } = must(await project.api.get(`/contacts/${contacts[0].id}`), 200);
    const none = { consent_source: null, consent_ip: null, consent_user_agent: null, consent_at: null };
    expect(contact).toMatchObject({ status: 'subscribed', source: 'campaign', ...none });
  }
});

test('a campaign names required data that nobody gives and variables that no mail has, and nothing when all is well', async () => {
  await enableTemplates(project, 'password-reset');
  const create = async (body: object) => {
    const audience = { mode: 'people', emails: [project.address()] };
    return must(await project.api.post('/campaigns', { template: 'password-reset', audience, ...body }), 201);
  };
  const wrong = await create({
    subject: '{{ contact.firstName }} {{ resetURL }} {{ extra }}',
    variants: [{ key: 'a', subject: 'For {{ contact.lastName }}' }, { key: 'b' }],
    data: { name: 'Ada', extra: 1, title: 'Hi {{ name }}' },
  });
  expect(wrong.warnings).toEqual([
    { path: 'data.resetUrl', message: 'password-reset requires resetUrl, and nothing gives it: the email would fail' },
    { path: 'data.title', message: expect.stringMatching(/^data is shown as it is/) },
    { path: 'subject', message: 'contact.firstName is no variable; did you mean contact.first_name?' },
    { path: 'subject', message: 'resetURL is no field of the data; did you mean resetUrl?' },
    { path: 'variants[0].subject', message: 'contact.lastName is no variable; did you mean contact.last_name?' },
  ]);
  expect(await campaignEnds(project, wrong.campaignId)).toMatchObject({ failed_count: 1 });
  const right = await create({ subject: '{{ contact.first_name }}, {{ name }}', data: { resetUrl: 'https://x.example/reset' } });
  expect(right).not.toHaveProperty('warnings');
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

const FAR = '2999-01-01T00:00:00Z';
const nobody = { mode: 'tag', tag: 'of-nobody' };

test.each([
  ['unknown_template', { template: 'of-nobody' }],
  ['template_not_enabled', { template: 'announcement' }],
  ['invalid_request', { brand: 'of-nobody' }],
  ['empty_audience', { audience: nobody }],
  ['empty_audience', { audience: nobody, scheduleAt: FAR }],
  ['unknown_segment', { audience: { mode: 'segment', segmentId: '01999999-9999-7999-8999-999999999999' } }],
  ['schedule_in_past', { scheduleAt: new Date(Date.now() - 120_000).toISOString() }],
  ['ends_before_start', { endsAt: new Date(Date.now() - 1_000).toISOString() }],
  ['ends_before_start', { scheduleAt: FAR, endsAt: FAR }],
  ['audience_too_large', { audience: { mode: 'people', emails: Array.from({ length: 10_001 }, (_, n) => `${n}@example.org`) } }],
  ['invalid_request', { audience: { mode: 'everybody' } }],
  ['invalid_request', { audience: { mode: 'tag' } }],
  ['invalid_request', { variants: [{ key: 'a' }] }],
  ['invalid_request', { variants: [{ key: 'a' }, { key: 'a' }] }],
  ['invalid_request', { variants: [{ key: 'a' }, { key: 'B' }] }],
  ['invalid_content', { subject: '{{ x' }],
  ['invalid_content', { variants: [{ key: 'a' }, { key: 'b', subject: '{{ x | foo }}' }] }],
  ['invalid_request', { ratePerSecond: 0 }],
  ['invalid_request', { scheduleAt: 'tomorrow' }],
])('%s: such a campaign is refused, and there is none of it', async (code, body) => {
  const other = await newProject();
  await enableTemplates(other, 'newsletter');
  const { tag } = await newAudience(other, 1);
  const refused = await other.api.post('/campaigns', { template: 'newsletter', audience: { mode: 'tag', tag }, ...body });
  expect(refused).toMatchObject({ status: 422, body: { ok: false, code } });
  expect(must(await other.api.get('/campaigns'), 200)).toMatchObject({ campaigns: [] });
});

test.each([
  ['required', { template: 'newsletter' }],
  ['not an object', { template: 'newsletter', audience: null }],
  ['not an object', { template: 'newsletter', audience: 'entire' }],
  ['mode is one of entire, segment, tag and people', { template: 'newsletter', audience: { mode: 'everybody' } }],
])('%s: the answer to an audience like that of %j', async (message, body) => {
  expect(await project.api.post('/campaigns', body)).toMatchObject({
    status: 422,
    body: { issues: [{ path: expect.stringMatching(/^audience/), message }] },
  });
});

test('a project without a brand, or whose sender is on no verified domain, sends no campaign', async () => {
  const bare = await newProject({ noBrand: true });
  await bare.api.post('/contacts', { email: bare.address() });
  const refusal = async () => (await bare.api.post('/campaigns', { template: 'newsletter', audience: { mode: 'entire' } })).body.code;
  expect(await refusal()).toBe('no_brand');
  await setBrand(em, bare.id, 'main', { from_email: 'x@unverified.example' }, true);
  await enableTemplates(bare, 'newsletter');
  expect(await refusal()).toBe('invalid_from');
});

test('a campaign says whom it is for as it was given, of a list how many, in its record, its progress and the list', async () => {
  const mine = await newProject();
  await enableTemplates(mine, 'newsletter');
  must(await mine.api.post('/contacts', { email: mine.address('odd'), tags: ['odd'] }), 200);
  const { segment } = must(await mine.api.post('/segments', { label: 'Mine', filter: { tags: ['odd'] } }), 201);
  const emails = [mine.address('one'), mine.address('two'), mine.address('three')];
  const expected: unknown[] = [];
  const writer = (await mine.newKey(['campaigns:write'])).api;
  for (const [given, shown] of [
    [{ mode: 'entire' }],
    [{ mode: 'segment', segmentId: segment.id }],
    [{ mode: 'tag', tag: 'odd' }],
    [
      { mode: 'people', emails: [...emails, emails[0]] },
      { mode: 'people', count: 3 },
    ],
  ]) {
    const id = await newCampaign(mine, { audience: given, scheduleAt: FAR });
    const audience = shown ?? given;
    expected.unshift(audience);
    for (const path of ['', '/progress'])
      expect(must(await mine.api.get(`/campaigns/${id}${path}`), 200).campaign.audience).toEqual(audience);
    // Those who may read contacts can send to the same people again.
    const people = given?.mode === 'people' ? [...emails].sort() : [];
    expect(must(await mine.api.get(`/campaigns/${id}/people`), 200).emails).toEqual(people);
    expect((await writer.get(`/campaigns/${id}/people`)).body.code).toBe('forbidden');
    expect((await project.api.get(`/campaigns/${id}/people`)).body.code).toBe('not_found');
  }
  const listed = must(await mine.api.get('/campaigns'), 200).campaigns;
  expect(listed.map(({ audience }: { audience: unknown }) => audience)).toEqual(expected);
  expect(JSON.stringify(listed)).not.toContain(emails[1]);
});

test('a start that is up to a minute past counts as now', async () => {
  const { tag } = await newAudience(project, 1);
  const scheduleAt = new Date(Date.now() - 30_000).toISOString();
  const created = await project.api.post('/campaigns', { template: 'newsletter', audience: { mode: 'tag', tag }, scheduleAt });
  expect(created).toMatchObject({ status: 201, body: { status: 'queued', scheduledFor: null } });
  expect(await campaignEnds(project, created.body.campaignId)).toMatchObject({ status: 'sent', scheduled_at: null, sent_count: 1 });
});

test('a scheduled campaign that is cancelled reaches nobody and says when it was, and a failed one is not retried and can be cancelled with nobody left', async () => {
  const mine = await newProject();
  await enableTemplates(mine, 'newsletter');
  const { tag, emails } = await newAudience(mine, 3);
  const scheduled = await newCampaign(mine, { audience: { mode: 'tag', tag }, scheduleAt: FAR });
  expect(await campaignOf(mine, scheduled)).toMatchObject({ cancelled_at: null });
  expect(must(await mine.api.post(`/campaigns/${scheduled}/cancel`), 200)).toMatchObject({ status: 'cancelled', cancelledJobs: 3 });
  const { created_at, cancelled_at } = await campaignOf(mine, scheduled);
  expect(Date.parse(cancelled_at)).toBeGreaterThanOrEqual(Date.parse(created_at));
  must(await mine.api.post(`/campaigns/${scheduled}/cancel`), 200);
  expect(await campaignOf(mine, scheduled)).toMatchObject({ cancelled_at, sent_at: null });
  expect(await checkCampaign(em, mine, scheduled, emails)).toMatchObject({
    arrived: 0,
    record: { total_recipients: 3, cancelled_count: 3 },
  });
  const soon = new Date(Date.now() + 6_000).toISOString();
  const failing = await newCampaign(mine, { audience: { mode: 'tag', tag }, scheduleAt: soon });
  for (const email of emails) must(await mine.api.post('/suppressions', { email, reason: 'manual' }), 201);
  expect(await campaignEnds(mine, failing)).toMatchObject({ status: 'failed', reason: 'empty_audience' });
  const retried = await mine.api.post(`/campaigns/${failing}/retry`, { outcomes: ['render_failed'] });
  expect(retried).toMatchObject({ status: 422, body: { code: 'invalid_status', error: expect.stringContaining('failed as a whole') } });
  expect(must(await mine.api.post(`/campaigns/${failing}/cancel`), 200)).toMatchObject({ status: 'cancelled', cancelledJobs: 0 });
  await checkCampaign(em, mine, failing, emails);
});

test('campaigns are listed newest first, page by page and by status, each project its own', async () => {
  const [mine, other] = [await newProject(), await newProject()];
  await enableTemplates(mine, 'newsletter');
  const { tag } = await newAudience(mine, 1);
  const ids: string[] = [];
  for (let n = 0; n < 5; n++) ids.unshift(await newCampaign(mine, { audience: { mode: 'tag', tag }, scheduleAt: FAR, name: `No. ${n}` }));
  must(await mine.api.post(`/campaigns/${ids[1]}/cancel`), 200);
  const listed: string[] = [];
  for (let query = 'limit=2'; ; ) {
    const { campaigns, nextCursor } = must(await mine.api.get(`/campaigns?${query}`), 200);
    listed.push(...campaigns.map(({ id }: { id: string }) => id));
    if (nextCursor === null) break;
    expect(campaigns).toHaveLength(2);
    query = `limit=2&cursor=${encodeURIComponent(nextCursor)}`;
  }
  expect(listed).toEqual(ids);
  expect(must(await mine.api.get('/campaigns?status=cancelled'), 200).campaigns).toMatchObject([
    { id: ids[1], name: 'No. 3', cancelled_count: 1 },
  ]);
  must(await mine.api.post('/campaigns?draft=1', { name: 'Not begun' }), 201);
  const idsOf = (found: { body: { campaigns: { id: string }[] } }) => found.body.campaigns.map(({ id }) => id);
  expect(idsOf(await mine.api.get('/campaigns?underWay=true'))).toEqual(ids.filter((id) => id !== ids[1]));
  expect(idsOf(await mine.api.get('/campaigns?underWay=false'))).toEqual([ids[1]]);
  expect(idsOf(await mine.api.get('/campaigns?underWay=true&status=cancelled'))).toEqual([]);
  expect(must(await other.api.get('/campaigns'), 200).campaigns).toEqual([]);
});

test('the end of a campaign is an event, once, with its record, which is also read without its data', async () => {
  const mine = await newProject();
  await enableTemplates(mine, 'newsletter');
  const events = await listenForEvents(mine, { events: ['campaign.completed'] });
  const { tag } = await newAudience(mine, 3);
  const id = await newCampaign(mine, { audience: { mode: 'tag', tag } });
  const { data: _given, left_out, ...record } = await campaignEnds(mine, id);
  expect(ofType(await events(), 'campaign.completed').map(({ data }) => data)).toEqual([
    expect.objectContaining({ ...record, status: 'sent', sent_count: 3 }),
  ]);
  expect(must(await mine.api.get(`/campaigns/${id}/progress`), 200).campaign).toEqual({ ...record, left_out });
});
