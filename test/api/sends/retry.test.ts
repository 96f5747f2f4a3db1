import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, expect, test } from 'vitest';
import type { SendRow } from '../../../db/entities/index.ts';
import type { EntityManager } from '../../../db/orm.ts';
import { closeRecipients } from '../../../db/queries/campaigns/campaign-mails.ts';
import { unbalancedCampaigns } from '../../../db/queries/campaigns/campaigns.ts';
import { claimRetry, releaseRetry } from '../../../db/queries/sends/retries.ts';
import { closeMany } from '../../../db/queries/sends/send-outcomes.ts';
import { row, rows } from '../../../db/rows.ts';
import { cancelCampaignRow } from '../../../usecases/campaigns/cancel-campaign.ts';
import { untilBlocked } from '../../support/blocked.ts';
import { campaignBecomes, campaignEnds, campaignOf, newAudience, newCampaign } from '../../support/campaigns.ts';
import { testEnvironment } from '../../support/environment.ts';
import { eventually } from '../../support/eventually.ts';
import { mailCount, mailTo, scriptMail } from '../../support/mail.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { enableTemplates, enrollmentEnds, must, newContact, newSequence } from '../../support/sequences.ts';

let em: EntityManager;
let project: TestProject;

beforeAll(async () => {
  em = await database();
  project = await newProject();
  await enableTemplates(project, 'newsletter', 'receipt', 'welcome', 'password-reset');
});

/** Arrived, but the provider's answer did not; refused for good; and what takes place by itself. */
const [UNKNOWN, REJECTED] = [{ dropAfterData: {} }, { rejectData: { code: 554, message: '5.7.1 no' } }] as const;

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

const recordOf = async (id: string) => must(await project.api.get(`/sends/${id}`), 200).send;

async function failedRow(email: string): Promise<SendRow> {
  return (await row(
    em,
    sql<SendRow>`select * from sends where to_email = ${email} and status = 'failed' order by created_at limit 1`,
  )) as SendRow;
}

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
    expect(await recordOf(old.id)).toMatchObject({ retried_as: latest.id, retry_of: null });
    expect(await recordOf(latest.id)).toMatchObject({ retried_as: null, retry_of: old.id });
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
  const { contact_id } = await failedRow(erased);
  must(await project.api.delete(`/contacts/${contact_id}`), 200);
  await eventually(async () => (await rowsOf(id)).some((each) => each.contact_id === null));
  expect(must(await retry(id, 'provider_rejected'), 200)).toMatchObject({ retried: 2, mayArriveTwice: 0 });
  expect(await campaignEnds(project, id)).toMatchObject({ sent_count: 2, failed_count: 1, skipped_count: 1, total_recipients: 4 });
  expect(await imbalance(id)).toEqual([]);
  expect([await mailCount(suppressed), await mailCount(erased), await mailCount(other)]).toEqual([0, 0, 1]);
  const told = await rows(em, sql`select 1 from webhook_events where type = 'campaign.completed' and data ->> 'id' = ${id}`);
  expect(told).toHaveLength(2);
});

test('a retry while the campaign is still sending goes beside the others', async () => {
  const { tag, emails } = await newAudience(project, 4);
  const [refused, held] = emails as [string, string];
  await scriptMail(refused, REJECTED);
  await scriptMail(held, { hold: true });
  const id = await newCampaign(project, { audience: { mode: 'tag', tag } });
  await campaignBecomes(project, id, ({ sent_count, failed_count }) => sent_count === 2 && failed_count === 1);
  await scriptMail(refused, {});
  expect(must(await retry(id, 'provider_rejected'), 200)).toMatchObject({ status: 'sending', retried: 1 });
  expect(await imbalance(id)).toEqual([]);
  await scriptMail(held, {});
  expect(await campaignEnds(project, id)).toMatchObject({ sent_count: 4, failed_count: 0 });
  for (const email of emails) expect(await mailCount(email)).toBe(1);
});

test('a retry beside a cancellation of its campaign waits for that, and is refused then', async () => {
  const { tag, emails } = await newAudience(project, 2);
  const [refused, held] = emails as [string, string];
  await scriptMail(refused, REJECTED);
  await scriptMail(held, { hold: true });
  const id = await newCampaign(project, { audience: { mode: 'tag', tag } });
  await campaignBecomes(project, id, ({ failed_count }) => failed_count === 1);
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
  expect((await project.api.post(`/sends/${(await failedRow(refused[0] as string)).id}/retry`, {})).body).toMatchObject({
    code: 'invalid_status',
  });
  await rows(em, sql`update campaigns set ends_at = null where id = ${over}`);
  const other = await newProject();
  for (const path of [`/campaigns/${over}/retry`, `/campaigns/${uuidv7()}/retry`])
    expect((await other.api.post(path, { outcomes: ['outcome_unknown'] })).status).toBe(404);
  expect((await other.api.get(`/campaigns/${over}/failures`)).status).toBe(404);
  expect((await other.api.post(`/sends/${(await failedRow(refused[0] as string)).id}/retry`, {})).status).toBe(404);
  for (const body of [{ outcomes: [] }, { outcomes: ['suppressed'] }, { outcomes: ['sent'] }, {}, { outcomes: ['render_failed'], more: 1 }])
    expect((await project.api.post(`/campaigns/${over}/retry`, body)).body).toMatchObject({ code: 'invalid_request' });
  const { api: reading } = await project.newKey(['send', 'sends:read']);
  expect((await reading.post(`/campaigns/${over}/retry`, { outcomes: ['outcome_unknown'] })).status).toBe(403);
});

test('a truth that comes late corrects a row that was sent again, and the campaign counts the latest mail of its recipient alone', async () => {
  const { id, outcomeUnknown } = await sentCampaign({ unknown: 2, rejected: 0 });
  const [retried, left] = outcomeUnknown as [string, string];
  const [old, other] = [await failedRow(retried), await failedRow(left)];
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
  expect(await recordOf(old.id)).toMatchObject({ status: 'sent', provider_id: `late-${old.id}`, retried_as: expect.any(String) });
  expect(await recordOf(other.id)).toMatchObject({ status: 'sent', retried_as: null });
  expect(await campaignOf(project, id)).toMatchObject({ total_recipients: 3, sent_count: 3, failed_count: 0 });
  expect(await imbalance(id)).toEqual([]);
});

test('one mail of a campaign is sent again by its campaign, once, and no other of it', async () => {
  const { id, refused } = await sentCampaign({ unknown: 0, rejected: 2 });
  const [email, other] = refused as [string, string];
  const old = await failedRow(email);
  expect((await project.api.post(`/sends/${old.id}/retry`, { data: { a: 1 } })).body).toMatchObject({ code: 'invalid_request' });
  const answers = await Promise.all([1, 2, 3].map(() => project.api.post(`/sends/${old.id}/retry`, {})));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422]);
  const queued = answers.find(({ status }) => status === 200)?.body;
  expect(queued).toEqual({ ok: true, id: null, send_id: expect.any(String), queued: true });
  expect(await campaignEnds(project, id)).toMatchObject({ sent_count: 2, failed_count: 1 });
  expect([await mailCount(email), await mailCount(other)]).toEqual([1, 0]);
  expect(await recordOf(queued.send_id)).toMatchObject({ status: 'sent', retry_of: old.id, to_email: email });
});

test('a mail of a campaign is sent again by a key that may change campaigns alone', async () => {
  const { refused } = await sentCampaign({ unknown: 0, rejected: 1 });
  const { id } = await failedRow(refused[0] as string);
  const { api: sending } = await project.newKey(['send', 'sends:read']);
  expect(await sending.post(`/sends/${id}/retry`)).toMatchObject({
    ...{ status: 403, body: { code: 'forbidden', error: expect.stringContaining('campaigns:write') } },
  });
  expect(await recordOf(id)).toMatchObject({ retried_as: null });
  const { api: both } = await project.newKey(['send', 'campaigns:write']);
  expect(must(await both.post(`/sends/${id}/retry`), 200)).toMatchObject({ queued: true });
});

test('a mail of POST /send goes again with data that are given again, once whoever asks, and not when it was sent', async () => {
  const to = project.address('again');
  await scriptMail(to, UNKNOWN);
  const mail = { template: 'password-reset', to, data: { resetUrl: 'https://example.com/first' } };
  expect((await project.api.post('/send', mail)).body).toMatchObject({ code: 'send_failed', reason: 'outcome_unknown' });
  await scriptMail(to, {});
  const old = await failedRow(to);
  const ask = () => project.api.post(`/sends/${old.id}/retry`, { data: { resetUrl: 'https://example.com/second' } });
  const answers = await Promise.all([ask(), ask(), ask()]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422]);
  expect(answers.filter(({ status }) => status === 422).map(({ body }) => body.code)).toEqual(['invalid_status', 'invalid_status']);
  const sent = answers.find(({ status }) => status === 200)?.body;
  expect(sent).toMatchObject({ ok: true, id: expect.any(String), send_id: expect.any(String), queued: false });
  const messages = await mailTo(to, ({ length }) => length === 2);
  expect(messages[1]?.raw).toContain('https://example.com/second');
  expect(await recordOf(sent.send_id)).toMatchObject({ status: 'sent', source_type: 'api', retry_of: old.id, provider_id: sent.id });
  expect(await recordOf(old.id)).toMatchObject({ status: 'failed', retried_as: sent.send_id });
  expect((await project.api.post(`/sends/${sent.send_id}/retry`, {})).body).toMatchObject({ code: 'invalid_status' });
});

/** A call with a key that the provider did not take: it is answered 503, and the key is free. */
async function refusedForNow(name: string) {
  const [to, key] = [project.address(name), `freed-${uuidv7()}`];
  const mail = { template: 'password-reset', to, data: { resetUrl: 'https://example.com/once' } };
  const ask = (body: object = mail) => project.api.call('POST', '/send', body, { headers: { 'Idempotency-Key': key } });
  await scriptMail(to, { rejectData: { code: 452 } });
  expect(await ask()).toMatchObject({ status: 503, body: { reason: 'provider_unavailable' } });
  await scriptMail(to, {});
  const failed = await failedRow(to);
  return { to, ask, failed, retry: () => project.api.post(`/sends/${failed.id}/retry`, { data: mail.data }) };
}

test('a caller whose mail somebody has sent again gets the answer of that mail, and none goes twice', async () => {
  const { to, ask, failed, retry: again } = await refusedForNow('sent-again');
  const { id, send_id } = must(await again(), 200);
  const repeated = await ask();
  expect([must(repeated, 200), repeated.headers.get('idempotent-replayed')]).toEqual([{ ok: true, id }, 'true']);
  expect(await recordOf(failed.id)).toMatchObject({ retried_as: send_id });
  expect((await ask({ template: 'receipt', to })).body).toMatchObject({ code: 'idempotency_key_reuse' });
  expect(await mailCount(to)).toBe(1);
});

test('a mail whose caller has come back with its key is not sent again, and whoever asks is told as what it went', async () => {
  const { to, ask, failed, retry: again } = await refusedForNow('came-back');
  const { id } = must(await ask(), 200);
  const sent = (await row(em, sql<SendRow>`select * from sends where provider_id = ${id}`)) as SendRow;
  expect(await again()).toMatchObject({ status: 422, body: { code: 'invalid_status', error: expect.stringContaining(sent.id) } });
  expect(await recordOf(failed.id)).toMatchObject({ retried_as: null });
  expect(await mailCount(to)).toBe(1);
});

test('of a caller with its key and somebody who sends the mail again, at the same instant, one has it sent', async () => {
  const { to, ask, retry: again } = await refusedForNow('both');
  await Promise.all([ask(), again(), ask(), again()]);
  expect(await mailCount(to)).toBe(1);
});

test("a key whose mail was sent again and surely reached nobody is its caller's again", async () => {
  const template = {
    ...{ key: 'order', type: 'transactional', name: 'Order', subject: 'Order {{ number }}' },
    content: { blocks: [{ type: 'text', text: '{{ number }}' }] },
    dataSchema: [{ path: 'number', kind: 'string', required: true, sample: '7' }],
  };
  must(await project.api.post('/templates', template), 201);
  await enableTemplates(project, 'order');
  const [to, headers] = [project.address('order'), { 'Idempotency-Key': `order-${uuidv7()}` }];
  const ask = () => project.api.call('POST', '/send', { template: 'order', to, data: { number: '17' } }, { headers });
  await scriptMail(to, { rejectData: { code: 452 } });
  expect(await ask()).toMatchObject({ status: 503 });
  await scriptMail(to, {});
  // Whoever sends it again does not know its data.
  expect(await project.api.post(`/sends/${(await failedRow(to)).id}/retry`)).toMatchObject({
    status: 422,
    body: { reason: 'render_failed' },
  });
  must(await ask(), 200);
  expect((await mailTo(to))[0]?.raw).toContain('Order 17');
});

test('a mail whose key its caller has used for another since is sent again without it', async () => {
  const { to, ask, retry: again } = await refusedForNow('used-otherwise');
  const other = project.address('other');
  must(await ask({ template: 'receipt', to: other }), 200);
  must(await again(), 200);
  expect([await mailCount(to), await mailCount(other)]).toEqual([1, 1]);
});

test('a mail of unknown outcome whose truth is being recorded while it is asked for again does not go again', async () => {
  const to = project.address('late');
  await scriptMail(to, UNKNOWN);
  await project.api.post('/send', { template: 'receipt', to });
  await scriptMail(to, {});
  const old = await failedRow(to);
  const { asking } = await em.transactional(async (tx) => {
    await closeMany(tx, [{ id: old.id, outcome: { status: 'sent', providerId: `late-${old.id}` }, hasWebhooks: false }]);
    const asking = project.api.post(`/sends/${old.id}/retry`);
    await untilBlocked(tx);
    return { asking };
  });
  expect(await asking).toMatchObject({ status: 422, body: { code: 'invalid_status' } });
  expect(await recordOf(old.id)).toMatchObject({ status: 'sent', retried_as: null });
  expect(await mailCount(to)).toBe(1);
});

test('of two who ask for one mail at the same instant one has it sent', async () => {
  const to = project.address('twice');
  await scriptMail(to, REJECTED);
  await project.api.post('/send', { template: 'receipt', to });
  await scriptMail(to, {});
  const old = await failedRow(to);
  // Both have found it failed and not sent again when the first of them takes it.
  const { asking } = await em.transactional(async (tx) => {
    await row(tx, sql`select 1 from sends where id = ${old.id} for update`);
    const asking = [1, 2].map(() => project.api.post(`/sends/${old.id}/retry`));
    await untilBlocked(tx, 2);
    return { asking };
  });
  const answers = await Promise.all(asking);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
  expect(await mailCount(to)).toBe(1);
  expect(await recordOf(old.id)).toMatchObject({ retried_as: answers.find(({ status }) => status === 200)?.body.send_id });
});

test('a failed mail is free for another retry only where none has a row that follows it', async () => {
  const [to, other] = [project.address('followed'), project.address('follower')];
  await scriptMail(to, REJECTED);
  await project.api.post('/send', { template: 'receipt', to });
  must(await project.api.post('/send', { template: 'receipt', to: other }), 200);
  const old = await failedRow(to);
  const follower = (await row(em, sql<SendRow>`select * from sends where to_email = ${other}`)) as SendRow;
  for (const [as, left] of [
    [uuidv7(), null],
    [follower.id, follower.id],
  ] as const) {
    expect(await claimRetry(em, old, as)).toBeUndefined();
    await releaseRetry(em, old.id, as);
    expect(await recordOf(old.id)).toMatchObject({ retried_as: left });
  }
});

test('a failed mail whose retry died before it had a row is free again ten minutes later', async () => {
  const to = project.address('abandoned');
  await scriptMail(to, REJECTED);
  await project.api.post('/send', { template: 'receipt', to });
  await scriptMail(to, {});
  const old = await failedRow(to);
  const died = uuidv7();
  expect(await claimRetry(em, old, died)).toBeUndefined();
  const refused = await project.api.post(`/sends/${old.id}/retry`);
  expect(refused).toMatchObject({ status: 422, body: { code: 'invalid_status', error: expect.stringContaining(died) } });
  await rows(em, sql`update sends set retried_at = retried_at - interval '10 minutes' where id = ${old.id}`);
  const { send_id } = must(await project.api.post(`/sends/${old.id}/retry`), 200);
  expect(await recordOf(old.id)).toMatchObject({ retried_as: send_id });
  expect(await mailCount(to)).toBe(1);
  await rows(em, sql`update sends set retried_at = retried_at - interval '10 minutes' where id = ${old.id}`);
  expect(await project.api.post(`/sends/${old.id}/retry`)).toMatchObject({ status: 422, body: { code: 'invalid_status' } });
});

test('a retry passes the gates and is a row of its own when it is refused, and one that cannot be made leaves the failed row as it was', async () => {
  const to = project.address('gated');
  await scriptMail(to, REJECTED);
  await project.api.post('/send', { template: 'receipt', to });
  const old = await failedRow(to);
  must(await project.api.put('/templates/receipt', { enabled: false }), 200);
  expect((await project.api.post(`/sends/${old.id}/retry`)).body).toMatchObject({ code: 'template_not_enabled' });
  expect(await recordOf(old.id)).toMatchObject({ retried_as: null });
  must(await project.api.put('/templates/receipt', { enabled: true }), 200);
  must(await project.api.post('/suppressions', { email: to }), 201);
  await scriptMail(to, {});
  expect((await project.api.post(`/sends/${old.id}/retry`)).body).toMatchObject({ code: 'send_failed', reason: 'suppressed' });
  const { retried_as: refused } = await recordOf(old.id);
  expect(await recordOf(refused)).toMatchObject({ status: 'failed', error: 'suppressed', retry_of: old.id });
  expect(await mailCount(to)).toBe(0);
  must(await project.api.delete(`/suppressions/${encodeURIComponent(to)}`), 200);
  must(await project.api.post(`/sends/${refused}/retry`), 200);
  expect(await mailCount(to)).toBe(1);
});

test('a test mail goes again as a test, with the draft that it shows', async () => {
  const to = project.address('tester');
  await scriptMail(to, REJECTED);
  const content = { blocks: [{ type: 'text', text: 'A draft for {{ who }}.' }] };
  must(await project.api.put('/templates/newsletter/content', { content }), 200);
  await project.api.post('/templates/newsletter/test', { to, data: { who: 'nobody' } });
  await scriptMail(to, {});
  const old = await failedRow(to);
  const sent = must(await project.api.post(`/sends/${old.id}/retry`, { data: { who: 'Ada' } }), 200);
  expect(await recordOf(sent.send_id)).toMatchObject({ status: 'sent', source_type: 'test', retry_of: old.id });
  expect((await mailTo(to))[0]?.raw).toContain('A draft for Ada');
});

test('of an archived sequence no mail goes again', async () => {
  const email = project.address('archived');
  await newContact(project, email);
  const sequence = await newSequence(project, { steps: [{ template: 'welcome' }] });
  await scriptMail(email, REJECTED);
  await enrollmentEnds(em, await sequence.enroll(email));
  await scriptMail(email, {});
  must(await project.api.call('PATCH', `/sequences/${sequence.key}`, { status: 'archived' }), 200);
  const { id } = await failedRow(email);
  expect(await project.api.post(`/sends/${id}/retry`)).toMatchObject({ status: 422, body: { code: 'invalid_status' } });
  expect([await mailCount(email), await recordOf(id)]).toMatchObject([0, { retried_as: null }]);
});

test("a step's mail goes again as the step makes it, also a second time, while its run stays where it ended", async () => {
  const email = project.address('stepper');
  await newContact(project, email, { firstName: 'Stefan' });
  const sequence = await newSequence(project, { steps: [{ template: 'welcome', subject: 'For {{ contact.first_name }}' }] });
  await scriptMail(email, REJECTED);
  const run = await sequence.enroll(email);
  const ended = await enrollmentEnds(em, run);
  const old = await failedRow(email);
  expect((await project.api.post(`/sends/${old.id}/retry`)).body).toMatchObject({ code: 'send_failed', reason: 'provider_rejected' });
  const { retried_as: second } = await recordOf(old.id);
  await scriptMail(email, {});
  expect((await project.api.post(`/sends/${second}/retry`, { data: { a: 1 } })).body).toMatchObject({ code: 'invalid_request' });
  const sent = must(await project.api.post(`/sends/${second}/retry`), 200);
  expect(await recordOf(sent.send_id)).toMatchObject({
    ...{ status: 'sent', source_type: 'sequence', source_id: sequence.id, retry_of: second, subject: 'For Stefan', enrollment_id: null },
  });
  expect(await mailCount(email)).toBe(1);
  expect(await enrollmentEnds(em, run)).toEqual(ended);
});
