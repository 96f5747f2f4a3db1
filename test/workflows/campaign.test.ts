import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../db/orm.ts';
import { row, rows } from '../../db/rows.ts';
import { variantsOf } from '../../domain/campaigns/campaign.ts';
import { changeProject } from '../../usecases/projects/change-project.ts';
import { campaignEnds, campaignOf, checkCampaign, newAudience, newCampaign } from '../support/campaigns.ts';
import { isDueSoon, later, workflowEnds } from '../support/campaigns-under-way.ts';
import { eventually } from '../support/eventually.ts';
import { mailNow, mailTo, scriptMail } from '../support/mail.ts';
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

/** Contacts whose mail comes last, as far as batches tell. */
async function lastInLine(id: string): Promise<{ id: string; email: string }> {
  return (await row(
    em,
    sql<{ id: string; email: string }>`
      select c.id, c.email from campaign_pages g join campaigns m on m.id = g.campaign_id
      join contacts c on c.project_id = m.project_id and c.id = g.contact_ids[cardinality(g.contact_ids)]
      where g.campaign_id = ${id} and g.state = 'pending' order by g.no desc limit 1`,
  ))!;
}

test('a scheduled campaign is resolved anew when its time comes', async () => {
  const { tag, emails } = await newAudience(project, 3);
  const late = project.address('late');
  const created = await project.api.post('/campaigns', { template: 'newsletter', audience: { mode: 'tag', tag }, scheduleAt: later() });
  expect(created).toMatchObject({
    status: 201,
    body: { status: 'scheduled', audienceSize: 3, enrolled: 3, scheduledFor: expect.any(String) },
  });
  await project.api.post('/contacts', { email: emails[0], status: 'unsubscribed' });
  await project.api.post('/contacts', { email: late, tags: [tag] });
  await isDueSoon(em, created.body.campaignId);
  const record = await campaignEnds(project, created.body.campaignId);
  expect(record).toMatchObject({ status: 'sent', audience_size: 4, total_recipients: 3, sent_count: 3 });
  expect(await mailTo(late)).toHaveLength(1);
  expect(await mailNow(emails[0] as string)).toEqual([]);
});

test('a scheduled campaign fails with its reason and skips everybody when nothing could go', async () => {
  const { tag } = await newAudience(project, 2);
  const { segment } = must(await project.api.post('/segments', { label: `gone ${tag}`, filter: { tags: [tag] } }), 201);
  const gone = await newCampaign(project, { audience: { mode: 'segment', segmentId: segment.id }, scheduleAt: later() });
  must(await project.api.delete(`/segments/${segment.id}`), 200);
  await isDueSoon(em, gone);
  expect(await campaignEnds(project, gone)).toMatchObject({
    status: 'failed',
    reason: 'unknown_segment',
    total_recipients: 2,
    skipped_count: 2,
  });

  await enableTemplates(project, 'announcement');
  const disabled = await newCampaign(project, { template: 'announcement', audience: { mode: 'tag', tag }, scheduleAt: later() });
  must(await project.api.put('/templates/announcement', { enabled: false }), 200);
  await isDueSoon(em, disabled);
  expect(await campaignEnds(project, disabled)).toMatchObject({ status: 'failed', reason: 'template_not_enabled', skipped_count: 2 });

  const other = await newProject();
  await enableTemplates(other, 'newsletter');
  const audience = await newAudience(other, 2);
  const suspended = await newCampaign(other, { audience: { mode: 'tag', tag: audience.tag }, scheduleAt: later() });
  await changeProject(em, other.id, { status: 'suspended' });
  await isDueSoon(em, suspended);
  await eventually(
    async () => (await row(em, sql<{ status: string }>`select status from campaigns where id = ${suspended}`))?.status === 'failed',
  );
  await changeProject(em, other.id, { status: 'active' });
  expect(await campaignOf(other, suspended)).toMatchObject({ status: 'failed', reason: 'project_suspended', skipped_count: 2 });
  expect(await workflowEnds(suspended)).toBe('COMPLETED');

  const unverified = await newCampaign(other, { audience: { mode: 'tag', tag: audience.tag }, scheduleAt: later() });
  await changeProject(em, other.id, { owner_email_verified: false });
  await isDueSoon(em, unverified);
  expect(await campaignEnds(other, unverified)).toMatchObject({ status: 'failed', reason: 'email_unverified', skipped_count: 2 });
});

test('whoever unsubscribes between resolution and their batch is skipped', async () => {
  const { tag, emails } = await newAudience(project, 6);
  const id = await newCampaign(project, { audience: { mode: 'tag', tag }, ratePerSecond: 1 });
  must(await project.api.post(`/campaigns/${id}/pause`), 200);
  const last = await lastInLine(id);
  must(await project.api.post(`/contacts/${last.id}/unsubscribe`), 200);
  must(await project.api.post(`/campaigns/${id}/resume`), 200);
  expect(await campaignEnds(project, id)).toMatchObject({ status: 'sent', sent_count: 5, skipped_count: 1 });
  await checkCampaign(em, project, id, emails);
  expect(await mailNow(last.email)).toEqual([]);
});

test('each contact gets the subject of its arm, and the arms add up', async () => {
  const { tag, emails } = await newAudience(project, 60);
  const variants = [
    { key: 'a', subject: 'Arm A' },
    { key: 'b', subject: 'Arm B', weight: 3 },
  ];
  const id = await newCampaign(project, { audience: { mode: 'tag', tag }, variants });
  const record = await campaignEnds(project, id);
  const counts = new Map<string, number>();
  const contacts = await rows(em, sql<{ id: string; email: string }>`select id, email from contacts where email = any(${emails}::text[])`);
  const arms = variants.map(({ key, weight = 1 }) => ({ key, weight }));
  for (const contact of contacts) {
    const { key } = variantsOf(id, arms)(contact.id);
    counts.set(key, (counts.get(key) ?? 0) + 1);
    const [mail] = await mailTo(contact.email);
    expect(mail?.raw).toContain(`Subject: Arm ${key.toUpperCase()}`);
  }
  expect(record.variants).toMatchObject([
    { key: 'a', subject: 'Arm A', weight: 1, recipients: counts.get('a'), sent_count: counts.get('a') },
    { key: 'b', subject: 'Arm B', weight: 3, recipients: counts.get('b'), sent_count: counts.get('b') },
  ]);
  await checkCampaign(em, project, id, emails);
});

test('one address that always fails fails alone', async () => {
  const { tag, emails } = await newAudience(project, 70);
  await scriptMail(emails[7] as string, { rejectRecipient: { code: 550, message: '5.1.1 no such user' } });
  const id = await newCampaign(project, { audience: { mode: 'tag', tag } });
  expect(await campaignEnds(project, id)).toMatchObject({ status: 'sent', sent_count: 69, failed_count: 1 });
  await checkCampaign(em, project, id, emails);
  const { body } = await project.api.get(`/contacts?q=${encodeURIComponent(emails[7] as string)}`);
  expect(body.contacts).toMatchObject([{ status: 'bounced' }]);
});

test('a server that drops after the final dot leaves the outcome of that mail unknown and sends it to nobody twice', async () => {
  const { tag, emails } = await newAudience(project, 40);
  await scriptMail(emails[3] as string, { dropAfterData: { times: 1 } });
  const id = await newCampaign(project, { audience: { mode: 'tag', tag } });
  expect(await campaignEnds(project, id)).toMatchObject({ status: 'sent', sent_count: 39, failed_count: 1 });
  expect(await checkCampaign(em, project, id, emails)).toMatchObject({ outcomeUnknown: 1, arrived: 40 });
});

test('a repeated POST with the same key is one campaign', async () => {
  const { tag, emails } = await newAudience(project, 2);
  const body = { template: 'newsletter', audience: { mode: 'tag', tag } };
  const options = { headers: { 'Idempotency-Key': randomUUID() } };
  const answers = [await project.api.post('/campaigns', body, options), await project.api.post('/campaigns', body, options)];
  expect(answers[1]?.headers.get('idempotent-replayed')).toBe('true');
  expect(answers[1]?.body).toEqual(answers[0]?.body);
  const id = answers[0]?.body.campaignId;
  await campaignEnds(project, id);
  await checkCampaign(em, project, id, emails);
});

test('Temporal Web says what a campaign does: what it waits for until when, and how far each sender found it', async () => {
  const client = await temporalClient();
  const { tag } = await newAudience(project, 60);
  const audience = { mode: 'tag', tag };
  const scheduled = await newCampaign(project, { audience, scheduleAt: '2999-01-01T00:00:00Z' });
  const handle = client.workflow.getHandle(`campaign/${scheduled}`);
  const shows = (state: string) =>
    eventually(async () => {
      const { searchAttributes } = await handle.describe();
      return searchAttributes.EverpostState?.[0] === state && searchAttributes;
    });
  expect(await shows('waiting')).toMatchObject({ EverpostProject: [project.slug], EverpostCampaign: [scheduled] });
  // The state comes with the start, the timer with its first task.
  await eventually(async () => {
    expect(readable(await workflowHistory(client, `campaign/${scheduled}`))).toContain('scheduled for 2999-01-01T00:00:00Z');
    return true;
  });
  must(await project.api.post(`/campaigns/${scheduled}/pause`), 200);
  await shows('paused');
  must(await project.api.post(`/campaigns/${scheduled}/cancel`), 200);
  const id = await newCampaign(project, { audience });
  await campaignEnds(project, id);
  expect(readable(await workflowHistory(client, `campaign/${id}`))).toMatch(/sending: 0 of 60; sender 1 of \d/);
});

test('no address that a tenant has in a name or in the type of an event is shown in Temporal Web', async () => {
  const client = await temporalClient();
  const { tag, emails } = await newAudience(project, 1);
  const audience = { mode: 'tag', tag };
  const id = await newCampaign(project, { audience, name: 'mail ann@secret.test', scheduleAt: '2999-01-01T00:00:00Z' });
  const shown = (workflowId: string, text: string) =>
    eventually(async () => {
      const history = readable(await workflowHistory(client, workflowId));
      return history.includes(text) && history;
    });
  expect(await shown(`campaign/${id}`, 'mail …@…: 1 recipients')).not.toContain('secret');
  must(await project.api.post(`/campaigns/${id}/cancel`), 200);

  const key = `for-${tag}`;
  const nodes = [
    { id: 'trigger', kind: 'trigger' },
    { id: 'answer', kind: 'wait_until', config: { event: { type: 'answer of bob@secret.test' }, timeoutMinutes: 60 } },
    { id: 'exit', kind: 'exit' },
  ];
  const edges = [
    { from: 'trigger', to: 'answer' },
    { from: 'answer', to: 'exit' },
  ];
  must(await project.api.post('/sequences', { key, name: 'to ann@secret.test', steps: [{ template: 'newsletter' }] }), 201);
  must(await project.api.put(`/sequences/${key}`, { status: 'active', triggers: [], nodes, edges }), 200);
  const { enrollmentId } = must(await project.api.post(`/sequences/${key}/enroll`, { email: emails[0] }), 200);
  const history = await shown(`enrollment/${enrollmentId}`, 'event:answer of …@…');
  expect(history).toContain(`to …@… (${key})`);
  expect(history).not.toContain('secret');
});
