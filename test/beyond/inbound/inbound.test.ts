import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { ProviderEvent } from '../../../db/entities/index.ts';
import { takeUnapplied } from '../../../db/queries/inbound/provider-events.ts';
import { rows } from '../../../db/rows.ts';
import { untilBlocked } from '../../support/blocked.ts';
import { eventually } from '../../support/eventually.ts';
import { postInbound, report, standardHeaders } from '../../support/inbound.ts';
import { mailNow, scriptMail } from '../../support/mail.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { sendMail } from '../../support/sent-mail.ts';
import { listenForEvents, ofType } from '../../support/webhook-events.ts';
import { logOf, outcome, reasonOf, statusOf } from './reported.ts';

let project: TestProject;
beforeAll(async () => {
  project = await newProject();
});
const HARD = { kind: 'hard', code: '5.1.1' };
const SOFT = { kind: 'soft', code: '4.2.2' };

describe('times and marks at the edges of what can be stored', () => {
  test.each(['0000-01-01T00:00:00Z', '0001-01-01T00:00:00+14:00', '9999-12-31T23:59:59-01:00'])(
    '%s is refused by a generic report',
    async (timestamp) => {
      const { status, body } = await report(project, { type: 'delivered', providerId: 'x', timestamp });
      expect([status, body.code, body.issues?.[0].path]).toEqual([422, 'invalid_request', 'timestamp']);
    },
  );

  test.each(['+275760-09-13T00:00:00.000Z', '-000001-01-01T00:00:00.000Z', '0000-01-01T00:00:00Z'])(
    '%s is refused by a report of a provider',
    async (at) => {
      const event = { type: 'email.delivered', created_at: at, data: { email_id: 'x' } };
      const body = JSON.stringify(event);
      const answer = await postInbound(project, 'resend', body, standardHeaders(body, { secret: project.inboundSecret }));
      expect([answer.status, answer.body.issues?.[0].path]).toEqual([422, 'created_at']);
    },
  );

  test('the first and the last instant that can be stored are taken', async () => {
    const mail = await sendMail(project);
    for (const timestamp of ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z'])
      expect(await report(project, { type: 'delivered', providerId: mail.providerId, timestamp })).toMatchObject({ status: 200 });
  });

  test('an event with a mark of thousands of characters counts once', async () => {
    const mail = await sendMail(project);
    const mark = randomBytes(5_000).toString('hex');
    for (const _ of [1, 2])
      expect(await report(project, { type: 'opened', providerId: mail.providerId }, mark)).toMatchObject({ status: 200 });
    expect(await report(project, { type: 'opened', providerId: mail.providerId }, `${mark}2`)).toMatchObject({ status: 200 });
    expect(await logOf(project, mail.to)).toMatchObject({ open_count: 2 });
  });
});

describe('what a report does', () => {
  test.each([
    ['delivered', {}, { delivery: 'delivered', contact: 'subscribed', suppression: undefined }],
    ['bounced', { bounce: HARD }, { delivery: 'bounced', contact: 'bounced', suppression: 'bounce' }],
    ['bounced', { bounce: SOFT }, { delivery: 'bounced', contact: 'subscribed', suppression: 'bounce' }],
    ['complained', {}, { delivery: 'complained', contact: 'unsubscribed', suppression: 'complaint' }],
  ])('%s %j', async (type, details, wanted) => {
    const mail = await sendMail(project);
    expect(await report(project, { type, providerId: mail.providerId, ...details })).toEqual({
      status: 200,
      body: { ok: true, received: 1, matched: 1 },
    });
    expect(await outcome(project, mail)).toEqual(wanted);
    expect((await logOf(project, mail.to)).last_event_at).toEqual(expect.any(String));
  });

  test('opens and clicks count on the send log', async () => {
    const mail = await sendMail(project);
    const { providerId } = mail;
    await report(project, { type: 'opened', providerId });
    await report(project, { type: 'opened', providerId });
    await report(project, { type: 'clicked', providerId, url: 'https://x.example/' });
    expect(await logOf(project, mail.to)).toMatchObject({ open_count: 2, click_count: 1, delivery_status: null });
  });

  test('a bounce of mail to an address without a contact suppresses the address', async () => {
    const mail = await sendMail(project, { template: 'receipt' });
    await report(project, { type: 'bounced', providerId: mail.providerId, bounce: HARD });
    expect(await reasonOf(project, mail.to)).toBe('bounce');
    expect(await statusOf(project, mail.to)).toBeUndefined();
  });
});

test('the answer says how many of the events are about a mail of this project', async () => {
  const other = await newProject();
  const mail = await sendMail(project);
  const event = { type: 'delivered', providerId: mail.providerId };
  expect((await report(other, event)).body).toEqual({ ok: true, received: 1, matched: 0 });
  expect((await report(project, { ...event, providerId: 'nobody knows it' })).body).toEqual({ ok: true, received: 1, matched: 0 });
  // The second time it changes nothing, and is still about the mail.
  for (const _ of [1, 2])
    expect((await report(project, event, `msg_${mail.providerId}`)).body).toEqual({ ok: true, received: 1, matched: 1 });
});

describe('each event counts once', () => {
  test('told twenty times at once it is applied once', async () => {
    const own = await newProject();
    const events = await listenForEvents(own);
    const { providerId, to } = await sendMail(own);
    const id = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => report(own, { type: 'opened', providerId, timestamp: '2026-01-01T00:00:00Z' }, id)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(await logOf(own, to)).toMatchObject({ open_count: 1 });
    expect(ofType(await events(), 'email.opened')).toHaveLength(1);
  });

  test('delivered, bounced and complained are told to webhooks once a send, whatever number of reports', async () => {
    const own = await newProject();
    const events = await listenForEvents(own);
    const { providerId } = await sendMail(own);
    const reports = ['complained', 'bounced', 'delivered'].flatMap((type) => [1, 2, 3].map(() => ({ type, providerId, bounce: HARD })));
    await Promise.all(reports.map((event) => report(own, event)));
    const told = await events();
    for (const type of ['email.delivered', 'email.bounced', 'email.complained']) expect(ofType(told, type)).toHaveLength(1);
    expect(ofType(told, 'email.bounced')[0]?.data).toMatchObject({ provider_id: providerId, bounce: HARD });
  });

  test('told of one mail by two reports at once, a webhook is told once', async () => {
    const own = await newProject();
    const events = await listenForEvents(own);
    const { providerId } = await sendMail(own);
    const { reporting } = await (await database()).transactional(async (tx) => {
      await rows(tx, sql`select 1 from sends where project_id = ${own.id} and provider_id = ${providerId} for update`);
      const both = [1, 2].map(() => report(own, { type: 'complained', providerId }));
      await untilBlocked(tx, both.length);
      return { reporting: both };
    });
    for (const { status } of await Promise.all(reporting)) expect(status).toBe(200);
    expect(ofType(await events(), 'email.complained')).toHaveLength(1);
  });

  test('the same id of another provider or project is another event', async () => {
    const [one, two] = [await newProject(), await newProject()];
    const [first, second] = [await sendMail(one), await sendMail(two)];
    await report(one, { type: 'opened', providerId: first.providerId }, 'same');
    await report(two, { type: 'opened', providerId: second.providerId }, 'same');
    expect((await logOf(one, first.to)).open_count + (await logOf(two, second.to)).open_count).toBe(2);
  });
});

describe('the order of reports does not matter', () => {
  const types = ['delivered', 'bounced', 'complained'];
  const orders = types.flatMap((a) => types.filter((b) => b !== a).map((b) => [a, b, types.find((c) => c !== a && c !== b)!]));
  test.each(orders)('%s, %s, %s', async (...order) => {
    const mail = await sendMail(project);
    for (const type of order) await report(project, { type, providerId: mail.providerId, bounce: HARD });
    expect(await outcome(project, mail)).toEqual({ delivery: 'complained', contact: 'unsubscribed', suppression: 'complaint' });
  });

  test('all at once', async () => {
    const mail = await sendMail(project);
    await Promise.all(types.map((type) => report(project, { type, providerId: mail.providerId, bounce: HARD })));
    expect(await outcome(project, mail)).toEqual({ delivery: 'complained', contact: 'unsubscribed', suppression: 'complaint' });
  });

  test('a report that is quicker than the record of its submission is kept, and applied when the send is known', async () => {
    const providerId = `early-${randomUUID()}`;
    const body = { type: 'bounced', providerId, bounce: HARD };
    expect((await report(project, body, providerId)).status).toBe(200);
    const em = await database();
    const waiting = await em.findOneOrFail(ProviderEvent, { event_key: providerId });
    expect([waiting.applied_at, JSON.parse(waiting.body!).providerId]).toEqual([null, providerId]);
    const mail = await sendMail(project);
    await rows(em, sql`update sends set provider_id = ${providerId} where provider_id = ${mail.providerId}`);
    expect(await eventually(async () => (await statusOf(project, mail.to)) === 'bounced' && outcome(project, mail))).toMatchObject({
      delivery: 'bounced',
    });
    const applied = await (await database()).findOneOrFail(ProviderEvent, { event_key: providerId });
    expect([applied.body, applied.email]).toEqual([null, mail.to]);
    const nextDay = new Date(Date.now() + 86_400_000);
    expect((await takeUnapplied(em, nextDay, 1000)).map(({ id }) => id)).not.toContain(applied.id);
  });
});

test('the time of an event is that of the provider, never later than now', async () => {
  const mail = await sendMail(project);
  const { providerId } = mail;
  await report(project, { type: 'opened', providerId, timestamp: '2999-01-01T00:00:00Z' });
  await report(project, { type: 'opened', providerId, timestamp: '2026-01-01T01:00:00+01:00' });
  const log = await logOf(project, mail.to);
  expect(log).toMatchObject({ first_opened_at: '2026-01-01T00:00:00.000Z', open_count: 2 });
  expect(Date.parse(log.last_event_at)).toBeLessThanOrEqual(Date.now());
});

test('a Message-ID may be told with its angle brackets', async () => {
  const mail = await sendMail(project);
  await report(project, { type: 'delivered', providerId: `<${mail.providerId}>` });
  expect(await logOf(project, mail.to)).toMatchObject({ delivery_status: 'delivered' });
});

test('an unknown provider id is taken and ignored', async () => {
  expect(await report(project, { type: 'complained', providerId: 'nobody knows it' })).toMatchObject({ status: 200 });
  expect(await reasonOf(project, 'nobody knows it')).toBeUndefined();
});

test("another project's mail is out of reach", async () => {
  const mail = await sendMail(project);
  expect((await report(await newProject(), { type: 'complained', providerId: mail.providerId })).status).toBe(200);
  expect(await outcome(project, mail)).toEqual({ delivery: null, contact: 'subscribed', suppression: undefined });
});

test('events of a suspended project still count', async () => {
  const own = await newProject();
  const mail = await sendMail(own);
  const em = await database();
  await rows(em, sql`update projects set status = 'suspended' where id = ${own.id}`);
  expect((await report(own, { type: 'delivered', providerId: mail.providerId })).status).toBe(200);
  await rows(em, sql`update projects set status = 'active' where id = ${own.id}`);
  expect((await logOf(own, mail.to)).delivery_status).toBe('delivered');
});

describe('an address that the mail server refuses at RCPT', () => {
  test('with 5.1.x has hard bounced: contact, suppression and webhook event', async () => {
    const own = await newProject();
    const events = await listenForEvents(own);
    await own.api.put('/templates/newsletter', { enabled: true });
    const to = own.address();
    await scriptMail(to, { rejectRecipient: { code: 550, message: '5.1.1 no such user' } });
    const { status, body } = await own.api.post('/send', { template: 'newsletter', to });
    expect([status, body.reason]).toEqual([422, 'provider_rejected']);
    expect([await statusOf(own, to), await reasonOf(own, to)]).toEqual(['bounced', 'bounce']);
    expect(await logOf(own, to)).toMatchObject({ status: 'failed', delivery_status: 'bounced', provider_id: null });
    expect(ofType(await events(), 'email.bounced').map(({ data }) => data)).toEqual([expect.objectContaining({ email: to, bounce: HARD })]);
    expect((await own.api.post('/send', { template: 'newsletter', to })).body.reason).toBe('suppressed');
    expect(await mailNow(to)).toEqual([]);
  });

  test('with something else is only this mail refused', async () => {
    const to = project.address();
    await project.api.put('/templates/newsletter', { enabled: true });
    await scriptMail(to, { rejectRecipient: { code: 550, message: '5.7.1 not from you' } });
    expect((await project.api.post('/send', { template: 'newsletter', to })).body.reason).toBe('provider_rejected');
    expect([await statusOf(project, to), await reasonOf(project, to)]).toEqual(['subscribed', undefined]);
  });
});
