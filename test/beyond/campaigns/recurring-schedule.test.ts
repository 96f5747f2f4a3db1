import type { Client, ScheduleDescription } from '@temporalio/client';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../../db/orm.ts';
import { row } from '../../../db/rows.ts';
import { describeSchedule } from '../../../platform/temporal/recurring-schedules.ts';
import { recurringScheduleId } from '../../../workflows/contracts.ts';
import { untilBlocked } from '../../support/blocked.ts';
import { newAudience } from '../../support/campaigns.ts';
import { eventually } from '../../support/eventually.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { reconcileNow } from '../../support/reconcile-run.ts';
import { campaignsOf, newRecurring, passDays, recurringOf, runsOf, scheduleBecomes } from '../../support/recurring.ts';
import { enableTemplates, must } from '../../support/sequences.ts';
import { temporalClient } from '../../support/temporal.ts';

let em: EntityManager;
let client: Client;
let project: TestProject;
let audience: object;

beforeAll(async () => {
  em = await database();
  client = await temporalClient();
  project = await newProject();
  await enableTemplates(project, 'newsletter');
  audience = { mode: 'tag', tag: (await newAudience(project, 1)).tag };
});

const upcoming = ({ info }: ScheduleDescription) => info.nextActionTimes.map((at) => at.toISOString());
const schedule = (id: string) => client.schedule.getHandle(recurringScheduleId(id));
const act = async (id: string, path: string) => must(await project.api.post(`/recurring-campaigns/${id}/${path}`), 200).recurringCampaign;

test('its schedule says whose it is and by which rule it runs, and has the same next runs as the API', async () => {
  const { id, next_runs } = await newRecurring(project, { audience, name: 'Daily for ada@example.com' });
  const found = await scheduleBecomes(client, id);
  expect(upcoming(found).slice(0, 5)).toEqual(next_runs);
  const words = expect.stringMatching(/^Daily for …@…: every day at \d\d:\d\d, UTC$/);
  expect(found.state).toEqual({ paused: false, note: words });
  expect(found.memo).toEqual({ project: project.slug, recurringCampaign: id, rule: words });
  expect(found.searchAttributes).toMatchObject({ EverpostProject: [project.slug] });
  expect(found.action).toMatchObject({ workflowType: 'recurringRun', workflowId: `recurring-run/${id}`, staticSummary: words });
  expect(found.policies).toMatchObject({ overlap: 'SKIP' });
  expect(JSON.stringify(found)).not.toContain('ada@example.com');
});

test('an hour that comes twice and one that does not exist are in its schedule as the API has them, each once', async () => {
  // Berlin, 2031: the gap is on 30 March, the hour comes twice on 26 October.
  const rule = { every: 'day', at: '02:30', timezone: 'Europe/Berlin' };
  for (const [from, expected] of [
    ['2031-03-29T00:00:00Z', ['2031-03-29T01:30:00.000Z', '2031-03-30T01:00:00.000Z', '2031-03-31T00:30:00.000Z']],
    ['2031-10-25T00:00:00Z', ['2031-10-25T00:30:00.000Z', '2031-10-26T00:30:00.000Z', '2031-10-27T01:30:00.000Z']],
  ] as const) {
    const { id, next_runs } = await newRecurring(project, { audience, recurrence: { ...rule, from } });
    expect(next_runs.slice(0, 3)).toEqual(expected);
    expect(upcoming(await scheduleBecomes(client, id)).slice(0, 3)).toEqual(expected);
  }
});

test('each change reaches its schedule: a rule, a skip, a pause, a resumption and the end', async () => {
  const { id, next_runs } = await newRecurring(project, { audience, name: 'Changing' });
  await scheduleBecomes(client, id);
  await act(id, 'skip-next');
  await scheduleBecomes(client, id, (found) => upcoming(found)[0] === next_runs[1]);
  await act(id, 'pause');
  const paused = await scheduleBecomes(client, id, ({ state }) => state.paused);
  expect(paused.state.note).toMatch(/^Paused by the API: Changing: every day/);
  await act(id, 'resume');
  await scheduleBecomes(client, id, ({ state }) => !state.paused);
  const recurrence = { every: 'month', on: [-1], at: '09:00', timezone: 'UTC' };
  const { recurringCampaign } = must(await project.api.call('PATCH', `/recurring-campaigns/${id}`, { recurrence }), 200);
  const changed = await scheduleBecomes(client, id, ({ state }) => state.note?.includes('every month') ?? false);
  expect(upcoming(changed).slice(0, 5)).toEqual(recurringCampaign.next_runs);
  must(await project.api.call('DELETE', `/recurring-campaigns/${id}`), 200);
  await eventually(async () => !(await describeSchedule(client, id)));
});

test('a change that is rolled back reaches no schedule', async () => {
  const refused = await project.api.post('/recurring-campaigns', {
    template: 'newsletter',
    audience,
    recurrence: { every: 'day', at: '09:00', timezone: 'UTC', until: '2001-01-01T00:00:00Z' },
  });
  expect(refused.status).toBe(422);
  const messages = await row(em, sql<{ count: number }>`select count(*) as count from outbox where project_id = ${project.id}`);
  expect(messages?.count).toBe(0);
});

test('one that an operator has paused in Temporal stays paused, whatever changes, and makes the latest when it goes on', async () => {
  const { id } = await newRecurring(project, { audience });
  await scheduleBecomes(client, id);
  await schedule(id).pause('the operator says why');
  must(await project.api.call('PATCH', `/recurring-campaigns/${id}`, { name: 'Renamed' }), 200);
  await scheduleBecomes(client, id, ({ action }) => action.staticSummary?.startsWith('Renamed') ?? false);
  await passDays(em, id, 2);
  await reconcileNow(client);
  expect((await describeSchedule(client, id))?.state).toEqual({ paused: true, note: 'the operator says why' });
  expect(await campaignsOf(project, id)).toEqual([]);
  const { items } = must(await project.api.get('/attention'), 200);
  expect(items).toContainEqual(expect.objectContaining({ kind: 'recurring_held', about: id }));
  await schedule(id).unpause();
  await reconcileNow(client);
  await eventually(async () => (await campaignsOf(project, id)).length === 1);
  expect((await runsOf(project, id)).map(({ outcome }) => outcome)).toEqual(['created', 'missed']);
});

test('one that an operator deletes, and one that is resumed in Temporal while it is paused, are put right', async () => {
  const [deleted, resumed] = [await newRecurring(project, { audience }), await newRecurring(project, { audience })];
  for (const { id } of [deleted, resumed]) await scheduleBecomes(client, id);
  await act(resumed.id, 'pause');
  await scheduleBecomes(client, resumed.id, ({ state }) => state.paused);
  await schedule(deleted.id).delete();
  await eventually(async () => !(await describeSchedule(client, deleted.id)));
  await schedule(resumed.id).unpause();
  await reconcileNow(client);
  expect(upcoming(await scheduleBecomes(client, deleted.id)).slice(0, 5)).toEqual(deleted.next_runs);
  await scheduleBecomes(client, resumed.id, ({ state }) => state.paused);
  for (const { id } of [deleted, resumed]) expect(await campaignsOf(project, id)).toEqual([]);
});

test('what its schedule has not started is made all the same', async () => {
  const { id } = await newRecurring(project, { audience });
  await scheduleBecomes(client, id);
  await passDays(em, id, 1);
  await reconcileNow(client);
  await eventually(async () => (await campaignsOf(project, id)).length === 1);
  expect(await recurringOf(project, id)).toMatchObject({ campaigns: 1, status: 'active' });
});

test('a run and a pause at the same time: the campaign is made, or missed, and never both', async () => {
  const { id } = await newRecurring(project, { audience });
  await scheduleBecomes(client, id);
  await passDays(em, id, 1);
  const run = (n: number) =>
    client.workflow.execute('recurringRun', {
      workflowId: `recurring-run/${id}/${n}`,
      taskQueue: 'workflows',
      args: [{ recurringId: id }],
    });
  const all = await em.fork().transactional(async (tx) => {
    await row(tx, sql`select 1 from recurring_campaigns where id = ${id} for update`);
    const calls = [run(1), run(2), project.api.post(`/recurring-campaigns/${id}/pause`)];
    await untilBlocked(tx, 3);
    return calls;
  });
  await Promise.all(all);
  const [only, ...others] = await runsOf(project, id);
  expect(others).toEqual([]);
  expect(await campaignsOf(project, id)).toHaveLength(only.outcome === 'created' ? 1 : 0);
  expect([only.outcome, only.reason]).toEqual(only.outcome === 'created' ? ['created', null] : ['missed', 'paused']);
  expect((await recurringOf(project, id)).status).toBe('paused');
});
