import { randomUUID } from 'node:crypto';
import { WorkflowNotFoundError } from '@temporalio/client';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../db/orm.ts';
import { row, rows } from '../../db/rows.ts';
import { variantsOf } from '../../domain/campaigns/campaign.ts';
import { IN_FLIGHT_MS } from '../../domain/sends/submission-times.ts';
import { changeProject } from '../../usecases/projects/change-project.ts';
import { campaignBecomes, campaignEnds, campaignOf, checkCampaign, newAudience, newCampaign } from '../support/campaigns.ts';
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
  await enableTemplates(project, 'newsletter', 'receipt');
});

const HOUR_MS = 3_600_000;
const later = (milliseconds = HOUR_MS): string => new Date(Date.now() + milliseconds).toISOString();

/** Brings a scheduled campaign on, its end with it: no calls before that take longer than its time is away. */
async function isDueSoon(id: string): Promise<void> {
  const due = sql`now() + interval '1 s'`;
  await rows(em, sql`update campaigns set scheduled_at = ${due}, ends_at = ends_at - (scheduled_at - (${due})) where id = ${id}`);
  const handle = (await temporalClient()).workflow.getHandle(`campaign/${id}`);
  await eventually(async () => {
    await handle.signal('changed');
    return true;
  });
}

/** What has to be slow to be met in the middle need not be slow to its end. */
async function restIsFast(id: string): Promise<void> {
  await rows(em, sql`update campaigns set rate_per_second = 1000 where id = ${id}`);
}

/** Mails to this project that arrived so far. */
async function arrived(emails: readonly string[]): Promise<number> {
  const wanted = new Set(emails);
  return (await mailNow(`@to.${project.domain}`)).filter(({ to }) => wanted.has(to[0] as string)).length;
}

async function sentRows(id: string): Promise<number> {
  const counted = sql<{ count: number }>`select count(*) as count from sends where source_id = ${id} and status = 'sent'`;
  return (await row(em, counted))?.count ?? 0;
}

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

async function workflowEnds(id: string): Promise<string> {
  const handle = (await temporalClient()).workflow.getHandle(`campaign/${id}`);
  return eventually(async () => {
    const { status } = await handle.describe();
    return status.name !== 'RUNNING' && status.name;
  });
}

test('after the answer to a cancel nobody else is submitted to the provider, and the count is of those who never get it', async () => {
  const { tag, emails } = await newAudience(project, 200);
  const id = await newCampaign(project, { audience: { mode: 'tag', tag }, ratePerSecond: 10 });
  await eventually(async () => (await sentRows(id)) >= 10, { everyMs: 20 });
  const answer = await project.api.post(`/campaigns/${id}/cancel`);
  const atAnswer = await arrived(emails);
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
  const atAnswer = await arrived(emails);
  // A batch is fifty: what no connection had taken stays, of the batch in flight as well.
  expect(atAnswer).toBeLessThan(50);
  expect(body).toMatchObject({ cancelledJobs: 120 - atAnswer });
  await workflowEnds(id);
  expect(await checkCampaign(em, project, id, emails)).toMatchObject({ arrived: atAnswer, outcomeUnknown: 0 });
});

test('of two cancels at once one answers the count and the other 0, and both are exact', async () => {
  const { tag, emails } = await newAudience(project, 150);
  const id = await newCampaign(project, { audience: { mode: 'tag', tag }, ratePerSecond: 10 });
  await eventually(async () => (await sentRows(id)) >= 10, { everyMs: 20 });
  const answers = await Promise.all([1, 2].map(() => project.api.post(`/campaigns/${id}/cancel`)));
  const atAnswer = await arrived(emails);
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

test('a paused campaign sends nothing until it is resumed, then it reaches everybody once', async () => {
  const SIZE = 100;
  const { tag, emails } = await newAudience(project, SIZE);
  const id = await newCampaign(project, { audience: { mode: 'tag', tag }, ratePerSecond: 10 });
  await eventually(async () => (await sentRows(id)) >= 10, { everyMs: 20 });
  expect(await project.api.post(`/campaigns/${id}/pause`)).toMatchObject({ status: 200, body: { campaign: { paused: true } } });
  expect(await project.api.post(`/campaigns/${id}/pause`)).toMatchObject({ status: 422, body: { code: 'invalid_status' } });
  const client = await temporalClient();
  await eventually(async () => readable(await workflowHistory(client, `campaign/${id}`)).includes('paused'));
  const open = sql`select 1 from campaign_pages where campaign_id = ${id} and state <> 'pending'`;
  await eventually(async () => (await rows(em, open)).length === 0);
  const atPause = await arrived(emails);
  expect(atPause).toBeLessThan(SIZE);
  await restIsFast(id);
  expect(await project.api.post(`/campaigns/${id}/resume`)).toMatchObject({ status: 200, body: { campaign: { paused: false } } });
  await campaignEnds(project, id);
  expect(await checkCampaign(em, project, id, emails)).toMatchObject({ sent: SIZE, arrived: SIZE });
});

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
  await isDueSoon(created.body.campaignId);
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
  await isDueSoon(gone);
  expect(await campaignEnds(project, gone)).toMatchObject({
    status: 'failed',
    reason: 'unknown_segment',
    total_recipients: 2,
    skipped_count: 2,
  });

  await enableTemplates(project, 'announcement');
  const disabled = await newCampaign(project, { template: 'announcement', audience: { mode: 'tag', tag }, scheduleAt: later() });
  must(await project.api.put('/templates/announcement', { enabled: false }), 200);
  await isDueSoon(disabled);
  expect(await campaignEnds(project, disabled)).toMatchObject({ status: 'failed', reason: 'template_not_enabled', skipped_count: 2 });

  const other = await newProject();
  await enableTemplates(other, 'newsletter');
  const audience = await newAudience(other, 2);
  const suspended = await newCampaign(other, { audience: { mode: 'tag', tag: audience.tag }, scheduleAt: later() });
  await changeProject(em, other.id, { status: 'suspended' });
  await isDueSoon(suspended);
  await eventually(
    async () => (await row(em, sql<{ status: string }>`select status from campaigns where id = ${suspended}`))?.status === 'failed',
  );
  await changeProject(em, other.id, { status: 'active' });
  expect(await campaignOf(other, suspended)).toMatchObject({ status: 'failed', reason: 'project_suspended', skipped_count: 2 });
  expect(await workflowEnds(suspended)).toBe('COMPLETED');

  const unverified = await newCampaign(other, { audience: { mode: 'tag', tag: audience.tag }, scheduleAt: later() });
  await changeProject(em, other.id, { owner_email_verified: false });
  await isDueSoon(unverified);
  expect(await campaignEnds(other, unverified)).toMatchObject({ status: 'failed', reason: 'email_unverified', skipped_count: 2 });
});

test('a campaign whose project is suspended in the middle is held, says so, and goes on as soon as that ends', async () => {
  const other = await newProject();
  await enableTemplates(other, 'newsletter');
  const SIZE = 100;
  const { tag, emails } = await newAudience(other, SIZE);
  const id = await newCampaign(other, { audience: { mode: 'tag', tag }, ratePerSecond: 10 });
  await eventually(async () => (await sentRows(id)) > 0, { everyMs: 20 });
  await changeProject(em, other.id, { status: 'suspended' });
  const client = await temporalClient();
  await eventually(async () => readable(await workflowHistory(client, `campaign/${id}`)).includes('held: project_suspended'));
  const atHold = await sentRows(id);
  expect(atHold).toBeLessThan(SIZE);
  await restIsFast(id);
  await changeProject(em, other.id, { status: 'active' });
  // It would look by itself after a minute.
  expect(await campaignEnds(other, id, { timeoutMs: 30_000 })).toMatchObject({ status: 'sent', sent_count: SIZE });
  await checkCampaign(em, other, id, emails);
});

test('a provider that is away for three days ends the campaign and the rest is skipped, but time in which it is paused does not count', async () => {
  const { tag, emails } = await newAudience(project, 3);
  for (const email of emails) await scriptMail(email, { rejectRecipient: { code: 451, message: '4.3.0 later' } });
  const id = await newCampaign(project, { audience: { mode: 'tag', tag } });
  const outagesAre = (least: number) => sql`id = ${id} and outages >= ${least}`;
  const isAway = (least: number) => eventually(() => row(em, sql`select 1 from campaigns where ${outagesAre(least)}`));
  const forThreeDays = (least: number) =>
    row(em, sql`update campaigns set first_outage_at = now() - interval '3 days' where ${outagesAre(least)} returning id`);
  const handle = (await temporalClient()).workflow.getHandle(`campaign/${id}`);
  // It would end at its next try: after the third the pause until that is long enough for a call to come first.
  for (const least of [1, 2]) {
    await isAway(least);
    await handle.signal('retryNow');
  }
  await eventually(() => forThreeDays(3));
  must(await project.api.post(`/campaigns/${id}/pause`), 200);
  const outage = sql<{ at: Date | null }>`select first_outage_at as at from campaigns where id = ${id}`;
  await eventually(async () => (await row(em, outage))?.at === null);
  must(await project.api.post(`/campaigns/${id}/resume`), 200);
  expect(await campaignOf(project, id)).toMatchObject({ status: 'sending', skipped_count: 0 });
  await eventually(async () => {
    await handle.signal('retryNow');
    return forThreeDays(1);
  });
  // A signal of before may have ended it.
  await handle.signal('retryNow').catch((error) => expect(error).toBeInstanceOf(WorkflowNotFoundError));
  expect(await campaignEnds(project, id)).toMatchObject({ status: 'sent', reason: 'provider_unavailable', skipped_count: 3 });
  await checkCampaign(em, project, id, emails);
});

test('whoever cannot get it any more after an outage leaves no reason behind', async () => {
  const { tag, emails } = await newAudience(project, 1);
  await scriptMail(emails[0] as string, { rejectRecipient: { code: 451, message: '4.3.0 later' } });
  const id = await newCampaign(project, { audience: { mode: 'tag', tag } });
  await campaignBecomes(project, id, ({ reason }) => reason === 'provider_unavailable');
  must(await project.api.post('/suppressions', { email: emails[0], reason: 'manual' }), 201);
  const handle = (await temporalClient()).workflow.getHandle(`campaign/${id}`);
  await eventually(async () => {
    await handle.signal('retryNow').catch(() => undefined);
    return (await campaignOf(project, id)).status === 'sent';
  });
  expect(await campaignOf(project, id)).toMatchObject({ skipped_count: 1, reason: null });
});

test('a campaign that is paused before it starts ends at endsAt all the same', async () => {
  const { tag, emails } = await newAudience(project, 2);
  const id = await newCampaign(project, { audience: { mode: 'tag', tag }, scheduleAt: later(), endsAt: later(HOUR_MS + 1_500) });
  must(await project.api.post(`/campaigns/${id}/pause`), 200);
  await isDueSoon(id);
  expect(await campaignEnds(project, id)).toMatchObject({
    status: 'sent',
    reason: 'ends_at_reached',
    total_recipients: 2,
    skipped_count: 2,
  });
  expect(await checkCampaign(em, project, id, emails)).toMatchObject({ sent: 0, arrived: 0 });
});

test('at endsAt the rest is skipped and the campaign counts as sent', async () => {
  const { tag, emails } = await newAudience(project, 100);
  const id = await newCampaign(project, { audience: { mode: 'tag', tag }, ratePerSecond: 5, endsAt: later() });
  await eventually(async () => (await sentRows(id)) > 0, { everyMs: 20 });
  await rows(em, sql`update campaigns set ends_at = now() + interval '1 s' where id = ${id}`);
  const record = await campaignEnds(project, id);
  expect(record).toMatchObject({ status: 'sent', reason: 'ends_at_reached' });
  expect(record.skipped_count).toBeGreaterThan(0);
  expect(record.sent_count).toBeGreaterThan(0);
  await checkCampaign(em, project, id, emails);
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

test('a workflow that an operator cancels while mails are in flight ends as soon as they have gone', async () => {
  const { tag, emails } = await newAudience(project, 120);
  for (const email of emails) await scriptMail(email, { hold: true });
  // Small batches, since others share the connections that held mails keep.
  const id = await newCampaign(project, { audience: { mode: 'tag', tag }, ratePerSecond: 5 });
  const open = sql`select 1 from campaign_pages where campaign_id = ${id} and state = 'open'`;
  await eventually(async () => (await rows(em, open)).length > 0, { everyMs: 10 });
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

test('a workflow that an operator cancels makes the campaign cancelled, and nobody else gets it', async () => {
  const { tag, emails } = await newAudience(project, 120);
  const id = await newCampaign(project, { audience: { mode: 'tag', tag }, ratePerSecond: 10 });
  await eventually(async () => (await sentRows(id)) >= 10, { everyMs: 20 });
  await (await temporalClient()).workflow.getHandle(`campaign/${id}`).cancel();
  expect(await workflowEnds(id)).toBe('CANCELLED');
  expect(await campaignBecomes(project, id, ({ status }) => status === 'cancelled')).toMatchObject({ reason: 'cancelled' });
  await checkCampaign(em, project, id, emails);
});
