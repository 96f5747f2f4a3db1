import { createHmac, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setInboundSetting } from '../../../db/queries/inbound/inbound-settings.ts';
import type { SettableProvider } from '../../../domain/inbound/providers.ts';
import { createVault } from '../../../domain/projects/crypto.ts';
import { type ApiHere, startApiHere } from '../../support/api-here.ts';
import { testEnvironment } from '../../support/environment.ts';
import { postInbound, standardHeaders } from '../../support/inbound.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { mailgunSample, postmarkSample, resendSample, sendgridSamples } from '../../support/provider-samples.ts';
import { sendMail } from '../../support/sent-mail.ts';

let project: TestProject;
beforeAll(async () => {
  project = await newProject();
});

const store = async (provider: SettableProvider, value: string) => {
  const vault = createVault(Buffer.from(testEnvironment().secretKey, 'base64'));
  await setInboundSetting(await database(), vault, { projectId: project.id, provider, value });
};
const logOf = async (to: string, of = project) => (await of.api.get(`/sends?q=${encodeURIComponent(to)}`)).body.sends[0];
const contactOf = async (to: string, of = project) => (await of.api.get(`/contacts?q=${encodeURIComponent(to)}`)).body.contacts[0];
const isSuppressed = async (to: string, of = project) =>
  (await of.api.get('/suppressions')).body.suppressions.some(({ email }: { email: string }) => email === to);

describe('resend', () => {
  const secret = `whsec_${Buffer.from(randomUUID()).toString('base64')}`;
  const post = (sample: unknown, { prefix = 'svix' as 'svix' | 'webhook', key = secret } = {}) => {
    const body = JSON.stringify(sample);
    return postInbound(project, 'resend', body, standardHeaders(body, { secret: key, prefix }));
  };
  beforeAll(() => store('resend', secret));

  test.each([
    ['email.sent', { delivery_status: 'queued' }],
    ['email.delivery_delayed', { delivery_status: 'queued' }],
    ['email.delivered', { delivery_status: 'delivered' }],
    ['email.complained', { delivery_status: 'complained' }],
    ['email.opened', { delivery_status: null, open_count: 1 }],
    ['email.clicked', { delivery_status: null, click_count: 1 }],
    ['email.failed', { delivery_status: null, last_event_at: null }],
    ['contact.created', { delivery_status: null, last_event_at: null }],
    ['constructor', { delivery_status: null, last_event_at: null }],
    ['__proto__', { delivery_status: null, last_event_at: null }],
  ])('%s', async (type, wanted) => {
    const { providerId, to } = await sendMail(project);
    expect((await post(resendSample(type, providerId))).status).toBe(200);
    expect(await logOf(to)).toMatchObject(wanted);
  });

  test('a permanent bounce is hard, a transient one soft', async () => {
    const [hard, soft] = [await sendMail(project), await sendMail(project)];
    await post(resendSample('email.bounced', hard.providerId));
    const sample = resendSample('email.bounced', soft.providerId) as { data: object };
    await post({ ...sample, data: { ...sample.data, bounce: { type: 'Transient', subType: 'MailboxFull' } } }, { prefix: 'webhook' });
    expect([(await contactOf(hard.to)).status, (await contactOf(soft.to)).status]).toEqual(['bounced', 'subscribed']);
    expect(await isSuppressed(soft.to)).toBe(true);
  });

  test('signed with anything but what is stored: 401', async () => {
    const { providerId, to } = await sendMail(project);
    const sample = resendSample('email.complained', providerId);
    for (const key of [project.inboundSecret, `whsec_${Buffer.from('x'.repeat(24)).toString('base64')}`])
      expect((await post(sample, { key })).status).toBe(401);
    expect((await logOf(to)).delivery_status).toBeNull();
  });

  test('a proven body that is no event: 422', async () => {
    for (const body of [{}, { type: 'email.delivered', created_at: '2024-11-22T23:41:12.126Z', data: {} }])
      expect((await post(body)).status).toBe(422);
  });
});

describe('sendgrid', () => {
  const pair = () => generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const { publicKey, privateKey } = pair();
  interface Signing {
    readonly key?: KeyObject;
    readonly at?: string;
    readonly signedAt?: string;
  }
  const post = (batch: unknown, { key = privateKey, at = '1600112502', signedAt = at }: Signing = {}) => {
    const body = JSON.stringify(batch);
    return postInbound(project, 'sendgrid', body, {
      'content-type': 'application/json',
      'x-twilio-email-event-webhook-signature': sign('sha256', Buffer.from(signedAt + body), key).toString('base64'),
      'x-twilio-email-event-webhook-timestamp': at,
    });
  };
  beforeAll(() => store('sendgrid', publicKey.export({ format: 'der', type: 'spki' }).toString('base64')));

  test('a whole batch is applied, and told again counts once', async () => {
    const { providerId, to } = await sendMail(project);
    const batch = sendgridSamples(providerId);
    for (const answer of [await post(batch), await post(batch), await post(batch.toReversed())]) {
      expect(answer).toEqual({ status: 200, body: { ok: true, received: 7, matched: 7 } });
    }
    expect(await logOf(to)).toMatchObject({
      delivery_status: 'complained',
      open_count: 1,
      click_count: 1,
      first_opened_at: '2017-12-15T00:59:29.000Z',
    });
    expect((await contactOf(to)).status).toBe('unsubscribed');
  });

  test('a block is a soft bounce, a deferral none', async () => {
    const [blocked, deferred] = [await sendMail(project), await sendMail(project)];
    const sampleOf = (event: string, id: string) => sendgridSamples(id).find((sample) => sample.event === event)!;
    await post([{ ...sampleOf('bounce', blocked.providerId), type: 'blocked' }, sampleOf('deferred', deferred.providerId)]);
    expect([(await logOf(blocked.to)).delivery_status, (await contactOf(blocked.to)).status]).toEqual(['bounced', 'subscribed']);
    expect([(await logOf(deferred.to)).delivery_status, await isSuppressed(deferred.to)]).toEqual(['queued', false]);
  });

  test.each(['constructor', '__proto__'])('the event %s says nothing about a delivery, and those beside it count', async (event) => {
    const { providerId, to } = await sendMail(project);
    const [processed] = sendgridSamples(providerId);
    const batch = [{ ...processed, event, sg_event_id: `${event}-${providerId}` }, processed];
    expect(await post(batch)).toEqual({ status: 200, body: { ok: true, received: 1, matched: 1 } });
    expect(await logOf(to)).toMatchObject({ delivery_status: 'queued' });
  });

  test.each<[string, Signing]>([
    ['another key', { key: pair().privateKey }],
    ['another time than the signed one', { at: '1600112503', signedAt: '1600112502' }],
  ])('%s: 401', async (_, options) => {
    const { providerId, to } = await sendMail(project);
    expect((await post(sendgridSamples(providerId), options)).status).toBe(401);
    expect((await logOf(to)).delivery_status).toBeNull();
  });

  test('without a stored key nothing is proven', async () => {
    const own = await newProject();
    expect((await postInbound(own, 'sendgrid', '[]', { 'x-twilio-email-event-webhook-signature': 'AAAA' })).status).toBe(401);
  });

  test('a proven body that is no batch of events: 422', async () => {
    for (const body of [{}, [{ event: 'open' }], ['x']]) expect((await post(body)).status).toBe(422);
  });
});

describe('postmark', () => {
  const post = (sample: unknown, credentials: string, to = project) =>
    postInbound(to, 'postmark', JSON.stringify(sample), {
      'content-type': 'application/json',
      authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
    });
  const anyone = () => `postmark:${project.inboundSecret}`;

  test.each([
    ['Delivery', { delivery_status: 'delivered' }],
    ['Bounce', { delivery_status: 'bounced' }],
    ['SpamComplaint', { delivery_status: 'complained' }],
    ['Open', { open_count: 1, first_opened_at: '2019-11-05T16:33:54.907Z' }],
    ['Click', { click_count: 1 }],
    ['SubscriptionChange', { delivery_status: null, last_event_at: null }],
  ])('%s, told twice, counts once', async (recordType, wanted) => {
    const { providerId, to } = await sendMail(project);
    const sample = postmarkSample(recordType, providerId);
    for (const answer of [await post(sample, anyone()), await post(sample, anyone())]) expect(answer.status).toBe(200);
    expect(await logOf(to)).toMatchObject(wanted);
  });

  test('a bounce says of which kind and type it is, so that only one for good bounces the contact, and a click says of which link', async () => {
    const [hard, soft, clicked] = [await sendMail(project), await sendMail(project), await sendMail(project)];
    await post(postmarkSample('Bounce', hard.providerId), anyone());
    await post({ ...postmarkSample('Bounce', soft.providerId), Type: 'SoftBounce', TypeCode: 4096 }, anyone());
    await post(postmarkSample('Click', clicked.providerId), anyone());
    const of = async (to: string) => (await project.api.get(`/sends/${(await logOf(to)).id}`)).body.send;
    expect((await of(hard.to)).bounce).toEqual({ kind: 'hard', code: 'HardBounce' });
    expect((await of(soft.to)).bounce).toEqual({ kind: 'soft', code: 'SoftBounce' });
    expect([(await contactOf(hard.to)).status, (await contactOf(soft.to)).status]).toEqual(['bounced', 'subscribed']);
    expect((await of(clicked.to)).events).toMatchObject([{ type: 'clicked', url: 'https://example.com' }]);
  });

  test('a delay is no bounce', async () => {
    const { providerId, to } = await sendMail(project);
    await post({ ...postmarkSample('Bounce', providerId), Type: 'Transient', TypeCode: 2 }, anyone());
    expect([(await logOf(to)).delivery_status, await isSuppressed(to)]).toEqual(['queued', false]);
  });

  test.each(['constructor', '__proto__'])('a bounce of the type %s is none', async (Type) => {
    const { providerId, to } = await sendMail(project);
    expect((await post({ ...postmarkSample('Bounce', providerId), Type }, anyone())).status).toBe(200);
    expect([(await logOf(to)).delivery_status, await isSuppressed(to)]).toEqual([null, false]);
  });

  test('wrong credentials: 401; once some are stored, only those do', async () => {
    const own = await newProject();
    const sample = postmarkSample('Delivery', 'x');
    for (const wrong of ['', ':', 'postmark', 'postmark:', `postmark:${own.inboundSecret}x`, `postmark:${project.inboundSecret}`])
      expect((await post(sample, wrong, own)).status).toBe(401);
    expect((await post(sample, `any:${own.inboundSecret}`, own)).status).toBe(200);
    const vault = createVault(Buffer.from(testEnvironment().secretKey, 'base64'));
    await setInboundSetting(await database(), vault, { projectId: own.id, provider: 'postmark', value: 'hook:a-long-password-of-it' });
    expect((await post(sample, `any:${own.inboundSecret}`, own)).status).toBe(401);
    expect((await post(sample, 'other:a-long-password-of-it', own)).status).toBe(401);
    expect((await post(sample, 'hook:a-long-password-of-it', own)).status).toBe(200);
  });

  test('a proven body that is no event: 422', async () => {
    for (const body of [{}, { RecordType: 'Delivery' }, { RecordType: 'Delivery', MessageID: 'x', DeliveredAt: 'once' }])
      expect((await post(body, anyone())).status).toBe(422);
    expect((await post({ RecordType: 'Delivery' }, anyone())).body).toMatchObject({
      issues: [
        { path: 'MessageID', message: 'missing' },
        { path: 'DeliveredAt', message: 'missing' },
      ],
    });
  });
});

describe('mailgun', () => {
  const SIGNING_KEY = 'a-signing-key-of-mailgun';
  interface Signing {
    readonly key?: string;
    readonly at?: number;
    readonly signedToken?: string;
  }
  const post = (sample: object, { key = SIGNING_KEY, at = Date.now(), signedToken }: Signing = {}, to = project) => {
    const [timestamp, token] = [String(Math.floor(at / 1000)), randomUUID()];
    const signature = createHmac('sha256', key)
      .update(timestamp + (signedToken ?? token))
      .digest('hex');
    const body = JSON.stringify({ signature: { timestamp, token, signature }, ...sample });
    return postInbound(to, 'mailgun', body, { 'content-type': 'application/json' });
  };
  beforeAll(() => store('mailgun', SIGNING_KEY));

  test.each<[string, Record<string, unknown>, object]>([
    ['accepted', {}, { delivery_status: 'queued' }],
    ['delivered', {}, { delivery_status: 'delivered' }],
    ['failed', {}, { delivery_status: 'bounced' }],
    ['failed', { severity: 'temporary', reason: 'generic' }, { delivery_status: 'queued' }],
    ['complained', {}, { delivery_status: 'complained' }],
    ['opened', {}, { delivery_status: null, open_count: 1, first_opened_at: '2018-03-19T15:11:02.908Z' }],
    ['clicked', {}, { delivery_status: null, click_count: 1 }],
    ['unsubscribed', {}, { delivery_status: null, last_event_at: null }],
    ['rejected', {}, { delivery_status: null, last_event_at: null }],
    ['constructor', {}, { delivery_status: null, last_event_at: null }],
    ['__proto__', {}, { delivery_status: null, last_event_at: null }],
  ])('%s %j, told twice, counts once', async (event, part, wanted) => {
    const { providerId, to } = await sendMail(project);
    const sample = mailgunSample(event, providerId, {}, part);
    for (const answer of [await post(sample), await post(sample)]) expect(answer.status).toBe(200);
    expect(await logOf(to)).toMatchObject(wanted);
  });

  test('two events of one id, which is unique within a day, on different days are two', async () => {
    const { providerId, to } = await sendMail(project);
    const id = randomUUID();
    for (const timestamp of [1521472262.9, 1521558662.9]) await post(mailgunSample('opened', providerId, {}, { id, timestamp }));
    expect(await logOf(to)).toMatchObject({ open_count: 2 });
  });

  test.each<[Record<string, unknown>, object]>([
    [
      { reason: 'bounce', 'delivery-status': { code: 550, message: '5.1.1 The email account does not exist' } },
      { kind: 'hard', code: '5.1.1' },
    ],
    [
      { reason: 'bounce', 'delivery-status': { code: 550, message: 'refused' } },
      { kind: 'hard', code: '550' },
    ],
    [{ reason: 'suppress-bounce' }, { kind: 'hard', code: '605' }],
    [
      { reason: 'generic', 'delivery-status': { code: 550, 'enhanced-code': '5.1.1', message: 'no' } },
      { kind: 'hard', code: '5.1.1' },
    ],
    [
      { reason: 'generic', 'delivery-status': { code: 554, 'enhanced-code': '5.7.1', message: 'blocked' } },
      { kind: 'soft', code: '5.7.1' },
    ],
    [
      { reason: 'suppress-complaint', 'delivery-status': { code: 607, description: 'Not delivering' } },
      { kind: 'soft', code: '607' },
    ],
    [
      { reason: 'old', 'delivery-status': { code: 602, message: 'Too old' } },
      { kind: 'soft', code: '602' },
    ],
    [
      { reason: null, 'delivery-status': null },
      { kind: 'hard', code: null },
    ],
  ])('a failure for good with %j is the bounce %j', async (part, bounce) => {
    const { providerId, to } = await sendMail(project);
    await post(mailgunSample('failed', providerId, {}, part));
    expect((await project.api.get(`/sends/${(await logOf(to)).id}`)).body.send.bounce).toEqual(bounce);
    expect((await contactOf(to)).status).toBe('kind' in bounce && bounce.kind === 'hard' ? 'bounced' : 'subscribed');
  });

  test.each<[string, Signing]>([
    ['another key', { key: 'another-key-of-mailgun' }],
    ['another token than the signed one', { signedToken: 'x' }],
    ['a time two days ago', { at: Date.now() - 2 * 86_400_000 }],
    ['a time in two days', { at: Date.now() + 2 * 86_400_000 }],
  ])('%s: 401', async (_, signing) => {
    const { providerId, to } = await sendMail(project);
    expect((await post(mailgunSample('delivered', providerId), signing)).status).toBe(401);
    expect((await logOf(to)).delivery_status).toBeNull();
  });

  test('an event that Mailgun tells for the last time, eight hours later, counts', async () => {
    const { providerId, to } = await sendMail(project);
    expect((await post(mailgunSample('delivered', providerId), { at: Date.now() - 8 * 3_600_000 })).status).toBe(200);
    expect((await logOf(to)).delivery_status).toBe('delivered');
  });

  test('without a stored key, and without a signature, nothing is proven', async () => {
    const own = await newProject();
    expect((await post(mailgunSample('delivered', 'x'), {}, own)).status).toBe(401);
    for (const body of [
      '',
      '{',
      '[]',
      '{}',
      JSON.stringify(mailgunSample('delivered', 'x')),
      '{"signature":{"timestamp":"now","token":"x","signature":""}}',
    ])
      expect((await postInbound(project, 'mailgun', body, { 'content-type': 'application/json' })).status).toBe(401);
  });

  test('a proven body that is no event: 422', async () => {
    for (const body of [
      {},
      { 'event-data': {} },
      { 'event-data': { ...(mailgunSample('opened', 'x')['event-data'] as object), timestamp: 8.65e12 } },
    ])
      expect((await post(body)).status).toBe(422);
  });
});

describe('SOFT_BOUNCE_LIMIT', () => {
  let patient: ApiHere;
  let project: TestProject;
  beforeAll(async () => {
    // Its worker would apply what it meets before the call does; that of the other tests has another limit.
    patient = await startApiHere({ SOFT_BOUNCE_LIMIT: '3' });
    project = await newProject({ everpost: patient });
  });
  afterAll(() => patient?.stop());

  const tell = async (providerId: string, type: string, minute: number, { kind = 'soft', by = project } = {}) => {
    const timestamp = new Date(Date.now() - 3_600_000 + minute * 60_000).toISOString();
    const body = JSON.stringify({ type, providerId, timestamp, ...(type === 'bounced' ? { bounce: { kind } } : {}) });
    await postInbound(by, 'generic', body, standardHeaders(body, { secret: by.inboundSecret }), patient.url);
  };
  const history = async (...types: string[]) => {
    const to = project.address();
    for (const [minute, type] of types.entries()) await tell((await sendMail(project, { to })).providerId, type, minute);
    return isSuppressed(to, project);
  };

  test('so many soft bounces in a row suppress the address', async () => {
    expect(await history('bounced', 'bounced')).toBe(false);
    expect(await history('bounced', 'bounced', 'bounced')).toBe(true);
  });

  test('several reports of one mail count once', async () => {
    const to = project.address();
    const { providerId } = await sendMail(project, { to });
    for (const minute of [0, 1, 2, 3]) await tell(providerId, 'bounced', minute);
    expect(await isSuppressed(to, project)).toBe(false);
    for (const minute of [4, 5]) await tell((await sendMail(project, { to })).providerId, 'bounced', minute);
    expect(await isSuppressed(to, project)).toBe(true);
  });

  test('a delivery between them starts the count again', async () => {
    expect(await history('bounced', 'bounced', 'delivered', 'bounced', 'bounced')).toBe(false);
    expect(await history('bounced', 'delivered', 'bounced', 'bounced', 'bounced')).toBe(true);
  });

  test('a delivery of another project to the address starts no count again', async () => {
    const theirs = await newProject({ everpost: patient });
    const to = project.address();
    await tell((await sendMail(project, { to })).providerId, 'bounced', 0);
    await tell((await sendMail(project, { to })).providerId, 'bounced', 1);
    await tell((await sendMail(theirs, { to })).providerId, 'delivered', 1, { by: theirs });
    expect(await isSuppressed(to, project)).toBe(false);
    await tell((await sendMail(project, { to })).providerId, 'bounced', 2);
    expect(await isSuppressed(to, project)).toBe(true);
  });

  test('a hard bounce does not wait', async () => {
    const mail = await sendMail(project);
    await tell(mail.providerId, 'bounced', 0, { kind: 'hard' });
    expect(await isSuppressed(mail.to, project)).toBe(true);
  });
});
