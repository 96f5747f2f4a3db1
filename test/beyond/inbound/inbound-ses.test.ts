import { randomUUID, sign } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setInboundSetting } from '../../../db/queries/inbound/inbound-settings.ts';
import { type SnsMessage, signedText } from '../../../domain/inbound/sns.ts';
import { createVault } from '../../../domain/projects/crypto.ts';
import { createSnsClient } from '../../../platform/inbound/sns-client.ts';
import { certificate, type TestCertificate } from '../../support/certificates.ts';
import { testEnvironment } from '../../support/environment.ts';
import { postInbound } from '../../support/inbound.ts';
import { startInboundApi } from '../../support/inbound-api.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { sesSample } from '../../support/provider-samples.ts';
import { type SentMail, sendMail } from '../../support/sent-mail.ts';

const TOPIC = 'arn:aws:sns:us-east-1:123456789012:ses-events';
const HOST = 'https://sns.us-east-1.amazonaws.com';
const NAME = 'sns.amazonaws.com';
const DAY_MS = 86_400_000;

const root = certificate({ name: 'Test Root', isAuthority: true });
const middle = certificate({ name: 'Test Middle', issuer: root, isAuthority: true });
const stranger = certificate({ name: 'Stranger Root', isAuthority: true });
const notAuthority = certificate({ name: 'No Authority', issuer: root });
const fetched = certificate({ name: NAME, issuer: middle, issuerUrl: 'http://crt.r2m01.amazontrust.com/r2m01.cer' });
/** What lies where; the key signs the message. */
const files: Record<string, { readonly leaf: TestCertificate; readonly pem: string }> = {};
const publish = (name: string, leaf: TestCertificate, ...chain: TestCertificate[]): string => {
  const url = `${HOST}/${name}.pem`;
  files[url] = { leaf, pem: [leaf, ...chain].map(({ pem }) => pem).join('') };
  return url;
};
const GOOD = publish('SimpleNotificationService-good', certificate({ name: NAME, issuer: middle }), middle);

const visited: string[] = [];
const sns = createSnsClient({
  async get(url) {
    visited.push(url.href);
    if (url.hostname === 'crt.r2m01.amazontrust.com') return middle.der;
    if (url.searchParams.get('Action') === 'ConfirmSubscription') return Buffer.from('<ConfirmSubscriptionResponse/>');
    const file = files[url.href];
    if (!file) throw new Error('404');
    return Buffer.from(file.pem);
  },
  roots: [root.pem],
  now: () => new Date(),
});

let api: Awaited<ReturnType<typeof startInboundApi>>;
let project: TestProject;
beforeAll(async () => {
  api = await startInboundApi({ sns });
  project = await newProject();
  const vault = createVault(Buffer.from(testEnvironment().secretKey, 'base64'));
  await setInboundSetting(await database(), vault, {
    projectId: project.id,
    provider: 'ses',
    value: `arn:aws:sns:us-east-1:1:x, ${TOPIC}`,
  });
});
afterAll(() => api.stop());

/** docs.aws.amazon.com/sns, "HTTP/HTTPS notification JSON format", signed as SNS does. */
const notification = (message: unknown, over: Partial<SnsMessage> = {}, signer = files[over.SigningCertURL ?? GOOD]?.leaf): SnsMessage => {
  const unsigned: Omit<SnsMessage, 'Signature'> = {
    Type: 'Notification',
    MessageId: randomUUID(),
    TopicArn: TOPIC,
    Subject: 'Amazon SES Email Event Notification',
    Message: typeof message === 'string' ? message : JSON.stringify(message),
    Timestamp: '2012-05-02T00:54:06.655Z',
    SignatureVersion: '2',
    SigningCertURL: GOOD,
    ...over,
  };
  const algorithm = unsigned.SignatureVersion === '1' ? 'RSA-SHA1' : 'RSA-SHA256';
  const key = (signer ?? files[GOOD]!.leaf).privateKey;
  return { ...unsigned, Signature: sign(algorithm, Buffer.from(signedText(unsigned)), key).toString('base64') };
};
const post = (message: unknown, to = project) =>
  postInbound(
    to,
    'ses',
    typeof message === 'string' ? message : JSON.stringify(message),
    { 'content-type': 'text/plain; charset=UTF-8' },
    api.url,
  );
const logOf = async ({ to }: SentMail) => (await project.api.get(`/sends?q=${encodeURIComponent(to)}`)).body.sends[0];
const contactOf = async ({ to }: SentMail) => (await project.api.get(`/contacts?q=${encodeURIComponent(to)}`)).body.contacts[0];

describe.each(['1', '2'] as const)('signature version %s', (SignatureVersion) => {
  test.each([
    ['Send', { delivery_status: 'queued' }],
    ['DeliveryDelay', { delivery_status: 'queued' }],
    ['Delivery', { delivery_status: 'delivered' }],
    ['Bounce', { delivery_status: 'bounced' }],
    ['Complaint', { delivery_status: 'complained' }],
    ['Open', { open_count: 1, first_opened_at: '2017-08-09T22:00:19.652Z' }],
    ['Click', { click_count: 1 }],
    ['Reject', { delivery_status: null, last_event_at: null }],
    ['constructor', { delivery_status: null, last_event_at: null }],
    ['__proto__', { delivery_status: null, last_event_at: null }],
  ])('%s, told twice, counts once', async (type, wanted) => {
    const mail = await sendMail(project);
    const message = notification(sesSample(type, mail.providerId), { SignatureVersion });
    for (const answer of [await post(message), await post(message)]) expect(answer.status).toBe(200);
    expect(await logOf(mail)).toMatchObject(wanted);
  });
});

test('the older notifications are understood, and one without a subject', async () => {
  const mail = await sendMail(project);
  const { Subject: _, ...message } = notification(sesSample('Bounce', mail.providerId, 'notificationType'), { Subject: null });
  expect((await post(message)).status).toBe(200);
  expect((await contactOf(mail)).status).toBe('bounced');
});

test('a transient bounce is soft', async () => {
  const mail = await sendMail(project);
  const sample = sesSample('Bounce', mail.providerId) as { bounce: object };
  await post(notification({ ...sample, bounce: { ...sample.bounce, bounceType: 'Transient', bounceSubType: 'MailboxFull' } }));
  expect([(await logOf(mail)).delivery_status, (await contactOf(mail)).status]).toEqual(['bounced', 'subscribed']);
});

describe('what is not proven is 401, and nothing changes', () => {
  test.each<[string, (message: SnsMessage) => SnsMessage]>([
    ['another message', (message) => ({ ...message, Message: `${message.Message} ` })],
    ['another subject', (message) => ({ ...message, Subject: 'Other' })],
    ['another topic, rightly signed', ({ Message }) => notification(Message, { TopicArn: `${TOPIC}-of-somebody` })],
    ['a topic that was exchanged', (message) => ({ ...message, TopicArn: 'arn:aws:sns:us-east-1:1:x' })],
    ['no signature worth the name', (message) => ({ ...message, Signature: 'AAAA' })],
    ['the other version', (message) => ({ ...message, SignatureVersion: '1' })],
    [
      'a certificate from elsewhere',
      (message) => ({ ...message, SigningCertURL: 'https://sns.us-east-1.amazonaws.com.evil.example/x.pem' }),
    ],
    ['one over http', (message) => ({ ...message, SigningCertURL: GOOD.replace('https:', 'http:') })],
    ['one at another port', (message) => ({ ...message, SigningCertURL: GOOD.replace('.com/', '.com:8443/') })],
    [
      'one behind credentials',
      (message) => ({ ...message, SigningCertURL: GOOD.replace('https://', 'https://sns.us-east-1.amazonaws.com@') }),
    ],
    ['a file that is none', (message) => ({ ...message, SigningCertURL: `${HOST}/?Action=x` })],
  ])('%s', async (_, spoil) => {
    const mail = await sendMail(project);
    expect(await post(spoil(notification(sesSample('Complaint', mail.providerId))))).toMatchObject({
      status: 401,
      body: { code: 'unauthorized' },
    });
    expect(await logOf(mail)).toMatchObject({ delivery_status: null });
  });

  const long = new Date(Date.now() - 10 * DAY_MS);
  const recently = new Date(Date.now() - 5 * DAY_MS);
  test.each<[string, string]>([
    ['signed by itself', publish('self', certificate({ name: NAME, isAuthority: true }))],
    ['of a root that nobody trusts', publish('stranger', certificate({ name: NAME, issuer: stranger }), stranger)],
    ['without its chain', publish('alone', certificate({ name: NAME, issuer: middle }))],
    ['issued by what is no authority', publish('no-authority', certificate({ name: NAME, issuer: notAuthority }), notAuthority)],
    ['of another name', publish('name', certificate({ name: 'sns.example.com', issuer: root }))],
    ['whose time is over', publish('old', certificate({ name: NAME, issuer: root, from: long, to: recently }))],
  ])('a certificate %s', async (_, SigningCertURL) => {
    const mail = await sendMail(project);
    expect((await post(notification(sesSample('Complaint', mail.providerId), { SigningCertURL }))).status).toBe(401);
    expect(await logOf(mail)).toMatchObject({ delivery_status: null });
  });

  test('a project without allowed topics', async () => {
    expect((await post(notification(sesSample('Delivery', 'x')), await newProject())).status).toBe(401);
  });
});

test("a chain may be completed from where the certificate says its issuer's lies", async () => {
  const SigningCertURL = publish('fetched', fetched);
  const mail = await sendMail(project);
  expect((await post(notification(sesSample('Delivery', mail.providerId), { SigningCertURL }))).status).toBe(200);
  expect(await logOf(mail)).toMatchObject({ delivery_status: 'delivered' });
});

test('a certificate is fetched once', async () => {
  await post(notification(sesSample('Delivery', 'x')));
  const before = visited.filter((url) => url === GOOD).length;
  await post(notification(sesSample('Delivery', 'y')));
  expect(visited.filter((url) => url === GOOD).length).toBe(before);
});

describe('a subscription', () => {
  const confirmation = (over: Partial<SnsMessage> = {}) =>
    notification('You have chosen to subscribe to the topic', {
      Type: 'SubscriptionConfirmation',
      Token:
        '2336412f37fb687f5d51e6e241d09c805a5a57b30d712f794cc5f6a988666d92768dd60a747ba6f3beb71854e285d6ad02428b09ceece29417f1f02d609c582afbacc99c583a916b9981dd2728f4ae6fdb82efd087cc3b7849e05798d2d2785c03b0879594eeac82c01f235d0e717736',
      SubscribeURL: `${HOST}/?Action=ConfirmSubscription&TopicArn=${TOPIC}&Token=2336412f37fb687f`,
      ...over,
    });

  test('of an allowed topic is confirmed', async () => {
    const message = confirmation();
    expect((await post(message)).status).toBe(200);
    expect(visited).toContain(new URL(message.SubscribeURL!).href);
  });

  test('of another topic, or with a changed address, is not', async () => {
    const before = visited.filter((url) => url.includes('ConfirmSubscription')).length;
    expect((await post(confirmation({ TopicArn: `${TOPIC}-of-somebody` }))).status).toBe(401);
    expect((await post({ ...confirmation(), SubscribeURL: `${HOST}/?Action=ConfirmSubscription&other` })).status).toBe(401);
    expect((await post(confirmation({ SubscribeURL: 'https://evil.example/?Action=ConfirmSubscription' }))).status).toBe(422);
    expect(visited.filter((url) => url.includes('ConfirmSubscription')).length).toBe(before);
  });
});

test('what SES says when a destination is made is taken', async () => {
  expect(await post(notification('Successfully validated SNS topic for Amazon SES event publishing.'))).toEqual({
    status: 200,
    body: { ok: true, received: 0, matched: 0 },
  });
});

test.each([['not JSON'], [{}], [[]]])('a body that SNS would never send, %j, is not proven: 401', async (body) => {
  expect((await post(body)).status).toBe(401);
});

test('a proven message that is no event of SES is 422', async () => {
  for (const message of ['hello', '{}', '{"eventType":"Delivery"}']) expect((await post(notification(message))).status).toBe(422);
});
