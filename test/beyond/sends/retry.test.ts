import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, expect, test } from 'vitest';
import type { SendRow } from '../../../db/entities/index.ts';
import type { EntityManager } from '../../../db/orm.ts';
import { claimRetry, releaseRetry } from '../../../db/queries/sends/retries.ts';
import { closeMany } from '../../../db/queries/sends/send-outcomes.ts';
import { row, rows } from '../../../db/rows.ts';
import { untilBlocked } from '../../support/blocked.ts';
import { failedRow, REJECTED, sendRecord, UNKNOWN } from '../../support/failed-mails.ts';
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

test('a mail of POST /send goes again with data that are given again, once whoever asks, and not when it was sent', async () => {
  const to = project.address('again');
  await scriptMail(to, UNKNOWN);
  const mail = { template: 'password-reset', to, data: { resetUrl: 'https://example.com/first' } };
  expect((await project.api.post('/send', mail)).body).toMatchObject({ code: 'send_failed', reason: 'outcome_unknown' });
  await scriptMail(to, {});
  const old = await failedRow(em, to);
  const ask = () => project.api.post(`/sends/${old.id}/retry`, { data: { resetUrl: 'https://example.com/second' } });
  const answers = await Promise.all([ask(), ask(), ask()]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422]);
  expect(answers.filter(({ status }) => status === 422).map(({ body }) => body.code)).toEqual(['invalid_status', 'invalid_status']);
  const sent = answers.find(({ status }) => status === 200)?.body;
  expect(sent).toMatchObject({ ok: true, id: expect.any(String), send_id: expect.any(String), queued: false });
  const messages = await mailTo(to, ({ length }) => length === 2);
  expect(messages[1]?.raw).toContain('https://example.com/second');
  expect(await sendRecord(project, sent.send_id)).toMatchObject({
    status: 'sent',
    source_type: 'api',
    retry_of: old.id,
    provider_id: sent.id,
  });
  expect(await sendRecord(project, old.id)).toMatchObject({ status: 'failed', retried_as: sent.send_id });
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
  const failed = await failedRow(em, to);
  return { to, ask, failed, retry: () => project.api.post(`/sends/${failed.id}/retry`, { data: mail.data }) };
}

test('a caller whose mail somebody has sent again gets the answer of that mail, and none goes twice', async () => {
  const { to, ask, failed, retry: again } = await refusedForNow('sent-again');
  const { id, send_id } = must(await again(), 200);
  const repeated = await ask();
  expect([must(repeated, 200), repeated.headers.get('idempotent-replayed')]).toEqual([{ ok: true, id }, 'true']);
  expect(await sendRecord(project, failed.id)).toMatchObject({ retried_as: send_id });
  expect((await ask({ template: 'receipt', to })).body).toMatchObject({ code: 'idempotency_key_reuse' });
  expect(await mailCount(to)).toBe(1);
});

test('a mail whose caller has come back with its key is not sent again, and whoever asks is told as what it went', async () => {
  const { to, ask, failed, retry: again } = await refusedForNow('came-back');
  const { id } = must(await ask(), 200);
  const sent = (await row(em, sql<SendRow>`select * from sends where provider_id = ${id}`)) as SendRow;
  expect(await again()).toMatchObject({ status: 422, body: { code: 'invalid_status', error: expect.stringContaining(sent.id) } });
  expect(await sendRecord(project, failed.id)).toMatchObject({ retried_as: null });
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
  expect(await project.api.post(`/sends/${(await failedRow(em, to)).id}/retry`)).toMatchObject({
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
  const old = await failedRow(em, to);
  const { asking } = await em.transactional(async (tx) => {
    await closeMany(tx, [{ id: old.id, outcome: { status: 'sent', providerId: `late-${old.id}` }, hasWebhooks: false }]);
    const asking = project.api.post(`/sends/${old.id}/retry`);
    await untilBlocked(tx);
    return { asking };
  });
  expect(await asking).toMatchObject({ status: 422, body: { code: 'invalid_status' } });
  expect(await sendRecord(project, old.id)).toMatchObject({ status: 'sent', retried_as: null });
  expect(await mailCount(to)).toBe(1);
});

test('of two who ask for one mail at the same instant one has it sent', async () => {
  const to = project.address('twice');
  await scriptMail(to, REJECTED);
  await project.api.post('/send', { template: 'receipt', to });
  await scriptMail(to, {});
  const old = await failedRow(em, to);
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
  expect(await sendRecord(project, old.id)).toMatchObject({ retried_as: answers.find(({ status }) => status === 200)?.body.send_id });
});

test('a failed mail is free for another retry only where none has a row that follows it', async () => {
  const [to, other] = [project.address('followed'), project.address('follower')];
  await scriptMail(to, REJECTED);
  await project.api.post('/send', { template: 'receipt', to });
  must(await project.api.post('/send', { template: 'receipt', to: other }), 200);
  const old = await failedRow(em, to);
  const follower = (await row(em, sql<SendRow>`select * from sends where to_email = ${other}`)) as SendRow;
  for (const [as, left] of [
    [uuidv7(), null],
    [follower.id, follower.id],
  ] as const) {
    expect(await claimRetry(em, old, as)).toBeUndefined();
    await releaseRetry(em, old.id, as);
    expect(await sendRecord(project, old.id)).toMatchObject({ retried_as: left });
  }
});

test('a failed mail whose retry died before it had a row is free again ten minutes later', async () => {
  const to = project.address('abandoned');
  await scriptMail(to, REJECTED);
  await project.api.post('/send', { template: 'receipt', to });
  await scriptMail(to, {});
  const old = await failedRow(em, to);
  const died = uuidv7();
  expect(await claimRetry(em, old, died)).toBeUndefined();
  const refused = await project.api.post(`/sends/${old.id}/retry`);
  expect(refused).toMatchObject({ status: 422, body: { code: 'invalid_status', error: expect.stringContaining(died) } });
  await rows(em, sql`update sends set retried_at = retried_at - interval '10 minutes' where id = ${old.id}`);
  const { send_id } = must(await project.api.post(`/sends/${old.id}/retry`), 200);
  expect(await sendRecord(project, old.id)).toMatchObject({ retried_as: send_id });
  expect(await mailCount(to)).toBe(1);
  await rows(em, sql`update sends set retried_at = retried_at - interval '10 minutes' where id = ${old.id}`);
  expect(await project.api.post(`/sends/${old.id}/retry`)).toMatchObject({ status: 422, body: { code: 'invalid_status' } });
});

test('a retry passes the gates and is a row of its own when it is refused, and one that cannot be made leaves the failed row as it was', async () => {
  const to = project.address('gated');
  await scriptMail(to, REJECTED);
  await project.api.post('/send', { template: 'receipt', to });
  const old = await failedRow(em, to);
  must(await project.api.put('/templates/receipt', { enabled: false }), 200);
  expect((await project.api.post(`/sends/${old.id}/retry`)).body).toMatchObject({ code: 'template_not_enabled' });
  expect(await sendRecord(project, old.id)).toMatchObject({ retried_as: null });
  must(await project.api.put('/templates/receipt', { enabled: true }), 200);
  must(await project.api.post('/suppressions', { email: to }), 201);
  await scriptMail(to, {});
  expect((await project.api.post(`/sends/${old.id}/retry`)).body).toMatchObject({ code: 'send_failed', reason: 'suppressed' });
  const { retried_as: refused } = await sendRecord(project, old.id);
  expect(await sendRecord(project, refused)).toMatchObject({ status: 'failed', error: 'suppressed', retry_of: old.id });
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
  const old = await failedRow(em, to);
  const sent = must(await project.api.post(`/sends/${old.id}/retry`, { data: { who: 'Ada' } }), 200);
  expect(await sendRecord(project, sent.send_id)).toMatchObject({ status: 'sent', source_type: 'test', retry_of: old.id });
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
  const { id } = await failedRow(em, email);
  expect(await project.api.post(`/sends/${id}/retry`)).toMatchObject({ status: 422, body: { code: 'invalid_status' } });
  expect([await mailCount(email), await sendRecord(project, id)]).toMatchObject([0, { retried_as: null }]);
});

test("a step's mail goes again as the step makes it, also a second time, while its run stays where it ended", async () => {
  const email = project.address('stepper');
  await newContact(project, email, { firstName: 'Stefan' });
  const sequence = await newSequence(project, { steps: [{ template: 'welcome', subject: 'For {{ contact.first_name }}' }] });
  await scriptMail(email, REJECTED);
  const run = await sequence.enroll(email);
  const ended = await enrollmentEnds(em, run);
  const old = await failedRow(em, email);
  expect((await project.api.post(`/sends/${old.id}/retry`)).body).toMatchObject({ code: 'send_failed', reason: 'provider_rejected' });
  const { retried_as: second } = await sendRecord(project, old.id);
  await scriptMail(email, {});
  expect((await project.api.post(`/sends/${second}/retry`, { data: { a: 1 } })).body).toMatchObject({ code: 'invalid_request' });
  const sent = must(await project.api.post(`/sends/${second}/retry`), 200);
  expect(await sendRecord(project, sent.send_id)).toMatchObject({
    ...{ status: 'sent', source_type: 'sequence', source_id: sequence.id, retry_of: second, subject: 'For Stefan', enrollment_id: null },
  });
  expect(await mailCount(email)).toBe(1);
  expect(await enrollmentEnds(em, run)).toEqual(ended);
});
