import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, expect, test } from 'vitest';
import type { SendRow } from '../../../db/entities/index.ts';
import type { EntityManager } from '../../../db/orm.ts';
import { closeRecipients } from '../../../db/queries/campaigns/campaign-mails.ts';
import { unbalancedCampaigns } from '../../../db/queries/campaigns/campaigns.ts';
import { rows } from '../../../db/rows.ts';
import { cancelCampaignRow } from '../../../usecases/campaigns/cancel-campaign.ts';
import { untilBlocked } from '../../support/blocked.ts';
import { campaignBecomes, campaignEnds, campaignOf, newAudience, newCampaign } from '../../support/campaigns.ts';
import { testEnvironment } from '../../support/environment.ts';
import { eventually } from '../../support/eventually.ts';
import { failedRow, REJECTED, sendRecord, UNKNOWN } from '../../support/failed-mails.ts';
import { mailCount, scriptMail } from '../../support/mail.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { enableTemplates, must } from '../../support/sequences.ts';

let em: EntityManager;
let project: TestProject;

beforeAll(async () => {
  em = await database();
  project = await newProject();
  await enableTemplates(project, 'newsletter');
});

/** A sent campaign: the mails to the first of its audience have an unknown outcome, those to the next were refused, and the others went. */
async function sentCampaign({ unknown, rejected, sent = 1, ...body }: { unknown: number; rejected: number; sent?: number }) {
  const { tag, emails } = await newAudience(project, unknown + rejected + sent);
  const [outcomeUnknown, refused] = [emails.slice(0, unknown), emails.slice(unknown, unknown + rejected)];
  for (const email of outcomeUnknown) await scriptMail(email, UNKNOWN);
  for (const email of refused) await scriptMail(email, REJECTED);
  const id = await newCampaign(project, { audience: { mode: 'tag', tag }, ...body });
  const record = await campaignEnds(project, id);
  expect(record).toMatchObject({ status: 'sent', sent_count: sent, failed_count: unknown + rejected });
  for (const email of [...outcomeUnknown, ...refused]) await scriptMail(email, {});
  return { id, emails, outcomeUnknown, refused };
}

const retry = (id: string, ...outcomes: string[]) => project.api.post(`/campaigns/${id}/retry`, { outcomes });

const rowsOf = (id: string) => rows(em, sql<SendRow>`select * from sends where source_id = ${id} order by created_at, id`);

/** The counts of a campaign with what is left to do, at any instant. */
const imbalance = async (id: string) => (await unbalancedCampaigns(em, 1_000)).filter((found) => found.id === id);

test('a campaign that is retried goes once more to each who failed for that reason, its rows name each other, and its counts add up', async () => {
  const variants = [{ key: 'a' }, { key: 'b' }];
  const { id, emails, outcomeUnknown, refused } = await sentCampaign({ unknown: 3, rejected: 2, sent: 2, ...{ variants } });
  expect(must(await project.api.get(`/campaigns/${id}/failures`), 200).failures).toEqual([
    { reason: 'outcome_unknown', count: 3 },
    { reason: 'provider_rejected', count: 2 },
  ]);
  const before = await campaignOf(project, id);
  expect(must(await retry(id, 'render_failed'), 200)).toEqual({ ok: true, id, status: 'sent', retried: 0, mayArriveTwice: 0 });
  expect(must(await retry(id, 'outcome_unknown', 'provider_rejected'), 200)).toEqual({
    ...{ ok: true, id, status: 'sending', retried: 5, mayArriveTwice: 3 },
  });
  expect(await imbalance(id)).toEqual([]);
  const record = await campaignEnds(project, id);
  expect(record).toMatchObject({
    status: 'sent',
    total_recipients: 7,
    sent_count: 7,
    failed_count: 0,
    skipped_count: 0,
    cancelled_count: 0,
  });
  expect(Date.parse(record.sent_at)).toBeGreaterThan(Date.parse(before.sent_at));
  expect(record.variants.reduce((sum: number, arm: { sent_count: number }) => sum + arm.sent_count, 0)).toBe(7);
  expect(await imbalance(id)).toEqual([]);
  for (const email of emails) expect(await mailCount(email)).toBe(outcomeUnknown.includes(email) ? 2 : 1);
  const all = await rowsOf(id);
  expect(all).toHaveLength(12);
  for (const email of [...outcomeUnknown, ...refused]) {
    const [old, latest] = all.filter(({ to_email }) => to_email === email) as [SendRow, SendRow];
    expect(old).toMatchObject({ status: 'failed', retried_as: latest.id, variant: latest.variant });
    expect(latest).toMatchObject({ status: 'sent', retried_as: null });
    expect(await sendRecord(project, old.id)).toMatchObject({ retried_as: latest.id, retry_of: null });
    expect(await sendRecord(project, latest.id)).toMatchObject({ retried_as: null, retry_of: old.id });
  }
  const { sends } = must(await project.api.get(`/sends?sourceId=${id}&status=sent`), 200);
  expect(sends.filter(({ retry_of }: { retry_of: string | null }) => retry_of !== null)).toHaveLength(5);
  expect(must(await retry(id, 'outcome_unknown', 'provider_rejected'), 200)).toMatchObject({ status: 'sent', retried: 0 });
});

test('of two retries at the same time each recipient gets it once more, and one that fails again can be retried again', async () => {
  const { id, refused } = await sentCampaign({ unknown: 0, rejected: 6 });
  // It fails again when each of them has been answered: who came after that would send it once more.
  await scriptMail(refused[0] as string, { ...REJECTED, hold: true });
  const answers = await Promise.all([1, 2, 3].map(() => retry(id, 'provider_rejected')));
  await scriptMail(refused[0] as string, REJECTED);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(answers.map(({ body }) => body.retried).sort()).toEqual([0, 0, 6]);
  expect(await campaignEnds(project, id)).toMatchObject({ sent_count: 6, failed_count: 1 });
  await scriptMail(refused[0] as string, {});
  expect(must(await retry(id, 'provider_rejected'), 200)).toMatchObject({ retried: 1 });
  expect(await campaignEnds(project, id)).toMatchObject({ total_recipients: 7, sent_count: 7, failed_count: 0 });
  for (const email of refused) expect(await mailCount(email)).toBe(1);
  const [first] = (await rowsOf(id)).filter(({ to_email, retried_as }) => to_email === refused[0] && retried_as === null);
  expect(first?.status).toBe('sent');
});

test('a retry under one Idempotency-Key is made once and answered the same', async () => {
  const { id } = await sentCampaign({ unknown: 0, rejected: 2 });
  const headers = { 'Idempotency-Key': `retry-${id}` };
  const body = JSON.stringify({ outcomes: ['provider_rejected'] });
  const ask = () => project.api.call('POST', `/campaigns/${id}/retry`, body, { headers });
  const first = await ask();
  const again = await ask();
  expect([first.status, first.body.retried]).toEqual([200, 2]);
  expect(again.body).toEqual(first.body);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
});

test('who was suppressed since is skipped by a retry, who was erased is not retried, and the campaign completes once more', async () => {
  must(await project.api.post('/webhooks', { url: `${testEnvironment().receiverUrl}/retried`, events: ['campaign.completed'] }), 201);
  const { id, refused } = await sentCampaign({ unknown: 0, rejected: 3 });
  const [suppressed, erased, other] = refused as [string, string, string];
  must(await project.api.post('/suppressions', { email: suppressed }), 201);
  const { contact_id } = await failedRow(em, erased);
  must(await project.api.delete(`/contacts/${contact_id}`), 200);
  await eventually(async () => (await rowsOf(id)).some((each) => each.contact_id === null));
  expect(must(await retry(id, 'provider_rejected'), 200)).toMatchObject({ retried: 2, mayArriveTwice: 0 });
  expect(await campaignEnds(project, id)).toMatchObject({ sent_count: 2, failed_count: 1, skipped_count: 1, total_recipients: 4 });
  expect(await imbalance(id)).toEqual([]);
  expect([await mailCount(suppressed), await mailCount(erased), await mailCount(other)]).toEqual([0, 0, 1]);
  const told = await rows(em, sql`select 1 from webhook_events where type = 'campaign.completed' and data ->> 'id' = ${id}`);
  expect(told).toHaveLength(2);
});

/** A campaign to so many, of whom one was refused, one is not answered yet, and the others have it. */
async function underWay(size: number) {
  const { tag, emails } = await newAudience(project, size);
  const [refused, held] = emails as [string, string];
  await scriptMail(refused, REJECTED);
  await scriptMail(held, { hold: true });
  const id = await newCampaign(project, { audience: { mode: 'tag', tag } });
  await campaignBecomes(project, id, ({ sent_count, failed_count }) => sent_count === size - 2 && failed_count === 1);
  return { id, emails, refused, held };
}

test('a retry while the campaign is still sending goes beside the others', async () => {
  const { id, emails, refused, held } = await underWay(4);
  await scriptMail(refused, {});
  expect(must(await retry(id, 'provider_rejected'), 200)).toMatchObject({ status: 'sending', retried: 1 });
  expect(await imbalance(id)).toEqual([]);
  await scriptMail(held, {});
  expect(await campaignEnds(project, id)).toMatchObject({ sent_count: 4, failed_count: 0 });
  for (const email of emails) expect(await mailCount(email)).toBe(1);
});

test('a retry beside a cancellation of its campaign waits for that, and is refused then', async () => {
  const { id, held } = await underWay(2);
  const { asking } = await em.transactional(async (tx) => {
    await cancelCampaignRow(tx, id, null);
    const asking = retry(id, 'provider_rejected');
    await untilBlocked(tx);
    return { asking };
  });
  expect(await asking).toMatchObject({ status: 422, body: { code: 'invalid_status' } });
  expect(await campaignOf(project, id)).toMatchObject({ status: 'cancelled', failed_count: 1 });
  expect(await imbalance(id)).toEqual([]);
  await scriptMail(held, {});
});

test('what cannot be retried is refused: a campaign that has not begun, is cancelled or over, one of another project, and unknown words', async () => {
  const { tag } = await newAudience(project, 1);
  const id = await newCampaign(project, { audience: { mode: 'tag', tag }, scheduleAt: '2999-01-01T00:00:00Z' });
  const refusal = async (of: string) => {
    const { status, body } = await retry(of, 'outcome_unknown');
    return [status, body.code];
  };
  expect(await refusal(id)).toEqual([422, 'invalid_status']);
  must(await project.api.post(`/campaigns/${id}/cancel`, {}), 200);
  expect(await refusal(id)).toEqual([422, 'invalid_status']);
  const { id: over, refused } = await sentCampaign({ unknown: 0, rejected: 1 });
  await rows(em, sql`update campaigns set ends_at = now() where id = ${over}`);
  expect(await refusal(over)).toEqual([422, 'invalid_status']);
  expect((await project.api.post(`/sends/${(await failedRow(em, refused[0] as string)).id}/retry`, {})).body).toMatchObject({
    code: 'invalid_status',
  });
  await rows(em, sql`update campaigns set ends_at = null where id = ${over}`);
  const other = await newProject();
  for (const path of [`/campaigns/${over}/retry`, `/campaigns/${uuidv7()}/retry`])
    expect((await other.api.post(path, { outcomes: ['outcome_unknown'] })).status).toBe(404);
  expect((await other.api.get(`/campaigns/${over}/failures`)).status).toBe(404);
  expect((await other.api.post(`/sends/${(await failedRow(em, refused[0] as string)).id}/retry`, {})).status).toBe(404);
  for (const body of [{ outcomes: [] }, { outcomes: ['suppressed'] }, { outcomes: ['sent'] }, {}, { outcomes: ['render_failed'], more: 1 }])
    expect((await project.api.post(`/campaigns/${over}/retry`, body)).body).toMatchObject({ code: 'invalid_request' });
  const { api: reading } = await project.newKey(['send', 'sends:read']);
  expect((await reading.post(`/campaigns/${over}/retry`, { outcomes: ['outcome_unknown'] })).status).toBe(403);
});

test('a truth that comes late corrects a row that was sent again, and the campaign counts the latest mail of its recipient alone', async () => {
  const { id, outcomeUnknown } = await sentCampaign({ unknown: 2, rejected: 0 });
  const [retried, left] = outcomeUnknown as [string, string];
  const [old, other] = [await failedRow(em, retried), await failedRow(em, left)];
  must(await project.api.post(`/sends/${old.id}/retry`, {}), 200);
  expect(await campaignEnds(project, id)).toMatchObject({ sent_count: 2, failed_count: 1 });
  const truth = (send: SendRow) => ({
    intent: {
      ...{ id: send.id, projectId: send.project_id, contactId: send.contact_id, brandId: send.brand_id, toEmail: send.to_email },
      ...{ template: send.template, type: send.type, subject: send.subject, sourceType: 'campaign' as const, sourceId: send.source_id },
      ...{ identity: { by: 'nothing' as const }, journal: null },
    },
    openedAt: send.opened_at,
    outcome: { status: 'sent' as const, providerId: `late-${send.id}` },
    hasWebhooks: false,
  });
  await closeRecipients(em, [truth(old), truth(other)]);
  expect(await sendRecord(project, old.id)).toMatchObject({
    status: 'sent',
    provider_id: `late-${old.id}`,
    retried_as: expect.any(String),
  });
  expect(await sendRecord(project, other.id)).toMatchObject({ status: 'sent', retried_as: null });
  expect(await campaignOf(project, id)).toMatchObject({ total_recipients: 3, sent_count: 3, failed_count: 0 });
  expect(await imbalance(id)).toEqual([]);
});

test('one mail of a campaign is sent again by its campaign, once, and no other of it', async () => {
  const { id, refused } = await sentCampaign({ unknown: 0, rejected: 2 });
  const [email, other] = refused as [string, string];
  const old = await failedRow(em, email);
  expect((await project.api.post(`/sends/${old.id}/retry`, { data: { a: 1 } })).body).toMatchObject({ code: 'invalid_request' });
  const answers = await Promise.all([1, 2, 3].map(() => project.api.post(`/sends/${old.id}/retry`, {})));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422]);
  const queued = answers.find(({ status }) => status === 200)?.body;
  expect(queued).toEqual({ ok: true, id: null, send_id: expect.any(String), queued: true });
  expect(await campaignEnds(project, id)).toMatchObject({ sent_count: 2, failed_count: 1 });
  expect([await mailCount(email), await mailCount(other)]).toEqual([1, 0]);
  expect(await sendRecord(project, queued.send_id)).toMatchObject({ status: 'sent', retry_of: old.id, to_email: email });
});

test('a mail of a campaign is sent again by a key that may change campaigns alone', async () => {
  const { refused } = await sentCampaign({ unknown: 0, rejected: 1 });
  const { id } = await failedRow(em, refused[0] as string);
  const { api: sending } = await project.newKey(['send', 'sends:read']);
  expect(await sending.post(`/sends/${id}/retry`)).toMatchObject({
    ...{ status: 403, body: { code: 'forbidden', error: expect.stringContaining('campaigns:write') } },
  });
  expect(await sendRecord(project, id)).toMatchObject({ retried_as: null });
  const { api: both } = await project.newKey(['send', 'campaigns:write']);
  expect(must(await both.post(`/sends/${id}/retry`), 200)).toMatchObject({ queued: true });
});
