import type { Client } from '@temporalio/client';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, expect, test } from 'vitest';
import { Project } from '../../../db/entities/index.ts';
import type { EntityManager } from '../../../db/orm.ts';
import { writeCampaign } from '../../../db/queries/campaigns/campaign-drafts.ts';
import { changeCampaign, lockCampaign } from '../../../db/queries/campaigns/campaigns.ts';
import { rows } from '../../../db/rows.ts';
import { createDraft } from '../../../usecases/campaigns/draft-campaign.ts';
import { resolveAtRun } from '../../../usecases/campaigns/resolve-campaign.ts';
import { campaignWorkflowId } from '../../../workflows/contracts.ts';
import { untilBlocked } from '../../support/blocked.ts';
import { campaignOf, newAudience, newCampaign } from '../../support/campaigns.ts';
import { eventually } from '../../support/eventually.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { enableTemplates, must } from '../../support/sequences.ts';
import { temporalClient } from '../../support/temporal.ts';

const FAR = '2999-01-01T00:00:00Z';

let client: Client;
let em: EntityManager;
let project: TestProject;

beforeAll(async () => {
  client = await temporalClient();
  em = await database();
  project = await newProject();
  await enableTemplates(project, 'newsletter');
});

/** Its workflow, which waits for the time that it was made with by now, knows nothing of what tests do to its row. */
async function scheduled(of = project): Promise<string> {
  const { tag } = await newAudience(of, 2);
  const id = await newCampaign(of, { audience: { mode: 'tag', tag }, scheduleAt: FAR });
  const workflow = client.workflow.getHandle(campaignWorkflowId(id));
  await eventually(async () => {
    const { events } = await workflow.fetchHistory().catch(() => ({ events: [] }));
    return events?.some(({ timerStartedEventAttributes }) => timerStartedEventAttributes);
  });
  return id;
}

const makeDue = (id: string) => rows(em, sql`update campaigns set scheduled_at = now() where id = ${id}`);
const resolve = (id: string) => resolveAtRun(em.fork(), id, new Date());
const batches = async (id: string) => (await rows(em, sql`select 1 from campaign_pages where campaign_id = ${id}`)).length;

test('a campaign that was given a later time after its workflow saw it due does not begin', async () => {
  const id = await scheduled();
  await resolve(id);
  expect(await campaignOf(project, id)).toMatchObject({ status: 'scheduled' });
  expect(await batches(id)).toBe(0);
  await makeDue(id);
  await resolve(id);
  expect(await campaignOf(project, id)).toMatchObject({ status: 'queued' });
  expect(await batches(id)).toBe(1);
});

test('a campaign that is changed while it is found out who gets it does not begin with those', async () => {
  const { id, running } = await eventually(async () => {
    const id = await scheduled();
    await makeDue(id);
    return em.fork().transactional(async (tx) => {
      // Another test that looks for what is due may have begun it.
      if ((await lockCampaign(tx, id))?.status !== 'scheduled') return false;
      const running = resolve(id);
      await untilBlocked(tx);
      // Of another time, too: whoever else finds it due does not begin it.
      await writeCampaign(tx, id, { version: 2, audience: { mode: 'tag', tag: 'of-others' }, scheduled_at: new Date(FAR) });
      return { id, running };
    });
  });
  await running;
  expect(await campaignOf(project, id)).toMatchObject({ status: 'scheduled', audience: { mode: 'tag', tag: 'of-others' } });
  expect(await batches(id)).toBe(0);
});

test('whoever changes a campaign that begins at this moment is told that it has begun, and nothing of it changes', async () => {
  const id = await scheduled();
  const change = await em.fork().transactional(async (tx) => {
    await lockCampaign(tx, id);
    const asked = project.api.call('PATCH', `/campaigns/${id}`, { name: 'too late' });
    await untilBlocked(tx);
    await changeCampaign(tx, id, { status: 'queued' });
    return { asked };
  });
  expect(await change.asked).toMatchObject({ status: 422, body: { code: 'invalid_status' } });
  expect(await campaignOf(project, id)).toMatchObject({ status: 'queued', name: '' });
});

test('a campaign whose change nobody has approved does not begin, however its workflow saw it', async () => {
  const asking = await newProject();
  await enableTemplates(asking, 'newsletter');
  const id = await scheduled(asking);
  await makeDue(id);
  await em.nativeUpdate(Project, { id: asking.id }, { campaign_approval: true });
  await writeCampaign(em, id, { version: 2, awaits_approval: true });
  await resolve(id);
  expect(await campaignOf(asking, id)).toMatchObject({ status: 'scheduled' });
  expect(await batches(id)).toBe(0);
});

test('whoever is erased while a campaign for her is copied is not in the copy', async () => {
  const email = project.address('copied');
  const [{ id: contactId }] = must(await project.api.post('/contacts', { email }), 200).contacts;
  const id = await newCampaign(project, { audience: { mode: 'people', emails: [email, project.address()] }, scheduleAt: FAR });
  const copy = uuidv7();
  const erasing = await em.fork().transactional(async (tx) => {
    const draft = { id: copy, projectId: project.id, keyId: project.keyId, fields: {}, copyOf: id, isSandboxed: false, now: new Date() };
    await createDraft(tx, draft);
    const running = project.api.delete(`/contacts/${contactId}`);
    await untilBlocked(tx);
    return { running };
  });
  expect((await erasing.running).status).toBe(200);
  for (const each of [id, copy]) expect(must(await project.api.get(`/campaigns/${each}/people`), 200).emails).not.toContain(email);
});
