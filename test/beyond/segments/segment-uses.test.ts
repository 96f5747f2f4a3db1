import { expect, test } from 'vitest';
import { newProject, type TestProject } from '../../support/project.ts';
import { newRecurring } from '../../support/recurring.ts';
import { enableTemplates, must } from '../../support/sequences.ts';

const START = { id: 'start', kind: 'trigger' };
const END = { id: 'end', kind: 'exit' };
const LONG = [START, END];
const ASKING = [START, { id: 'asks', kind: 'branch', config: { when: { not: { segment: 'vip' } } } }, END];

async function put(project: TestProject, key: string, graph: object): Promise<void> {
  const given = { name: key, status: 'draft', triggers: [], nodes: LONG, edges: [{ from: 'start', to: 'end' }], ...graph };
  must(await project.api.put(`/sequences/${key}`, given), 200);
}

test('what uses a segment is told: sequences by trigger or condition, and campaigns that have not begun', async () => {
  const project = await newProject();
  await enableTemplates(project, 'newsletter');
  must(await project.api.post('/contacts', { email: project.address() }), 200);
  const segment = must(await project.api.post('/segments', { label: 'VIP' }), 201).segment.id;
  const other = must(await project.api.post('/segments', { label: 'Others' }), 201).segment.id;
  const uses = async () => must(await project.api.get(`/segments/${segment}/uses`), 200);
  const none = { sequences: [], sequenceCount: 0, campaigns: [], campaignCount: 0, recurringCampaigns: [], recurringCount: 0 };
  expect(await uses()).toEqual({ ok: true, ...none });

  const trigger = { kind: 'segment', config: { segment: 'Vip' } };
  const fork = [
    { from: 'start', to: 'asks' },
    { from: 'asks', to: 'end', branchKey: 'true' },
    { from: 'asks', to: 'end', branchKey: 'false' },
  ];
  await put(project, 'a-triggered', { triggers: [trigger], status: 'active' });
  await put(project, 'b-asking', { nodes: ASKING, edges: fork });
  await put(project, 'c-archived', { triggers: [trigger], status: 'archived' });
  // Of the same words, but no condition.
  const mail = { id: 'mail', kind: 'send_email', config: { template: 'welcome', data: { segment: 'VIP' } } };
  const linear = [
    { from: 'start', to: 'mail' },
    { from: 'mail', to: 'end' },
  ];
  await put(project, 'd-data', { nodes: [START, mail, END], edges: linear });
  const audience = { mode: 'segment', segmentId: segment };
  const scheduleAt = new Date(Date.now() + 86_400_000).toISOString();
  const draft = must(await project.api.post('/campaigns?draft=1', { name: 'Draft', audience }), 201).campaignId;
  const scheduled = must(
    await project.api.post('/campaigns', { name: 'Scheduled', template: 'newsletter', audience, scheduleAt }),
    201,
  ).campaignId;
  must(await project.api.post('/campaigns?draft=1', { name: 'Elsewhere', audience: { mode: 'segment', segmentId: other } }), 201);
  const [active, paused, over] = [
    await newRecurring(project, { name: 'Active', audience }),
    await newRecurring(project, { name: 'Paused', audience }),
    await newRecurring(project, { name: 'Over', audience }),
  ];
  must(await project.api.post(`/recurring-campaigns/${paused.id}/pause`), 200);
  must(await project.api.delete(`/recurring-campaigns/${over.id}`), 200);
  await newRecurring(project, { audience: { mode: 'segment', segmentId: other } });
  expect(await uses()).toEqual({
    ok: true,
    sequences: [
      { key: 'a-triggered', name: 'a-triggered', status: 'active', isTrigger: true, isCondition: false },
      { key: 'b-asking', name: 'b-asking', status: 'draft', isTrigger: false, isCondition: true },
    ],
    sequenceCount: 2,
    campaigns: [
      {
        id: scheduled,
        name: 'Scheduled',
        template: 'newsletter',
        subject: expect.any(String),
        status: 'scheduled',
        scheduled_at: scheduleAt,
      },
      { id: draft, name: 'Draft', template: '', subject: '', status: 'draft', scheduled_at: null },
    ],
    campaignCount: 2,
    recurringCampaigns: [
      { id: paused.id, name: 'Paused', template: 'newsletter', status: 'paused', next_run: null },
      { id: active.id, name: 'Active', template: 'newsletter', status: 'active', next_run: active.next_runs[0] },
    ],
    recurringCount: 2,
  });
  for (let n = 0; n < 20; n++) must(await project.api.post('/campaigns?draft=1', { audience }), 201);
  const many = await uses();
  expect([many.campaigns.length, many.campaignCount]).toEqual([20, 22]);
});

test('a key that may not read sequences or campaigns is told of none, and nobody of a segment of another project', async () => {
  const [project, stranger] = await Promise.all([newProject({ scopes: ['segments:read'] }), newProject()]);
  const segment = must(await (await project.newKey(['contacts:write'])).api.post('/segments', { label: 'VIP' }), 201).segment.id;
  expect(must(await project.api.get(`/segments/${segment}/uses`), 200)).toEqual({
    ...{ ok: true, sequences: [], sequenceCount: null, campaigns: [], campaignCount: null, recurringCampaigns: [], recurringCount: null },
  });
  expect((await stranger.api.get(`/segments/${segment}/uses`)).status).toBe(404);
});
