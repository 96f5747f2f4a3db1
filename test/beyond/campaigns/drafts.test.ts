import { beforeAll, expect, test } from 'vitest';
import { Campaign } from '../../../db/entities/index.ts';
import type { EntityManager } from '../../../db/orm.ts';
import { MAX_DRAFTS } from '../../../domain/campaigns/draft.ts';
import { campaignOf, newAudience, newCampaign } from '../../support/campaigns.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { enableTemplates, must } from '../../support/sequences.ts';

let em: EntityManager;
let project: TestProject;

beforeAll(async () => {
  em = await database();
  project = await newProject();
  await enableTemplates(project, 'newsletter');
});

const newDraft = async (of: Pick<TestProject, 'api'>, body: object = {}): Promise<string> =>
  must(await of.api.post('/campaigns?draft=1', body), 201).campaignId;
const ids = async (of: Pick<TestProject, 'api'>, query: string) =>
  must(await of.api.get(`/campaigns${query}`), 200).campaigns.map(({ id }: { id: string }) => id);
/** Contents that nobody can make mails of. */
const UNFINISHED = { template: 'of-nobody', subject: '{{ x', brand: 'of-nobody', endsAt: '2001-01-01T00:00:00Z' };

test('a draft may leave out everything, is listed where drafts are asked for and nowhere else, and nobody sends it', async () => {
  const other = await newProject();
  const created = await other.api.post('/campaigns?draft=1', {});
  expect(created).toMatchObject({
    status: 201,
    body: { audienceSize: 0, enrolled: 0, scheduledFor: null, status: 'draft', version: 1 },
  });
  const id = created.body.campaignId;
  expect(await ids(other, '?status=draft')).toEqual([id]);
  expect(await ids(other, '')).toEqual([]);
  expect(must(await other.api.get(`/campaigns/${id}`), 200)).toMatchObject({
    campaign: {
      ...{ status: 'draft', name: '', template: '', subject: '', brand_id: '', data: {}, audience: { mode: 'people', count: 0 } },
      ...{ scheduled_at: null, total_recipients: 0 },
    },
    draft: {
      version: 1,
      changed_by: { id: other.keyId },
      subject: null,
      type: null,
      brand: null,
      approved_at: null,
      needs_approval: false,
    },
  });
  const outbox = await em.execute('select 1 from outbox where workflow_id = ?', [`campaign/${id}`]);
  expect(outbox).toEqual([]);
});

test('each field of a draft is changed by itself, taken out by null, and kept as it is however wrong the whole is', async () => {
  const id = await newDraft(project, { name: 'Spring', audience: { mode: 'tag', tag: 'vip' } });
  const change = async (body: object) => must(await project.api.call('PATCH', `/campaigns/${id}`, body), 200);
  expect(await change({ ...UNFINISHED, type: 'transactional', data: { a: 1 } })).toMatchObject({
    campaign: { name: 'Spring', template: 'of-nobody', subject: '{{ x', data: { a: 1 }, audience: { mode: 'tag', tag: 'vip' } },
    draft: { version: 2, subject: '{{ x', brand: 'of-nobody', type: 'transactional' },
  });
  expect(await change({ template: null, subject: null, brand: null, type: null, audience: null, endsAt: null, data: null })).toMatchObject({
    campaign: { name: 'Spring', template: '', data: {}, ends_at: null, audience: { mode: 'people', count: 0 } },
    draft: { version: 3, subject: null, brand: null, type: null },
  });
  const wrong = await project.api.call('PATCH', `/campaigns/${id}`, { name: 'x'.repeat(201), ratePerSecond: 0 });
  expect(wrong).toMatchObject({ status: 422, body: { code: 'invalid_request', issues: [{ path: 'name' }, { path: 'ratePerSecond' }] } });
  expect((await campaignOf(project, id)).name).toBe('Spring');
});

test('of two who change the same version one is told, and nothing of hers is written', async () => {
  const id = await newDraft(project);
  const both = await Promise.all(['a', 'b'].map((name) => project.api.call('PATCH', `/campaigns/${id}?ifVersion=1`, { name })));
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  const [won, lost] = both.toSorted((one, other) => one.status - other.status);
  expect(lost?.body).toMatchObject({ code: 'version_conflict', version: 2 });
  expect((await campaignOf(project, id)).name).toBe(won?.body.campaign.name);
  for (const [method, path] of [
    ['POST', '/launch?ifVersion=1'],
    ['POST', '/approve?ifVersion=1'],
    ['DELETE', '?ifVersion=1'],
  ] as const)
    expect(await project.api.call(method, `/campaigns/${id}${path}`)).toMatchObject({ status: 409, body: { code: 'version_conflict' } });
});

test('a duplicate has all that a campaign was made with but its times, whatever became of it', async () => {
  const emails = [project.address('b'), project.address('a')];
  const made = {
    ...{ name: 'First', subject: 'Hello', data: { title: 'Spring' }, ratePerSecond: 7, audience: { mode: 'people', emails } },
    variants: [{ key: 'a' }, { key: 'b', subject: 'B', weight: 2 }],
  };
  const id = await newCampaign(project, { ...made, scheduleAt: '2999-01-01T00:00:00Z', endsAt: '2999-02-01T00:00:00Z' });
  must(await project.api.post(`/campaigns/${id}/cancel`), 200);
  const copy = await newDraft(project, { copyOf: id, name: 'Second' });
  const { campaign, draft } = must(await project.api.get(`/campaigns/${copy}`), 200);
  expect(campaign).toMatchObject({
    ...{ name: 'Second', status: 'draft', template: 'newsletter', subject: 'Hello', data: { title: 'Spring' }, rate_per_second: 7 },
    ...{ audience: { mode: 'people', count: 2 }, scheduled_at: null, ends_at: null },
    variants: [
      { key: 'a', subject: null, weight: 1 },
      { key: 'b', subject: 'B', weight: 2 },
    ],
  });
  expect(draft).toMatchObject({ subject: 'Hello', type: null, brand: null });
  expect(must(await project.api.get(`/campaigns/${copy}/people`), 200).emails).toEqual(emails.toSorted());
  expect(await (await newProject()).api.post('/campaigns?draft=1', { copyOf: id })).toMatchObject({
    status: 422,
    body: { code: 'invalid_request', issues: [{ path: 'copyOf', message: 'no such campaign' }] },
  });
});

test('whoever is erased leaves the lists of drafts, too', async () => {
  const email = project.address();
  const { id: contactId } = must(await project.api.post('/contacts', { email }), 200).contacts[0];
  const id = await newDraft(project, { audience: { mode: 'people', emails: [email, project.address()] } });
  must(await project.api.delete(`/contacts/${contactId}`), 200);
  expect((await campaignOf(project, id)).audience).toEqual({ mode: 'people', count: 1 });
});

test('a list tells of what can be changed when it was changed last, and of nothing else', async () => {
  const other = await newProject();
  const id = await newDraft(other);
  const { draft } = must(await other.api.call('PATCH', `/campaigns/${id}`, { name: 'Changed' }), 200);
  const { campaigns } = must(await other.api.get('/campaigns?status=draft'), 200);
  expect(campaigns[0].draft).toEqual({ version: 2, changed_at: draft.changed_at, needs_approval: false, approved_at: null });
  const { tag } = await newAudience(other, 1);
  await enableTemplates(other, 'newsletter');
  await newCampaign(other, { audience: { mode: 'tag', tag } });
  expect(must(await other.api.get('/campaigns'), 200).campaigns[0]).not.toHaveProperty('draft');
});

test('a draft is deleted and not cancelled, and nothing but a draft is deleted', async () => {
  const id = await newDraft(project);
  expect(await project.api.post(`/campaigns/${id}/cancel`)).toMatchObject({ status: 422, body: { code: 'invalid_status' } });
  expect(await project.api.delete(`/campaigns/${id}`)).toMatchObject({ status: 200, body: { id, deleted: true } });
  expect((await project.api.get(`/campaigns/${id}`)).status).toBe(404);
  const { tag } = await newAudience(project, 1);
  const scheduled = await newCampaign(project, { audience: { mode: 'tag', tag }, scheduleAt: '2999-01-01T00:00:00Z' });
  expect(await project.api.delete(`/campaigns/${scheduled}`)).toMatchObject({ status: 422, body: { code: 'invalid_status' } });
});

test('a project has no more drafts than its limit, also when two are made at once', async () => {
  const other = await newProject();
  const id = await newDraft(other);
  const [one] = await em.find(Campaign, { id });
  const rest = Array.from({ length: MAX_DRAFTS - 2 }, () => ({ ...one, id: crypto.randomUUID() }));
  await em.insertMany(Campaign, rest as never);
  const both = await Promise.all([1, 2].map(() => other.api.post('/campaigns?draft=1', {})));
  expect(both.map(({ status, body }) => body.code ?? status).sort()).toEqual([201, 'too_many_drafts']);
});

test('no draft of another project is read, changed, launched, approved, copied or deleted', async () => {
  const id = await newDraft(project);
  const other = await newProject();
  for (const [method, path, body] of [
    ['GET', '', undefined],
    ['PATCH', '', { name: 'x' }],
    ['DELETE', '', undefined],
    ['POST', '/launch', {}],
    ['POST', '/approve', undefined],
  ] as const)
    expect(await other.api.call(method, `/campaigns/${id}${path}`, body)).toMatchObject({ status: 404, body: { code: 'not_found' } });
});

test('a test key changes, launches and deletes drafts of test keys alone, and approves none', async () => {
  const tester = await project.newKey(['*'], true);
  const live = await newDraft(project);
  for (const [method, path, body] of [
    ['PATCH', '', { name: 'x' }],
    ['DELETE', '', undefined],
    ['POST', '/launch', {}],
    ['POST', '/approve', undefined],
  ] as const)
    expect(await tester.api.call(method, `/campaigns/${live}${path}`, body)).toMatchObject({ status: 403, body: { code: 'forbidden' } });
  const own = await newDraft(tester);
  must(await tester.api.call('PATCH', `/campaigns/${own}`, { name: 'x' }), 200);
  expect((await campaignOf(project, own)).sandboxed).toBe(true);
  must(await tester.api.delete(`/campaigns/${own}`), 200);
});
