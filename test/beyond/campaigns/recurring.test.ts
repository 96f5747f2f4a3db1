import { beforeAll, expect, test } from 'vitest';
import { MAX_RECURRING } from '../../../domain/campaigns/recurring.ts';
import { newAudience } from '../../support/campaigns.ts';
import { newProject, type TestProject } from '../../support/project.ts';
import { campaignsOf, DAILY, newRecurring, recurringOf, runsOf } from '../../support/recurring.ts';
import { enableTemplates, must } from '../../support/sequences.ts';

let project: TestProject;
let audience: object;

beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'newsletter', 'receipt');
  audience = { mode: 'tag', tag: (await newAudience(project, 2)).tag };
});

const WEEKLY = { every: 'week', on: [2], at: '09:00', timezone: 'Europe/Berlin' };
const post = (body: object) => project.api.post('/recurring-campaigns', { template: 'newsletter', audience, recurrence: WEEKLY, ...body });
const patch = (id: string, body: object, query = '') => project.api.call('PATCH', `/recurring-campaigns/${id}${query}`, body);

test('what recurs is answered with its rule, what it is made of and its next five instants, and makes no campaign at once', async () => {
  const made = must(await post({ name: 'Weekly', subject: 'News', data: { a: 1 }, endsAfterMinutes: 60, ratePerSecond: 5 }), 201);
  const { recurringCampaign: recurring } = made;
  expect(recurring).toMatchObject({
    ...{ name: 'Weekly', status: 'active', template: 'newsletter', subject: 'News', type: null, brand: null, audience, data: { a: 1 } },
    recurrence: { ...WEEKLY, interval: 1, from: null, until: null, count: null },
    ...{ ends_after_minutes: 60, rate_per_second: 5, version: 1, needs_approval: false, last_run: null, campaigns: 0, sandboxed: false },
    ...{ changed_by: { id: project.keyId }, approved_by: null, ended_at: null, schedule_id: `recurring-campaign/${recurring.id}` },
  });
  const next = recurring.next_runs.map((at: string) => new Date(at));
  expect(next).toHaveLength(5);
  for (const at of next) {
    expect(at.getTime()).toBeGreaterThan(Date.now());
    const shown = at.toLocaleString('en-GB', { timeZone: 'Europe/Berlin', weekday: 'long', hour: '2-digit', minute: '2-digit' });
    expect(shown).toMatch(/Tuesday.*09:00/);
  }
  expect(await recurringOf(project, recurring.id)).toEqual(recurring);
  expect(await campaignsOf(project, recurring.id)).toEqual([]);
  expect(await runsOf(project, recurring.id)).toEqual([]);
});

test('a rule that names no days is on the day of its beginning', async () => {
  const { recurringCampaign } = must(await post({ recurrence: { ...WEEKLY, on: null, from: '2999-01-02T12:00:00Z' } }), 201);
  // A Wednesday.
  expect(recurringCampaign.recurrence).toMatchObject({ on: [3], from: '2999-01-02T12:00:00.000Z' });
  expect(recurringCampaign.next_runs[0]).toBe('2999-01-09T08:00:00.000Z');
});

test('a day that is named twice is one, and a rule of days may have an empty list of them', async () => {
  const rule = { every: 'month', on: [31, -1, 31], at: '09:00', timezone: 'UTC' };
  expect(must(await post({ recurrence: rule }), 201).recurringCampaign.recurrence.on).toEqual([-1, 31]);
  const { recurrence } = must(await post({ recurrence: { ...DAILY, on: [] } }), 201).recurringCampaign;
  expect(recurrence.on).toEqual([]);
  // As it is read it is written.
  expect(must(await post({ recurrence }), 201).recurringCampaign.recurrence).toEqual(recurrence);
});

test('a test is kept, shown, changed and taken out, and what no campaign could be tested by is refused at its place', async () => {
  const tested = { variants: [{ key: 'a' }, { key: 'b', subject: 'B' }], test: { share: 20, decideBy: 'clicks', afterHours: 4 } };
  const { recurringCampaign: made } = must(await post(tested), 201);
  expect(made).toMatchObject({ test: { share: 20, decideBy: 'clicks', afterHours: 4, default: null }, version: 1 });
  const changed = must(await patch(made.id, { test: { share: 30, decideBy: 'hand', default: 'b' } }), 200).recurringCampaign;
  expect(changed.test).toEqual({ share: 30, decideBy: 'hand', afterHours: null, default: 'b' });
  const listed = must(await project.api.get('/recurring-campaigns?limit=1'), 200).recurringCampaigns[0];
  expect([listed.id, listed.test]).toEqual([made.id, changed.test]);
  for (const [wrong, path] of [
    [{ variants: null }, 'test'],
    [{ test: { share: 50, decideBy: 'hand' } }, 'test.share'],
    [{ test: { share: 10, decideBy: 'goal', afterHours: 1 } }, 'test.decideBy'],
    [{ test: { share: 10, decideBy: 'hand', default: 'c' } }, 'test.default'],
  ] as const) {
    for (const { status, body } of [await patch(made.id, wrong), await post({ ...tested, ...wrong })])
      expect([status, body.code, body.issues[0].path]).toEqual([422, 'invalid_request', path]);
  }
  expect(must(await patch(made.id, { test: null, variants: null }), 200).recurringCampaign).toMatchObject({ test: null, variants: null });
});

test('a test whose campaigns would be over before it decides is taken with a warning', async () => {
  const tested = { variants: [{ key: 'a' }, { key: 'b' }], test: { share: 20, decideBy: 'clicks', afterHours: 4 } };
  const { recurringCampaign, warnings } = must(await post({ ...tested, endsAfterMinutes: 240 }), 201);
  expect(warnings).toMatchObject([{ path: 'endsAfterMinutes' }]);
  expect(must(await patch(recurringCampaign.id, { name: 'x' }), 200).warnings).toMatchObject([{ path: 'endsAfterMinutes' }]);
  expect(must(await patch(recurringCampaign.id, { endsAfterMinutes: 600 }), 200).warnings).toBeUndefined();
});

test('a rule is previewed with its words and the instants that it has once it is kept, and nothing is written', async () => {
  const preview = async (body: object) => must(await project.api.post('/recurring-campaigns/preview', body), 200);
  const before = must(await project.api.get('/recurring-campaigns'), 200).recurringCampaigns.length;
  const shown = await preview({ recurrence: WEEKLY });
  expect(must(await project.api.get('/recurring-campaigns'), 200).recurringCampaigns).toHaveLength(before);
  const { recurringCampaign: kept } = must(await post({ recurrence: WEEKLY }), 201);
  expect(shown).toMatchObject({ in_words: 'every week on Tuesday at 09:00, Europe/Berlin', next_runs: kept.next_runs });
  expect(kept.in_words).toBe(shown.in_words);
  // What is skipped of the one that is changed is not among them.
  must(await project.api.post(`/recurring-campaigns/${kept.id}/skip-next`), 200);
  expect((await preview({ recurrence: WEEKLY, recurringId: kept.id })).next_runs).toEqual((await recurringOf(project, kept.id)).next_runs);
  expect((await preview({ recurrence: { ...WEEKLY, until: '2001-01-01T00:00:00Z' } })).next_runs).toEqual([]);
  const other = await newProject();
  expect(await other.api.post('/recurring-campaigns/preview', { recurrence: WEEKLY, recurringId: kept.id })).toMatchObject({ status: 404 });
});

test.each([
  ['recurrence', {}, 'recurrence'],
  ['a time of day', { ...WEEKLY, at: '9:00' }, 'recurrence.at'],
  ['a zone', { ...WEEKLY, timezone: '+02:00' }, 'recurrence.timezone'],
  ['a weekday', { ...WEEKLY, on: [8] }, 'recurrence.on'],
  ['a weekday, not the last day', { ...WEEKLY, on: [-1] }, 'recurrence.on'],
  ['some weekday', { ...WEEKLY, on: [] }, 'recurrence.on'],
  ['some day of the month', { ...WEEKLY, every: 'month', on: [] }, 'recurrence.on'],
  ['no days of days', { ...DAILY, on: [2] }, 'recurrence.on'],
  ['a day of a month', { ...WEEKLY, every: 'month', on: [0] }, 'recurrence.on'],
  ['a day that there is', { ...WEEKLY, every: 'month', on: [32] }, 'recurrence.on[0]'],
  ['a period', { ...WEEKLY, every: 'year' }, 'recurrence.every'],
  ['an interval', { ...WEEKLY, interval: 0 }, 'recurrence.interval'],
  ['a count', { ...WEEKLY, count: 0 }, 'recurrence.count'],
  ['an end after the beginning', { ...WEEKLY, from: '2999-01-02T00:00:00Z', until: '2999-01-01T00:00:00Z' }, 'recurrence.until'],
  ['an end that is still to come', { ...WEEKLY, until: '2001-01-01T00:00:00Z' }, 'recurrence'],
  ['a day that its months have', { ...WEEKLY, every: 'month', interval: 12, on: [30], from: '2999-02-01T00:00:00Z' }, 'recurrence'],
  ['known names alone', { ...WEEKLY, hour: 9 }, 'recurrence.hour'],
])('a bad rule is refused where it is wrong: %s', async (_, recurrence, path) => {
  const answer = await post({ recurrence: Object.keys(recurrence).length === 0 ? undefined : recurrence });
  expect(answer).toMatchObject({ status: 422, body: { code: 'invalid_request' } });
  expect(answer.body.issues.map((issue: { path: string }) => issue.path)).toEqual([path]);
});

test.each([
  ['invalid_request', { audience: undefined }],
  ['invalid_request', { template: undefined }],
  ['unknown_template', { template: 'of-nobody' }],
  ['template_not_enabled', { template: 'announcement' }],
  ['invalid_request', { brand: 'of-nobody' }],
  ['invalid_request', { topic: 'of-nobody' }],
  ['invalid_content', { subject: '{{ x' }],
  ['invalid_request', { endsAfterMinutes: 0 }],
  ['unknown_segment', { audience: { mode: 'segment', segmentId: '01999999-9999-7999-8999-999999999999' } }],
])('%s: what no campaign could be made of is refused, new and as a change, and nothing is changed', async (code, wrong) => {
  expect(await post(wrong)).toMatchObject({ status: 422, body: { code } });
  const { id } = await newRecurring(project, { audience });
  const given = Object.values(wrong)[0] === undefined ? { [Object.keys(wrong)[0] as string]: null } : wrong;
  expect(await patch(id, given)).toMatchObject({ status: 422, body: { code } });
  expect(await recurringOf(project, id)).toMatchObject({ version: 1, template: 'newsletter', audience });
});

test('an audience in which nobody is today is taken: who is in it is asked at each instant', async () => {
  expect(await newRecurring(project, { audience: { mode: 'tag', tag: 'of-nobody' } })).toMatchObject({ status: 'active' });
});

test('each change is the next version, leaves what it omits, and is refused to whoever has seen another', async () => {
  const { id } = await newRecurring(project, { audience, name: 'Weekly', subject: 'One', endsAfterMinutes: 5 });
  const { recurringCampaign } = must(await patch(id, { subject: 'Two', endsAfterMinutes: null }, '?ifVersion=1'), 200);
  expect(recurringCampaign).toMatchObject({ name: 'Weekly', subject: 'Two', ends_after_minutes: null, version: 2 });
  expect(await patch(id, { subject: 'Three' }, '?ifVersion=1')).toMatchObject({
    status: 409,
    body: { code: 'version_conflict', version: 2 },
  });
  expect(must(await patch(id, {}), 200).recurringCampaign).toMatchObject({ version: 2 });
  const rule = { every: 'month', on: [31, -1, 1], at: '07:30', timezone: 'UTC', interval: 2, count: 3 };
  const moved = must(await patch(id, { recurrence: rule, subject: null }), 200).recurringCampaign;
  expect(moved).toMatchObject({ subject: null, recurrence: { ...rule, on: [-1, 1, 31] }, version: 3 });
  expect(moved.next_runs).toHaveLength(3);
  for (const path of ['skip-next', 'approve'])
    expect(await project.api.post(`/recurring-campaigns/${id}/${path}?ifVersion=1`)).toMatchObject({
      status: 409,
      body: { code: 'version_conflict', version: 3 },
    });
  expect(await project.api.call('DELETE', `/recurring-campaigns/${id}?ifVersion=1`)).toMatchObject({ status: 409 });
});

test('changes at the same time by callers who name no version are all kept', async () => {
  const { id } = await newRecurring(project, { audience });
  const changes = [{ name: 'a' }, { subject: 'b' }, { data: { c: 1 } }, { endsAfterMinutes: 4 }, { ratePerSecond: 5 }];
  const answers = await Promise.all(changes.map((change) => patch(id, change)));
  expect(answers.map(({ status }) => status)).toEqual(changes.map(() => 200));
  expect(await recurringOf(project, id)).toMatchObject({
    ...{ name: 'a', subject: 'b', data: { c: 1 }, ends_after_minutes: 4, rate_per_second: 5, version: 6 },
  });
});

test('one is paused and resumed with its next instants, and neither twice', async () => {
  const { id, next_runs } = await newRecurring(project, { audience });
  const act = (path: string) => project.api.post(`/recurring-campaigns/${id}/${path}`);
  expect(must(await act('pause'), 200).recurringCampaign).toMatchObject({ status: 'paused', version: 1, next_runs });
  for (const path of ['pause', 'skip-next']) expect(await act(path)).toMatchObject({ status: 422, body: { code: 'invalid_status' } });
  expect(must(await patch(id, { name: 'still' }), 200).recurringCampaign).toMatchObject({ status: 'paused', version: 2 });
  expect(must(await act('resume'), 200).recurringCampaign).toMatchObject({ status: 'active', next_runs });
  expect(await act('resume')).toMatchObject({ status: 422, body: { code: 'invalid_status' } });
});

test('each skip leaves out one more of the next instants, and one under the same key no further one', async () => {
  const { id, next_runs } = await newRecurring(project, { audience });
  const skip = (key: string) =>
    project.api.call('POST', `/recurring-campaigns/${id}/skip-next`, {}, { headers: { 'idempotency-key': `${key}-${id}` } });
  const { recurringCampaign: once } = must(await skip('a'), 200);
  expect(once).toMatchObject({ version: 2, last_run: null });
  expect(once.next_runs.slice(0, 4)).toEqual(next_runs.slice(1));
  expect(must(await skip('a'), 200).recurringCampaign.version).toBe(2);
  expect(must(await skip('b'), 200).recurringCampaign.next_runs.slice(0, 3)).toEqual(next_runs.slice(2));
  expect((await runsOf(project, id)).map(({ due_at, outcome }) => [due_at, outcome])).toEqual([
    [next_runs[1], 'skipped'],
    [next_runs[0], 'skipped'],
  ]);
  // A rule that is changed keeps them.
  const { recurringCampaign: changed } = must(await patch(id, { recurrence: { ...DAILY, count: 2 } }), 200);
  expect(changed.next_runs).toEqual(next_runs.slice(2, 4));
});

test('one that is ended stays readable, is changed by nothing, and ends once', async () => {
  const { id } = await newRecurring(project, { audience });
  const end = () => project.api.call('DELETE', `/recurring-campaigns/${id}`);
  const { recurringCampaign } = must(await end(), 200);
  expect(recurringCampaign).toMatchObject({ status: 'ended', end_reason: 'deleted', next_runs: [], version: 1 });
  expect(must(await end(), 200).recurringCampaign).toEqual(recurringCampaign);
  for (const path of ['pause', 'resume', 'skip-next', 'approve'])
    expect(await project.api.post(`/recurring-campaigns/${id}/${path}`)).toMatchObject({ status: 422, body: { code: 'invalid_status' } });
  expect(await patch(id, { name: 'x' })).toMatchObject({ status: 422, body: { code: 'invalid_status' } });
  expect(await recurringOf(project, id)).toEqual(recurringCampaign);
});

test('a project sees its own alone, and a key without the scope changes none', async () => {
  const other = await newProject();
  const { id } = await newRecurring(project, { audience });
  const of = (path = '', method = 'POST', body?: object) => other.api.call(method, `/recurring-campaigns/${id}${path}`, body);
  const answers = await Promise.all([
    ...['', '/runs'].map((path) => of(path, 'GET')),
    ...['/pause', '/resume', '/skip-next', '/approve'].map((path) => of(path)),
    ...[of('', 'PATCH', { name: 'x' }), of('', 'DELETE')],
  ]);
  expect(answers.map(({ status, body }) => [status, body.code])).toEqual(answers.map(() => [404, 'not_found']));
  expect(must(await other.api.get('/recurring-campaigns'), 200).recurringCampaigns).toEqual([]);
  expect(must(await other.api.get(`/campaigns?recurringId=${id}`), 200).campaigns).toEqual([]);
  const reader = await project.newKey(['campaigns:read']);
  expect((await reader.api.get(`/recurring-campaigns/${id}`)).status).toBe(200);
  expect((await reader.api.post(`/recurring-campaigns/${id}/pause`)).body.code).toBe('forbidden');
  expect(await recurringOf(project, id)).toMatchObject({ status: 'active', version: 1 });
});

test('lists go on page by page, the newest first, by status too', async () => {
  const own = await newProject();
  await enableTemplates(own, 'newsletter');
  const ids: string[] = [];
  for (let made = 0; made < 5; made++) ids.unshift((await newRecurring(own, { audience: { mode: 'entire' } })).id);
  must(await own.api.post(`/recurring-campaigns/${ids[1]}/pause`), 200);
  const read = async (query: string): Promise<string[]> => {
    const all: string[] = [];
    for (let cursor = ''; ; ) {
      const page = must(await own.api.get(`/recurring-campaigns?limit=2${query}${cursor}`), 200);
      expect(page.recurringCampaigns.length).toBeLessThanOrEqual(2);
      all.push(...page.recurringCampaigns.map(({ id }: { id: string }) => id));
      if (!page.nextCursor) return all;
      cursor = `&cursor=${page.nextCursor}`;
    }
  };
  expect(await read('')).toEqual(ids);
  expect(await read('&status=active')).toEqual(ids.filter((id) => id !== ids[1]));
  const { nextCursor } = must(await own.api.get('/recurring-campaigns?limit=2'), 200);
  expect((await own.api.get(`/recurring-campaigns?limit=2&status=active&cursor=${nextCursor}`)).body.code).toBe('invalid_cursor');
});

test('a project has so many that have not ended, also where many are made at once', async () => {
  const own = await newProject();
  await enableTemplates(own, 'newsletter');
  const body = { template: 'newsletter', audience: { mode: 'entire' }, recurrence: WEEKLY };
  const statuses: number[] = [];
  for (let made = 0; made < MAX_RECURRING + 5; made += 15) {
    const answers = await Promise.all(Array.from({ length: 15 }, () => own.api.post('/recurring-campaigns', body)));
    statuses.push(...answers.map(({ status }) => status));
  }
  expect(statuses.filter((status) => status === 201)).toHaveLength(MAX_RECURRING);
  const refused = await own.api.post('/recurring-campaigns', body);
  expect(refused).toMatchObject({ status: 422, body: { code: 'too_many_recurring_campaigns' } });
  const { recurringCampaigns } = must(await own.api.get('/recurring-campaigns?limit=1'), 200);
  must(await own.api.call('DELETE', `/recurring-campaigns/${recurringCampaigns[0].id}`), 200);
  must(await own.api.post('/recurring-campaigns', body), 201);
});
