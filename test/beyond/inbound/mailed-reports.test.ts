import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { rows } from '../../../db/rows.ts';
import { createVault } from '../../../domain/projects/crypto.ts';
import { returnPathOf } from '../../../domain/sends/return-path.ts';
import { ABSENCE, complaint, EXIM, failed, MESSAGE_ID, ORIGINAL, plain, report } from '../../domain/inbound/returned-mails.ts';
import { campaignEnds, checkCampaign, newAudience, newCampaign } from '../../support/campaigns.ts';
import { testEnvironment } from '../../support/environment.ts';
import { scriptMail } from '../../support/mail.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { sendMail } from '../../support/sent-mail.ts';
import { listenForEvents, ofType } from '../../support/webhook-events.ts';
import { logOf, outcome, reasonOf } from './reported.ts';

let project: TestProject;
beforeAll(async () => {
  project = await newProject();
});

interface Post {
  readonly password?: string;
  readonly inboundId?: string;
}

/** Hands over a mail, about the send with this id of the provider. */
async function post(message: Buffer, providerId = '', { password = project.inboundSecret, inboundId = project.inboundId }: Post = {}) {
  const body = message.toString().replaceAll(MESSAGE_ID, providerId);
  const authorization = `Basic ${Buffer.from(`mta:${password}`).toString('base64')}`;
  const url = `${testEnvironment().apiUrl}/api/v1/inbound/dsn/${inboundId}`;
  const response = await fetch(url, { method: 'POST', body, headers: { authorization, 'content-type': 'message/rfc822' } });
  return { status: response.status, body: await response.json() };
}

const TAKEN = { status: 200, body: { ok: true, received: 1, matched: 1 } };
const UNKNOWN_USER = report({ status: failed('5.1.1', '550 5.1.1 unknown user') });

describe('what a mail does that came back', () => {
  test.each([
    ['a hard bounce', UNKNOWN_USER, { delivery: 'bounced', contact: 'bounced', suppression: 'bounce' }],
    ['a soft one', report({ status: failed('5.2.2', 'full') }), { delivery: 'bounced', contact: 'subscribed', suppression: 'bounce' }],
    [
      'a delay',
      report({ status: failed('4.4.1', 'timeout', 'delayed') }),
      { delivery: 'queued', contact: 'subscribed', suppression: undefined },
    ],
    ['a bounce for people only', EXIM, { delivery: 'bounced', contact: 'bounced', suppression: 'bounce' }],
    ['a complaint', complaint('abuse'), { delivery: 'complained', contact: 'unsubscribed', suppression: 'complaint' }],
  ])('%s', async (_, message, wanted) => {
    const mail = await sendMail(project);
    expect(await post(message, mail.providerId)).toEqual(TAKEN);
    expect(await outcome(project, mail)).toEqual(wanted);
  });

  test('nothing, when it is an absence note', async () => {
    const mail = await sendMail(project);
    expect(await post(ABSENCE, mail.providerId)).toEqual({ status: 200, body: { ok: true, received: 0, matched: 0 } });
    expect((await logOf(project, mail.to)).delivery_status).toBeNull();
  });
});

test('handed over twenty times at once it counts once, and a webhook is told once, with its code', async () => {
  const own = await newProject();
  const events = await listenForEvents(own);
  const { providerId } = await sendMail(own);
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => post(UNKNOWN_USER, providerId, { password: own.inboundSecret, inboundId: own.inboundId })),
  );
  expect(answers).toEqual(Array(20).fill(TAKEN));
  const [told, ...more] = ofType(await events(), 'email.bounced');
  expect([told?.data, more]).toEqual([expect.objectContaining({ bounce: { kind: 'hard', code: '5.1.1' } }), []]);
});

test('a bounce of a copy is about its address, and the mail stays as it is', async () => {
  const [to, cc] = [project.address('to'), project.address('cc')];
  await project.api.put('/templates/receipt', { enabled: true });
  const { body } = await project.api.post('/send', { template: 'receipt', to, cc: [cc] });
  const status = failed('5.1.1', '550 5.1.1 unknown').map((line) => line.replace('ann@there.example', cc));
  expect(await post(report({ status }), body.id)).toEqual(TAKEN);
  expect([await reasonOf(project, cc), await reasonOf(project, to)]).toEqual(['bounce', undefined]);
  expect((await logOf(project, to)).delivery_status).toBeNull();
});

test('only the first part of a large one is read, and it is enough', async () => {
  const mail = await sendMail(project);
  const large = report({ status: failed('5.1.1', '550 unknown'), original: [...ORIGINAL, '', 'x'.repeat(3_000_000)] });
  expect(await post(large, mail.providerId)).toEqual(TAKEN);
  const beyond = report({ status: failed('5.1.1', '550 unknown'), original: [...ORIGINAL, '', 'x'.repeat(6_000_000)] });
  expect(await post(beyond, mail.providerId)).toMatchObject({ status: 413, body: { code: 'payload_too_large' } });
});

describe('is refused', () => {
  test('with another password, and nothing changes', async () => {
    const other = await newProject();
    const mail = await sendMail(project);
    for (const password of [other.inboundSecret, '', `${project.inboundSecret}x`])
      expect(await post(UNKNOWN_USER, mail.providerId, { password })).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
    expect((await logOf(project, mail.to)).delivery_status).toBeNull();
  });

  test('at an address of no project, and when it is no mail', async () => {
    expect(await post(UNKNOWN_USER, '', { inboundId: 'in_nobody' })).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(await post(Buffer.from('{}'))).toMatchObject({ status: 422, body: { code: 'invalid_request' } });
  });
});

test("another project's mail is not touched, whatever names it, and a return path that nobody has given out names none", async () => {
  const other = await newProject();
  const mail = await sendMail(project);
  const vault = createVault(Buffer.from(testEnvironment().secretKey, 'base64'));
  const returnPath = returnPathOf(vault, { user: 'bounces', host: 'mail.example' }, mail.providerId.slice(0, 36));
  const forged = returnPath.replace(/[0-9a-f]@/, (last) => (last === '0@' ? '1@' : '0@'));
  const sentTo = (address: string) => report({ status: failed('5.1.1', '550 unknown'), headers: [`Delivered-To: ${address}`] });
  const unmatched = { status: 200, body: { ok: true, received: 1, matched: 0 } };
  for (const message of [UNKNOWN_USER, sentTo(returnPath)]) {
    const answer = await post(message, mail.providerId, { password: other.inboundSecret, inboundId: other.inboundId });
    expect(answer).toEqual(unmatched);
  }
  expect(await post(sentTo(forged), 'nobody knows it')).toEqual(unmatched);
  expect((await logOf(project, mail.to)).delivery_status).toBeNull();
  expect(await post(sentTo(returnPath), 'nobody knows it')).toEqual(TAKEN);
  expect((await logOf(project, mail.to)).delivery_status).toBe('bounced');
});

describe('a report by return path about a mail of unknown outcome says that it had left', () => {
  const returnPathTo = (sendId: string): string =>
    returnPathOf(createVault(Buffer.from(testEnvironment().secretKey, 'base64')), { user: 'bounces', host: 'mail.example' }, sendId);
  const bounceOf = (sendId: string) =>
    report({ status: failed('5.1.1', '550 unknown'), headers: [`Delivered-To: ${returnPathTo(sendId)}`] });

  test('it is sent and bounced, and webhooks are told both', async () => {
    const own = await newProject();
    const events = await listenForEvents(own);
    const to = own.address();
    await own.api.put('/templates/receipt', { enabled: true });
    await scriptMail(to, { dropAfterData: {} });
    expect((await own.api.post('/send', { template: 'receipt', to })).body).toMatchObject({ reason: 'outcome_unknown' });
    const { id } = await logOf(own, to);
    const given = { password: own.inboundSecret, inboundId: own.inboundId };
    expect(await post(bounceOf(id), '', given)).toEqual(TAKEN);
    expect(await logOf(own, to)).toMatchObject({ id, status: 'sent', error: null, delivery_status: 'bounced' });
    const told = await events();
    expect([ofType(told, 'email.sent').length, ofType(told, 'email.bounced').length]).toEqual([1, 1]);
    // Of what another report says nothing is told twice.
    expect(await post(bounceOf(id), '', given)).toEqual(TAKEN);
    expect(ofType(await events(), 'email.sent')).toHaveLength(1);
  });

  test('its campaign counts it as sent, and its numbers add up', async () => {
    const own = await newProject();
    await own.api.put('/templates/newsletter', { enabled: true });
    const { tag, emails } = await newAudience(own, 3);
    await scriptMail(emails[0] as string, { dropAfterData: {} });
    const campaign = await newCampaign(own, { audience: { mode: 'tag', tag } });
    expect(await campaignEnds(own, campaign)).toMatchObject({ sent_count: 2, failed_count: 1 });
    const { id } = await logOf(own, emails[0] as string);
    expect(await post(bounceOf(id), '', { password: own.inboundSecret, inboundId: own.inboundId })).toEqual(TAKEN);
    expect((await checkCampaign(await database(), own, campaign, emails)).record).toMatchObject({
      sent_count: 3,
      failed_count: 0,
      bounced_count: 1,
    });
  });

  test('one that failed for another reason stays as it is', async () => {
    const own = await newProject();
    const to = own.address();
    await own.api.put('/templates/receipt', { enabled: true });
    await scriptMail(to, { rejectData: { code: 554, message: '5.7.1 spam' } });
    expect((await own.api.post('/send', { template: 'receipt', to })).body).toMatchObject({ reason: 'provider_rejected' });
    const { id } = await logOf(own, to);
    const answer = await post(bounceOf(id), '', { password: own.inboundSecret, inboundId: own.inboundId });
    expect(answer).toEqual({ status: 200, body: { ok: true, received: 1, matched: 0 } });
    expect(await logOf(own, to)).toMatchObject({ status: 'failed', delivery_status: null });
  });
});

test('a report of a mail with copies that names nobody is about nobody', async () => {
  const [to, cc] = [project.address('to'), project.address('cc')];
  await project.api.put('/templates/receipt', { enabled: true });
  const { body } = await project.api.post('/send', { template: 'receipt', to, cc: [cc] });
  const vague = plain('mailer-daemon@mx.example', 'Undeliverable', ['550 5.1.1 no such user', '', '--- Original message ---', ...ORIGINAL]);
  expect(await post(vague, body.id)).toEqual(TAKEN);
  expect([await reasonOf(project, cc), await reasonOf(project, to)]).toEqual([undefined, undefined]);
});

test('what is kept of a report has no address once its contact is erased', async () => {
  const mail = await sendMail(project);
  const status = failed('5.1.1', '550 5.1.1 unknown').map((line) => line.replace('ann@there.example', mail.to));
  expect(await post(report({ status }), mail.providerId)).toEqual(TAKEN);
  const { contacts } = (await project.api.get(`/contacts?email=${encodeURIComponent(mail.to)}`)).body;
  expect((await project.api.delete(`/contacts/${contacts[0].id}`)).status).toBe(200);
  const kept = await rows(await database(), sql<object>`select * from provider_events where send_id = ${mail.providerId.slice(0, 36)}`);
  expect(kept).toHaveLength(1);
  expect(JSON.stringify(kept)).not.toContain(mail.to);
});
