import { beforeAll, expect, test } from 'vitest';
import { Project } from '../../../db/entities/index.ts';
import type { EntityManager } from '../../../db/orm.ts';
import { campaignBecomes, campaignEnds, campaignOf, checkCampaign, newAudience, newCampaign } from '../../support/campaigns.ts';
import { later } from '../../support/campaigns-under-way.ts';
import { mailCount } from '../../support/mail.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { enableTemplates, must } from '../../support/sequences.ts';

let em: EntityManager;
let project: TestProject;

beforeAll(async () => {
  em = await database();
  project = await newProject();
  await enableTemplates(project, 'newsletter', 'receipt');
});

const newDraft = async (of: Pick<TestProject, 'api'>, body: object): Promise<string> =>
  must(await of.api.post('/campaigns?draft=1', { template: 'newsletter', ...body }), 201).campaignId;

test('a draft that is launched many times at once is sent once, by one of the calls, under its own id', async () => {
  const { tag, emails } = await newAudience(project, 30);
  const id = await newDraft(project, { audience: { mode: 'tag', tag } });
  const all = await Promise.all(Array.from({ length: 6 }, () => project.api.post(`/campaigns/${id}/launch`)));
  expect(all.map(({ status, body }) => body.code ?? status).sort()).toEqual([200, ...Array(5).fill('invalid_status')]);
  expect(all.find(({ status }) => status === 200)?.body).toEqual({
    ...{ ok: true, campaignId: id, audienceSize: 30, enrolled: 30, scheduledFor: null, status: 'queued' },
  });
  await campaignEnds(project, id);
  expect(await checkCampaign(em, project, id, emails)).toMatchObject({ sent: 30, arrived: 30 });
});

test('the same key is answered the same, and launches nothing again', async () => {
  const { tag, emails } = await newAudience(project, 2);
  const id = await newDraft(project, { audience: { mode: 'tag', tag } });
  const launch = () => project.api.call('POST', `/campaigns/${id}/launch`, {}, { headers: { 'idempotency-key': `l-${tag}` } });
  const [first, again] = [await launch(), await launch()];
  expect(again).toMatchObject({ status: 200, body: first.body });
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  await campaignEnds(project, id);
  expect(await checkCampaign(em, project, id, emails)).toMatchObject({ sent: 2, arrived: 2 });
});

test('a launch in local time goes by it, whatever else the draft was to begin at and though scheduleAt is null', async () => {
  const { tag } = await newAudience(project, 1);
  const id = await newDraft(project, { audience: { mode: 'tag', tag }, scheduleAt: '2999-01-01T00:00:00Z' });
  const schedule = { at: '09:00', date: '2998-01-01', timezone: 'contact', fallback: 'Europe/Vienna', late: 'send' };
  const { status } = must(await project.api.post(`/campaigns/${id}/launch`, { scheduleAt: null, schedule }), 200);
  expect([status, (await campaignOf(project, id)).schedule]).toEqual(['scheduled', schedule]);
});

test('what a draft leaves to its template and its project is what those say when it is launched', async () => {
  const { tag } = await newAudience(project, 1);
  const id = await newDraft(project, { template: 'newsletter', audience: { mode: 'tag', tag } });
  must(await project.api.call('PATCH', `/campaigns/${id}`, { template: 'receipt' }), 200);
  must(await project.api.post(`/campaigns/${id}/launch`, { scheduleAt: '2999-01-01T00:00:00Z' }), 200);
  const { campaign, draft } = must(await project.api.get(`/campaigns/${id}`), 200);
  expect(campaign).toMatchObject({ type: 'transactional', brand_id: project.slug, status: 'scheduled', total_recipients: 1 });
  expect(campaign.subject).not.toBe('');
  expect(draft).toMatchObject({ type: null, brand: null, subject: null });
});

test.each([
  ['invalid_request', { template: null }],
  ['invalid_request', { audience: null }],
  ['unknown_template', { template: 'of-nobody' }],
  ['template_not_enabled', { template: 'announcement' }],
  ['invalid_request', { brand: 'of-nobody' }],
  ['invalid_content', { subject: '{{ x' }],
  ['empty_audience', { audience: { mode: 'tag', tag: 'of-nobody' } }],
  ['unknown_segment', { audience: { mode: 'segment', segmentId: '01999999-9999-7999-8999-999999999999' } }],
  ['schedule_in_past', { scheduleAt: '2001-01-01T00:00:00Z' }],
  ['ends_before_start', { endsAt: '2001-01-01T00:00:00Z' }],
])('%s: a draft that could not be sent is not launched, and stays as it is', async (code, change) => {
  const { tag } = await newAudience(project, 1);
  const id = await newDraft(project, { audience: { mode: 'tag', tag } });
  must(await project.api.call('PATCH', `/campaigns/${id}`, change), 200);
  expect(await project.api.post(`/campaigns/${id}/launch`)).toMatchObject({ status: 422, body: { code } });
  expect(must(await project.api.get(`/campaigns/${id}`), 200)).toMatchObject({ campaign: { status: 'draft' }, draft: { version: 2 } });
});

test('a launch for another number than was shown sends nothing and says the number', async () => {
  const { tag, emails } = await newAudience(project, 2);
  const id = await newDraft(project, { audience: { mode: 'tag', tag } });
  const launch = (ifEnrolled: number) => project.api.post(`/campaigns/${id}/launch`, { ifEnrolled });
  expect(await launch(3)).toMatchObject({ status: 409, body: { code: 'audience_changed', enrolled: 2, audienceSize: 2 } });
  const { audienceSize, enrolled } = must(await project.api.get(`/campaigns/${id}/audience`), 200);
  expect([audienceSize, enrolled]).toEqual([2, 2]);
  expect(await em.execute('select 1 from campaign_pages where campaign_id = ?', [id])).toEqual([]);
  expect(await launch(2)).toMatchObject({ status: 200, body: { enrolled: 2 } });
  await campaignEnds(project, id);
  expect(await checkCampaign(em, project, id, emails)).toMatchObject({ arrived: 2 });
});

test.each([
  ['by tag', (tag: string, _: readonly string[]) => ({ mode: 'tag', tag }), null],
  ['by tag, later', (tag: string, _: readonly string[]) => ({ mode: 'tag', tag }), new Date(Date.now() + 3_600_000).toISOString()],
  ['of people', (_: string, emails: readonly string[]) => ({ mode: 'people', emails }), null],
])('a launch to an audience %s goes to the very addresses that a digest is of, or to nobody', async (_, audienceOf, scheduleAt) => {
  const { tag, emails } = await newAudience(project, 3);
  const [gone, another] = emails as [string, string];
  const id = await newDraft(project, { audience: audienceOf(tag, [...emails, project.address('unknown')]) });
  const read = async () => must(await project.api.get(`/campaigns/${id}/audience?digest=1`), 200);
  const launch = (ifAudience: string) => project.api.post(`/campaigns/${id}/launch`, { ifAudience, scheduleAt });
  must(await project.api.post('/suppressions', { email: another, reason: 'manual' }), 201);
  const { digest, enrolled } = await read();
  expect((await read()).digest).toBe(digest);
  must(await project.api.delete(`/suppressions/${another}`), 200);
  must(await project.api.post('/suppressions', { email: gone, reason: 'manual' }), 201);
  const { digest: present, ...counts } = await read();
  expect(counts.enrolled).toBe(enrolled);
  expect(await launch(digest)).toMatchObject({ status: 409, body: { code: 'audience_changed', enrolled } });
  expect(must(await project.api.get(`/campaigns/${id}`), 200).campaign.status).toBe('draft');
  must(await launch(present), 200);
});

test('what is counted of a draft for people is what a launch says, addresses that nobody has among them', async () => {
  const emails = ['new', 'known', 'gone', 'suppressed'].map((name) => project.address(`count-${name}`));
  const [, known, gone, suppressed] = emails as [string, string, string, string];
  must(await project.api.post('/contacts', [{ email: known }, { email: gone, status: 'unsubscribed' }]), 200);
  must(await project.api.post('/suppressions', { email: suppressed, reason: 'manual' }), 201);
  const id = await newDraft(project, { audience: { mode: 'people', emails } });
  const counted = must(await project.api.get(`/campaigns/${id}/audience`), 200);
  expect(counted).toMatchObject({ audienceSize: 4, enrolled: 2 });
  const launched = must(await project.api.post(`/campaigns/${id}/launch`, { ifEnrolled: 2 }), 200);
  expect(launched).toMatchObject({ audienceSize: 4, enrolled: 2 });
  expect((await project.api.get(`/campaigns/${id}/audience`)).body.code).toBe('invalid_status');
});

test('a launch by a test key mails nobody, whoever changes the draft', async () => {
  const tester = await project.newKey(['*'], true);
  const { tag, emails } = await newAudience(project, 2);
  const id = await newDraft(tester, { audience: { mode: 'tag', tag } });
  must(await project.api.call('PATCH', `/campaigns/${id}`, { name: 'x' }), 200);
  must(await tester.api.post(`/campaigns/${id}/launch`), 200);
  expect(await campaignEnds(project, id)).toMatchObject({ status: 'sent', sandboxed: true, sent_count: 2 });
  for (const email of emails) expect(await mailCount(email)).toBe(0);
});

test('a scheduled campaign that is given another template, audience and time goes by them', async () => {
  const [first, second] = [await newAudience(project, 1), await newAudience(project, 3)];
  const id = await newCampaign(project, { audience: { mode: 'tag', tag: first.tag }, scheduleAt: '2999-01-01T00:00:00Z' });
  const changed = await project.api.call('PATCH', `/campaigns/${id}`, {
    ...{ template: 'receipt', subject: 'Changed', audience: { mode: 'tag', tag: second.tag } },
    scheduleAt: new Date(Date.now() + 1_500).toISOString(),
  });
  expect(changed).toMatchObject({
    status: 200,
    body: { campaign: { status: 'scheduled', type: 'transactional', total_recipients: 3 }, draft: { version: 2 } },
  });
  expect(await campaignEnds(project, id)).toMatchObject({ status: 'sent', sent_count: 3, subject: 'Changed' });
  await checkCampaign(em, project, id, second.emails);
  expect(await mailCount(first.emails[0] as string)).toBe(0);
  expect(await project.api.call('PATCH', `/campaigns/${id}`, { name: 'x' })).toMatchObject({
    status: 422,
    body: { code: 'invalid_status' },
  });
});

test('a change of a scheduled campaign that could not be sent is refused, and changes nothing', async () => {
  const { tag } = await newAudience(project, 1);
  const id = await newCampaign(project, { audience: { mode: 'tag', tag }, scheduleAt: '2999-01-01T00:00:00Z' });
  for (const [code, change] of [
    ['invalid_request', { template: null }],
    ['invalid_request', { scheduleAt: null }],
    ['invalid_content', { subject: '{{ x' }],
    ['empty_audience', { audience: { mode: 'tag', tag: 'of-nobody' } }],
    ['schedule_in_past', { scheduleAt: '2001-01-01T00:00:00Z' }],
    ['ends_before_start', { endsAt: '2998-01-01T00:00:00Z' }],
  ] as const)
    expect(await project.api.call('PATCH', `/campaigns/${id}`, { name: 'x', ...change })).toMatchObject({ status: 422, body: { code } });
  expect(await campaignOf(project, id)).toMatchObject({
    name: '',
    audience: { mode: 'tag', tag },
    scheduled_at: '2999-01-01T00:00:00.000Z',
  });
});

test('changes at the same time by callers who name no version are made one after the other', async () => {
  const { tag } = await newAudience(project, 1);
  const id = await newCampaign(project, { audience: { mode: 'tag', tag }, scheduleAt: later() });
  const change = (body: object) => project.api.call('PATCH', `/campaigns/${id}`, body);
  const all = await Promise.all([1, 2, 3, 4].map((ratePerSecond) => change({ ratePerSecond })));
  expect(all.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const draft = await newDraft(project, { audience: { mode: 'tag', tag } });
  const [launched, ...changed] = await Promise.all([
    project.api.post(`/campaigns/${draft}/launch`, { scheduleAt: later() }),
    ...['a', 'b', 'c'].map((name) => project.api.call('PATCH', `/campaigns/${draft}`, { name })),
  ]);
  expect([launched?.status, ...changed.map(({ status }) => status)]).toEqual([200, 200, 200, 200]);
  for (const one of [id, draft]) must(await project.api.post(`/campaigns/${one}/cancel`), 200);
});

test('where a project asks for approval nothing goes before another key has approved it as it is', async () => {
  const asking = await newProject();
  await enableTemplates(asking, 'newsletter');
  await em.nativeUpdate(Project, { id: asking.id }, { campaign_approval: true });
  expect((await asking.api.get('/me')).body.project.campaign_approval).toBe(true);
  const second = await asking.newKey(['*']);
  const { tag, emails } = await newAudience(asking, 2);
  const audience = { mode: 'tag', tag };
  const refused = { status: 422, body: { code: 'approval_required' } };
  expect(await asking.api.post('/campaigns', { template: 'newsletter', audience })).toMatchObject(refused);
  const id = await newDraft(asking, { audience });
  const launch = (body: object = {}) => asking.api.post(`/campaigns/${id}/launch`, body);
  expect(await launch()).toMatchObject(refused);
  expect(await asking.api.post(`/campaigns/${id}/approve`)).toMatchObject({ status: 403, body: { code: 'forbidden' } });
  const approved = must(await second.api.post(`/campaigns/${id}/approve?ifVersion=1`), 200);
  expect(approved.draft).toMatchObject({ needs_approval: true, approved_by: { id: second.id }, approved_at: expect.any(String) });
  // Whoever writes the last change is not the one who approves it.
  must(await second.api.call('PATCH', `/campaigns/${id}`, { name: 'x' }), 200);
  expect(await launch()).toMatchObject(refused);
  expect((await second.api.post(`/campaigns/${id}/approve`)).status).toBe(403);
  must(await asking.api.post(`/campaigns/${id}/approve`), 200);
  // What gives nothing is no change.
  const { campaign, draft } = must(await second.api.call('PATCH', `/campaigns/${id}`, { status: 'sent' }), 200);
  expect([campaign.status, draft.version, draft.approved_at]).toEqual(['draft', 2, expect.any(String)]);
  expect(await launch({ scheduleAt: '2999-01-01T00:00:00Z' })).toMatchObject(refused);
  must(await launch(), 200);
  await campaignEnds(asking, id);
  expect(await checkCampaign(em, asking, id, emails)).toMatchObject({ arrived: 2 });
});

test('a launch that says the schedule of the draft is at the time that was approved', async () => {
  const asking = await newProject();
  await enableTemplates(asking, 'newsletter');
  await em.nativeUpdate(Project, { id: asking.id }, { campaign_approval: true });
  const second = await asking.newKey(['*']);
  const { tag } = await newAudience(asking, 1);
  const schedule = { at: '09:00', date: '2999-06-01', timezone: 'contact', fallback: 'UTC', late: 'skip' };
  const id = await newDraft(asking, { audience: { mode: 'tag', tag }, schedule });
  must(await second.api.post(`/campaigns/${id}/approve`), 200);
  const other = await asking.api.post(`/campaigns/${id}/launch`, { schedule: { ...schedule, late: 'send' } });
  expect(other.body).toMatchObject({ code: 'approval_required' });
  must(await asking.api.post(`/campaigns/${id}/launch`, { schedule }), 200);
  must(await asking.api.post(`/campaigns/${id}/cancel`), 200);
});

test('a scheduled campaign that was changed where that needs approval waits for it, past its time, and goes then', async () => {
  const asking = await newProject();
  await enableTemplates(asking, 'newsletter');
  const second = await asking.newKey(['*']);
  const { tag, emails } = await newAudience(asking, 2);
  const id = await newCampaign(asking, { audience: { mode: 'tag', tag }, scheduleAt: '2999-01-01T00:00:00Z' });
  await em.nativeUpdate(Project, { id: asking.id }, { campaign_approval: true });
  const scheduleAt = new Date(Date.now() - 1_000).toISOString();
  const { draft } = must(await asking.api.call('PATCH', `/campaigns/${id}`, { scheduleAt }), 200);
  expect(draft).toMatchObject({ needs_approval: true, approved_at: null });
  const items = async () => must(await asking.api.get('/attention'), 200).items.filter(({ about }: { about: string }) => about === id);
  expect(await items()).toMatchObject([{ kind: 'campaign_held', message: expect.stringContaining('approv') }]);
  must(await second.api.post(`/campaigns/${id}/approve`), 200);
  await campaignBecomes(asking, id, ({ status }) => status === 'sent');
  expect(await checkCampaign(em, asking, id, emails)).toMatchObject({ arrived: 2 });
});
