import type { Client } from '@temporalio/client';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { Project, RecurringCampaign } from '../../../db/entities/index.ts';
import type { EntityManager } from '../../../db/orm.ts';
import { row } from '../../../db/rows.ts';
import { describeSchedule } from '../../../platform/temporal/recurring-schedules.ts';
import { campaignEnds, campaignOf, checkCampaign, newAudience } from '../../support/campaigns.ts';
import { eventually } from '../../support/eventually.ts';
import { mailCount } from '../../support/mail.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { campaignsOf, DAILY, newRecurring, passDays, recurringOf, runsOf, scheduleBecomes, triggerRun } from '../../support/recurring.ts';
import { enableTemplates, must } from '../../support/sequences.ts';
import { temporalClient } from '../../support/temporal.ts';

let em: EntityManager;
let client: Client;
let project: TestProject;

beforeAll(async () => {
  em = await database();
  client = await temporalClient();
  project = await newProject();
  await enableTemplates(project, 'newsletter', 'receipt');
});

const outcomes = async (id: string, of: TestProject = project) =>
  (await runsOf(of, id)).map(({ outcome, reason }) => (reason ? `${outcome} ${reason}` : outcome));
const patch = (id: string, body: object) => project.api.call('PATCH', `/recurring-campaigns/${id}`, body);

test('a schedule of Temporal wakes it at its instant, and the campaign is for whoever is in its audience then', async () => {
  const { tag, emails } = await newAudience(project, 2);
  // The next minute that is not about to begin.
  const at = new Date(Math.ceil((Date.now() + 8_000) / 60_000) * 60_000);
  const recurrence = { every: 'day', at: at.toISOString().slice(11, 16), timezone: 'UTC' };
  const { id, next_runs } = await newRecurring(project, {
    audience: { mode: 'tag', tag },
    recurrence,
    name: 'Daily',
    endsAfterMinutes: 60,
  });
  expect(next_runs[0]).toBe(at.toISOString());
  const late = project.address('late');
  must(await project.api.post('/contacts', { email: late, tags: [tag] }), 200);
  const campaign = await eventually(async () => (await campaignsOf(project, id))[0], { timeoutMs: 100_000 });
  expect(campaign).toMatchObject({
    ...{ recurring_id: id, name: `Daily ${at.toISOString().slice(0, 10)}`, scheduled_at: at.toISOString() },
    ends_at: new Date(at.getTime() + 3_600_000).toISOString(),
  });
  await campaignEnds(project, campaign.id);
  expect(await checkCampaign(em, project, campaign.id, [...emails, late])).toMatchObject({ sent: 3, arrived: 3 });
  const after = await recurringOf(project, id);
  expect(after).toMatchObject({
    ...{ campaigns: 1, status: 'active', version: 1 },
    last_run: { due_at: at.toISOString(), outcome: 'created', reason: null, campaign_id: campaign.id },
  });
  expect(after.next_runs).toEqual([...next_runs.slice(1), new Date(at.getTime() + 5 * 86_400_000).toISOString()]);
});

test('of the runs that were missed in an outage one is made, the latest, and the others are recorded', async () => {
  const { tag, emails } = await newAudience(project, 2);
  const { id, next_runs } = await newRecurring(project, { audience: { mode: 'tag', tag } });
  await passDays(em, id, 4);
  expect(await triggerRun(client, id)).toMatch(/^For .*: made the campaign .*; 3 before it were missed\.$/);
  expect(await outcomes(id)).toEqual(['created', ...Array(3).fill('missed later_run_due')]);
  const [made, ...missed] = await runsOf(project, id);
  const daysBefore = (days: number) => new Date(Date.parse(next_runs[0]) - days * 86_400_000).toISOString();
  expect([made, ...missed].map(({ due_at }) => due_at)).toEqual([1, 2, 3, 4].map(daysBefore));
  await campaignEnds(project, made.campaign_id);
  expect(await checkCampaign(em, project, made.campaign_id, emails)).toMatchObject({ arrived: 2 });
  expect(await recurringOf(project, id)).toMatchObject({ next_runs, campaigns: 1 });
});

test('an instant has one campaign, however often and from wherever its run is asked for', async () => {
  const { tag, emails } = await newAudience(project, 1);
  const { id } = await newRecurring(project, { audience: { mode: 'tag', tag } });
  await scheduleBecomes(client, id);
  await passDays(em, id, 1);
  const ask = (n: number) =>
    client.workflow.execute('recurringRun', {
      workflowId: `recurring-run/${id}/by-hand-${n}`,
      taskQueue: 'workflows',
      args: [{ recurringId: id }],
    });
  const said = await Promise.all([1, 2, 3, 4, 5].map(ask));
  expect(said.filter((words) => words.includes('made the campaign'))).toHaveLength(1);
  expect(said.filter((words) => words.startsWith('Nothing is due before'))).toHaveLength(4);
  const campaigns = await campaignsOf(project, id);
  expect(campaigns).toHaveLength(1);
  await campaignEnds(project, campaigns[0].id);
  for (const email of emails) expect(await mailCount(email)).toBe(1);
  expect(await outcomes(id)).toEqual(['created']);
});

test('an operator who triggers the schedule when nothing is due makes nothing', async () => {
  const { tag } = await newAudience(project, 1);
  const before = await newRecurring(project, { audience: { mode: 'tag', tag } });
  expect(await triggerRun(client, before.id)).toMatch(/^Nothing is due before .*: nothing is made\.$/);
  expect(await recurringOf(project, before.id)).toEqual(before);
  expect(await campaignsOf(project, before.id)).toEqual([]);
});

test('what is paused or has ended makes nothing, whoever triggers it', async () => {
  const { tag } = await newAudience(project, 1);
  const { id } = await newRecurring(project, { audience: { mode: 'tag', tag } });
  await passDays(em, id, 2);
  must(await project.api.post(`/recurring-campaigns/${id}/pause`), 200);
  expect(await outcomes(id)).toEqual(['missed paused', 'missed paused']);
  expect(await triggerRun(client, id)).toBe('Nothing is due, as it is paused: nothing is made.');
  must(await project.api.post(`/recurring-campaigns/${id}/resume`), 200);
  must(await project.api.call('DELETE', `/recurring-campaigns/${id}`), 200);
  const run = { workflowId: `recurring-run/${id}/late`, taskQueue: 'workflows', args: [{ recurringId: id }] };
  expect(await client.workflow.execute('recurringRun', run)).toBe('The recurring campaign has ended: nothing is made.');
  expect(await campaignsOf(project, id)).toEqual([]);
});

test('what comes while it is paused is missed as paused, whether it is resumed, changed or ended then', async () => {
  const { tag } = await newAudience(project, 1);
  const made = () => newRecurring(project, { audience: { mode: 'tag', tag } });
  const act = async (id: string, path: string) => must(await project.api.post(`/recurring-campaigns/${id}/${path}`), 200);
  const { id, next_runs } = await made();
  const dayBefore = (days: number) => new Date(Date.parse(next_runs[0]) - days * 86_400_000).toISOString();
  await act(id, 'skip-next');
  await act(id, 'pause');
  await passDays(em, id, 4);
  // As the first that came meanwhile was left out before.
  const skipped = sql`update recurring_runs set due_at = ${dayBefore(4)} where recurring_id = ${id} and outcome = 'skipped'`;
  await row(em, skipped);
  await act(id, 'resume');
  expect((await runsOf(project, id)).map(({ due_at, outcome, reason }) => [due_at, outcome, reason])).toEqual([
    ...[1, 2, 3].map((days) => [dayBefore(days), 'missed', 'paused']),
    [dayBefore(4), 'skipped', null],
  ]);
  // Somebody has paused it: nothing is wrong.
  expect(must(await project.api.get('/attention'), 200).items).not.toContainEqual(expect.objectContaining({ about: id }));
  await act(id, 'pause');
  await passDays(em, id, 2);
  must(await patch(id, { recurrence: { every: 'month', on: [-1], at: '09:00', timezone: 'UTC' } }), 200);
  expect((await outcomes(id)).slice(0, 2)).toEqual(['missed paused', 'missed paused']);
  await act(id, 'resume');
  expect((await outcomes(id)).filter((outcome) => outcome === 'missed paused')).toHaveLength(5);
  const { id: other } = await made();
  await act(other, 'pause');
  await passDays(em, other, 120);
  must(await project.api.call('DELETE', `/recurring-campaigns/${other}`), 200);
  const runs = must(await project.api.get(`/recurring-campaigns/${other}/runs?limit=100`), 200);
  // Of so many the latest.
  expect([runs.runs.length, runs.runs[0].reason, runs.runs[0].due_at, runs.nextCursor]).toEqual([100, 'paused', dayBefore(1), null]);
});

test('a change with the rule that it has already leaves what is due to be made', async () => {
  const { tag } = await newAudience(project, 1);
  const { id, recurrence } = await newRecurring(project, { audience: { mode: 'tag', tag } });
  await passDays(em, id, 1);
  for (const same of [recurrence, DAILY]) must(await patch(id, { recurrence: same, name: 'Same' }), 200);
  // Its schedule may run it as soon as that is told of the change.
  await triggerRun(client, id);
  expect(await outcomes(id)).toEqual(['created']);
});

test('each run is a campaign with the test that it has then', async () => {
  const { tag } = await newAudience(project, 10);
  const variants = [{ key: 'a' }, { key: 'b', subject: 'B' }];
  const { id } = await newRecurring(project, { audience: { mode: 'tag', tag }, variants, test: { share: 20, decideBy: 'hand' } });
  must(await patch(id, { test: { share: 30, decideBy: 'clicks', afterHours: 3, default: 'b' } }), 200);
  await passDays(em, id, 1);
  await triggerRun(client, id);
  const [{ id: campaign, test: tried }] = await campaignsOf(project, id);
  expect(tried).toMatchObject({ share: 30, decideBy: 'clicks', afterHours: 3, default: 'b', decision: null });
  must(await project.api.post(`/campaigns/${campaign}/winner`, { variant: 'b' }), 200);
  expect(await campaignEnds(project, campaign)).toMatchObject({ status: 'sent', sent_count: 10 });
});

test('what cannot be made is an outcome with its reason, needs a look, and the next run goes on', async () => {
  const own = await newProject();
  await enableTemplates(own, 'newsletter', 'receipt');
  const { tag } = await newAudience(own, 1);
  const { id } = await newRecurring(own, { audience: { mode: 'tag', tag: 'nobody' }, name: 'Weekly' });
  const runAfter = async (change: () => Promise<unknown>): Promise<string> => {
    await change();
    await passDays(em, id, 1);
    await triggerRun(client, id);
    // Of a project that is suspended nothing can be read.
    const last = await row(
      em,
      sql<{
        said: string;
      }>`select concat_ws(' ', outcome, reason) as said from recurring_runs where recurring_id = ${id} order by at desc limit 1`,
    );
    return last!.said;
  };
  const change = (body: object) => own.api.call('PATCH', `/recurring-campaigns/${id}`, body);
  expect(await runAfter(async () => undefined)).toBe('not_created empty_audience');
  const { items } = must(await own.api.get('/attention'), 200);
  expect(items).toContainEqual(expect.objectContaining({ kind: 'recurring_not_made', about: id, reason: 'empty_audience' }));
  expect(await runAfter(() => change({ audience: { mode: 'tag', tag } }))).toBe('created');
  const disabled = () => own.api.put('/templates/newsletter', { enabled: false });
  expect(await runAfter(disabled)).toBe('not_created template_not_enabled');
  must(await own.api.put('/templates/newsletter', { enabled: true }), 200);
  expect(await runAfter(() => em.nativeUpdate(Project, { id: own.id }, { status: 'suspended' }))).toBe('not_created project_suspended');
  await em.nativeUpdate(Project, { id: own.id }, { status: 'active', owner_email_verified: false });
  expect(await runAfter(async () => undefined)).toBe('not_created email_unverified');
  await em.nativeUpdate(Project, { id: own.id }, { owner_email_verified: true });
  const segment = must(await own.api.post('/segments', { label: 'gone', filter: {} }), 201).segment;
  await change({ audience: { mode: 'segment', segmentId: segment.id } });
  expect(await runAfter(() => own.api.call('DELETE', `/segments/${segment.id}`))).toBe('not_created unknown_segment');
  expect(await runAfter(() => change({ audience: { mode: 'tag', tag } }))).toBe('created');
  expect((await campaignsOf(own, id)).length).toBe(2);
  expect(must(await own.api.get('/attention'), 200).items).not.toContainEqual(expect.objectContaining({ about: id }));
});

test('a run that comes so late that its campaign would be over is missed', async () => {
  const { tag } = await newAudience(project, 1);
  const { id } = await newRecurring(project, { audience: { mode: 'tag', tag }, endsAfterMinutes: 1 });
  await passDays(em, id, 1);
  await triggerRun(client, id);
  expect(await outcomes(id)).toEqual(['missed ends_at_reached']);
});

test('it ends after so many campaigns, and where its rule does', async () => {
  const { tag } = await newAudience(project, 1);
  const { id } = await newRecurring(project, { audience: { mode: 'tag', tag }, recurrence: { ...DAILY, count: 2 } });
  for (let made = 0; made < 2; made++) {
    await passDays(em, id, 1);
    await triggerRun(client, id);
  }
  expect(await recurringOf(project, id)).toMatchObject({ status: 'ended', end_reason: 'count', campaigns: 2, next_runs: [] });
  await eventually(async () => !(await describeSchedule(client, id)));
  const until = await newRecurring(project, { audience: { mode: 'tag', tag }, recurrence: { ...DAILY, until: nextDay() } });
  expect(until.next_runs).toHaveLength(1);
  expect(must(await project.api.post(`/recurring-campaigns/${until.id}/skip-next`), 200).recurringCampaign).toMatchObject({
    ...{ status: 'ended', end_reason: 'until' },
  });
});

const nextDay = (): string => new Date(Date.now() + 86_400_000 - 60_000).toISOString();

test('what is due when the rule is changed is missed, and the new rule goes on from now', async () => {
  const { tag } = await newAudience(project, 1);
  const { id } = await newRecurring(project, { audience: { mode: 'tag', tag } });
  await passDays(em, id, 1);
  must(await patch(id, { recurrence: { every: 'month', on: [-1], at: '09:00', timezone: 'UTC' } }), 200);
  expect(await outcomes(id)).toEqual(['missed changed']);
  expect(await triggerRun(client, id)).toMatch(/^Nothing is due/);
});

test('a project that has campaigns approved makes none before another key has approved it as it is', async () => {
  const own = await newProject();
  await enableTemplates(own, 'newsletter');
  await em.nativeUpdate(Project, { id: own.id }, { campaign_approval: true });
  const approver = await own.newKey(['*']);
  const { tag } = await newAudience(own, 1);
  const made = await newRecurring(own, { audience: { mode: 'tag', tag } });
  const { id } = made;
  expect(made).toMatchObject({ needs_approval: true, approved_at: null });
  const run = async (days = 1) => {
    await passDays(em, id, days);
    await triggerRun(client, id);
    return (await outcomes(id, own))[0];
  };
  expect(must(await own.api.get('/attention'), 200).items).toContainEqual(expect.objectContaining({ kind: 'recurring_held', about: id }));
  expect(await run()).toBe('not_created approval_required');
  expect(await own.api.post(`/recurring-campaigns/${id}/approve`)).toMatchObject({ status: 403, body: { code: 'forbidden' } });
  const approve = (version: number) => approver.api.post(`/recurring-campaigns/${id}/approve?ifVersion=${version}`);
  expect(await approve(2)).toMatchObject({ status: 409 });
  expect(must(await approve(1), 200).recurringCampaign).toMatchObject({ needs_approval: false, approved_by: { id: approver.id } });
  expect(await run()).toBe('created');
  // A skip is no change of what goes out.
  must(await own.api.post(`/recurring-campaigns/${id}/skip-next`), 200);
  expect(await recurringOf(own, id)).toMatchObject({ needs_approval: false, version: 2 });
  const changed = must(await own.api.call('PATCH', `/recurring-campaigns/${id}`, { subject: 'Another' }), 200).recurringCampaign;
  expect(changed).toMatchObject({ needs_approval: true, approved_at: null, approved_by: null });
  expect(await run(2)).toBe('not_created approval_required');
});

test('a campaign of a test key mails nobody, and a test key changes what test keys made alone', async () => {
  const tester = await project.newKey(['*'], true);
  const { tag, emails } = await newAudience(project, 1);
  const { id, sandboxed } = await newRecurring(tester, { audience: { mode: 'tag', tag } });
  expect(sandboxed).toBe(true);
  await passDays(em, id, 1);
  await triggerRun(client, id);
  const [campaign] = await campaignsOf(project, id);
  expect(await campaignEnds(project, campaign.id)).toMatchObject({ status: 'sent', sandboxed: true, sent_count: 1 });
  for (const email of emails) expect(await mailCount(email)).toBe(0);
  const other = await newRecurring(project, { audience: { mode: 'tag', tag } });
  expect((await tester.api.post(`/recurring-campaigns/${other.id}/pause`)).body.code).toBe('forbidden');
});

test('who is erased is taken out of the list of one that recurs, and gets none of its later campaigns', async () => {
  const [stays, goes] = [project.address('stays'), project.address('goes')];
  const contacts = must(await project.api.post('/contacts', [{ email: stays }, { email: goes }]), 200).contacts;
  const { id } = await newRecurring(project, { audience: { mode: 'people', emails: [stays, goes] } });
  must(await project.api.call('DELETE', `/contacts/${contacts[1].id}`), 200);
  const { audience } = await em.fork().findOneOrFail(RecurringCampaign, { id });
  expect(audience).toEqual({ mode: 'people', emails: [stays] });
  await passDays(em, id, 1);
  await triggerRun(client, id);
  const [{ id: campaign }] = await campaignsOf(project, id);
  await campaignEnds(project, campaign);
  expect(await campaignOf(project, campaign)).toMatchObject({ sent_count: 1, audience: { mode: 'people', count: 1 } });
  expect(await mailCount(goes)).toBe(0);
});

test('runs and campaigns are listed page by page, the latest first', async () => {
  const { tag } = await newAudience(project, 1);
  const { id } = await newRecurring(project, { audience: { mode: 'tag', tag } });
  await passDays(em, id, 5);
  await triggerRun(client, id);
  const seen: string[] = [];
  for (let cursor = ''; ; ) {
    const page = must(await project.api.get(`/recurring-campaigns/${id}/runs?limit=2${cursor}`), 200);
    seen.push(...page.runs.map(({ due_at }: { due_at: string }) => due_at));
    if (!page.nextCursor) break;
    cursor = `&cursor=${page.nextCursor}`;
  }
  expect(seen).toHaveLength(5);
  expect(seen).toEqual(seen.toSorted().reverse());
});
