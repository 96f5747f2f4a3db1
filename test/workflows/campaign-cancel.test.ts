import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../db/orm.ts';
import { row, rows } from '../../db/rows.ts';
import { IN_FLIGHT_MS } from '../../domain/sends/submission-times.ts';
import { campaignBecomes, campaignEnds, campaignOf, checkCampaign, newAudience, newCampaign } from '../support/campaigns.ts';
import { arrived, sentRows, workflowEnds } from '../support/campaigns-under-way.ts';
import { eventually } from '../support/eventually.ts';
import { heldCount, scriptMail } from '../support/mail.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { enableTemplates, must } from '../support/sequences.ts';
import { readable, temporalClient, workflowHistory } from '../support/temporal.ts';

let em: EntityManager;
let project: TestProject;

beforeAll(async () => {
  em = await database();
  project = await newProject();
  await enableTemplates(project, 'newsletter');
});

test('after the answer to a cancel nobody else is submitted to the provider, and the count is of those who never get it', async () => {
  const { tag, emails } = await newAudience(project, 200);
  const id = await newCampaign(project, { audience: { mode: 'tag', tag }, ratePerSecond: 10 });
  await eventually(async () => (await sentRows(em, id)) >= 10, { everyMs: 20 });
  const answer = await project.api.post(`/campaigns/${id}/cancel`);
  const atAnswer = await arrived(project, emails);
  expect(answer).toMatchObject({ status: 200, body: { ok: true, id, status: 'cancelled', cancelledJobs: 200 - atAnswer } });
  expect(await workflowEnds(id)).toBe('COMPLETED');
  expect(await checkCampaign(em, project, id, emails)).toMatchObject({ arrived: atAnswer, record: { cancelled_count: 200 - atAnswer } });
  expect(await project.api.post(`/campaigns/${id}/cancel`)).toMatchObject({ status: 200, body: { cancelledJobs: 0 } });
});

test('a cancel while a batch is in flight waits for what was submitted and keeps the rest of the batch', async () => {
  const { tag, emails } = await newAudience(project, 120);
  for (const email of emails) await scriptMail(email, { delayMs: 2_500 });
  const id = await newCampaign(project, { audience: { mode: 'tag', tag } });
  await eventually(
    async () => (await rows(em, sql`select 1 from campaign_pages where campaign_id = ${id} and state = 'open'`)).length > 0,
    { everyMs: 10 },
  );
  const { body } = await project.api.post(`/campaigns/${id}/cancel`);
  const atAnswer = await arrived(project, emails);
  // A batch is fifty: what no connection had taken stays, of the batch in flight as well.
  expect(atAnswer).toBeLessThan(50);
  expect(body).toMatchObject({ cancelledJobs: 120 - atAnswer });
  await workflowEnds(id);
  expect(await checkCampaign(em, project, id, emails)).toMatchObject({ arrived: atAnswer, outcomeUnknown: 0 });
});

test('of two cancels at once one answers the count and the other 0, and both are exact', async () => {
  const { tag, emails } = await newAudience(project, 150);
  const id = await newCampaign(project, { audience: { mode: 'tag', tag }, ratePerSecond: 10 });
  await eventually(async () => (await sentRows(em, id)) >= 10, { everyMs: 20 });
  const answers = await Promise.all([1, 2].map(() => project.api.post(`/campaigns/${id}/cancel`)));
  const atAnswer = await arrived(project, emails);
  const counts = answers.map((answer) => must(answer, 200).cancelledJobs).toSorted((a, b) => a - b);
  expect(counts).toEqual([0, 150 - atAnswer]);
  await workflowEnds(id);
  await checkCampaign(em, project, id, emails);
});

test('a campaign that was sent cannot be cancelled, paused or resumed', async () => {
  const { tag } = await newAudience(project, 1);
  const id = await newCampaign(project, { audience: { mode: 'tag', tag } });
  await campaignEnds(project, id);
  expect(await project.api.post(`/campaigns/${id}/cancel`)).toMatchObject({ status: 422, body: { code: 'already_sent' } });
  for (const verb of ['pause', 'resume'])
    expect(await project.api.post(`/campaigns/${id}/${verb}`)).toMatchObject({ status: 422, body: { code: 'invalid_status' } });
});

test('a workflow that an operator cancels while mails are in flight ends as soon as they have gone', async () => {
  const { tag, emails } = await newAudience(project, 120);
  for (const email of emails) await scriptMail(email, { hold: true });
  // Small batches, since others share the connections that held mails keep.
  const id = await newCampaign(project, { audience: { mode: 'tag', tag }, ratePerSecond: 5 });
  const open = sql`select 1 from campaign_pages where campaign_id = ${id} and state = 'open'`;
  // Of a batch whose first mails are not on the wire yet nothing would go.
  await eventually(async () => (await heldCount(`@to.${project.domain}`)) > 0, { everyMs: 10 });
  const client = await temporalClient();
  await client.workflow.getHandle(`campaign/${id}`).cancel();
  await campaignBecomes(project, id, ({ status }) => status === 'cancelled');
  expect(await rows(em, open)).not.toEqual([]);
  for (const email of emails) await scriptMail(email, {});
  expect(await workflowEnds(id)).toBe('CANCELLED');
  expect(readable(await workflowHistory(client, `campaign/${id}`))).not.toContain('ails in flight');
  await checkCampaign(em, project, id, emails);
});

test('a cancel that settles the mails of a process that has died ends the workflow, which waits for the same', async () => {
  const { tag } = await newAudience(project, 2);
  const id = await newCampaign(project, { audience: { mode: 'tag', tag }, scheduleAt: '2999-01-01T00:00:00Z' });
  const client = await temporalClient();
  const shows = (text: string) => eventually(async () => readable(await workflowHistory(client, `campaign/${id}`)).includes(text));
  await shows('scheduled for');
  const contact = await row(em, sql<{ id: string }>`select id from contacts where project_id = ${project.id} limit 1`);
  // It takes the mails for those of a process that lives, until they are too old for that.
  await rows(
    em,
    sql`insert into campaign_pages (campaign_id, no, contact_ids, state, available_at, token, opened_at, send_ids, subjects, variants)
        values (${id}, 0, array[${contact?.id}::uuid], 'open', 'infinity', ${randomUUID()}, now() + interval '1 h', array[${randomUUID()}::uuid],
                array['s'], array[null::text])`,
  );
  const cancel = project.api.post(`/campaigns/${id}/cancel`);
  await shows('ails in flight');
  await rows(
    em,
    sql`update campaign_pages set opened_at = now() - make_interval(secs => ${IN_FLIGHT_MS / 1000}) where campaign_id = ${id}`,
  );
  expect(await cancel).toMatchObject({ status: 200 });
  expect(await workflowEnds(id)).toBe('COMPLETED');
  // It looks by itself as well, every few seconds; what it did last, it did when it was told.
  const { events } = await workflowHistory(client, `campaign/${id}`);
  const continuations = events.filter(({ eventType }) => /_(TIMER_FIRED|EXECUTION_SIGNALED)$/.test(eventType));
  expect(continuations.at(-1)?.eventType).toBe('EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED');
});

test('a workflow that an operator cancels makes the campaign cancelled before it ends, and nobody else gets it', async () => {
  const { tag, emails } = await newAudience(project, 120);
  const id = await newCampaign(project, { audience: { mode: 'tag', tag }, ratePerSecond: 10 });
  await eventually(async () => (await sentRows(em, id)) >= 10, { everyMs: 20 });
  await (await temporalClient()).workflow.getHandle(`campaign/${id}`).cancel();
  expect(await workflowEnds(id)).toBe('CANCELLED');
  // By the workflow itself: reconcile, which would do it too, comes later.
  expect(await campaignOf(project, id)).toMatchObject({ status: 'cancelled', reason: 'cancelled' });
  await checkCampaign(em, project, id, emails);
});
