import { Everpost, verifyWebhook, WebhookVerificationError } from '@everpost/client';
import { beforeAll, expect, test } from 'vitest';
import { webhookHeaders } from '../../../domain/webhooks/signature.ts';
import { afterFile } from '../../support/after-file.ts';
import { testEnvironment } from '../../support/environment.ts';
import { eventually } from '../../support/eventually.ts';
import { type HttpReceiver, type ReceivedCall, startHttpReceiver } from '../../support/http-receiver.ts';
import { newProject } from '../../support/project.ts';

let receiver: HttpReceiver;
let secret: string;
let former: string;
/** Signed by both, as they were while one was rotated. */
let delivered: ReceivedCall;

beforeAll(async () => {
  receiver = await startHttpReceiver();
  afterFile(() => receiver.close());
  const project = await newProject();
  const everpost = new Everpost({ apiKey: project.key, url: testEnvironment().apiUrl });
  const created = await everpost.webhooks.create({ url: `${receiver.url}/hook`, events: ['contact.subscribed'] });
  former = created.secret;
  ({ secret } = await everpost.webhooks.rotate(created.endpoint.id, { overlapHours: 1 }));
  await everpost.contacts.upsert({ email: 'ada@hooks.example', status: 'subscribed' });
  delivered = await eventually(async () => receiver.calls('/hook')[0]);
});

test('a delivery is an event with its type, whether the framework has a Request, headers of Node or Headers', async () => {
  const { headers, body } = delivered;
  const forms = [
    new Request('https://app.example/hook', { method: 'POST', headers, body }),
    { headers, body },
    { headers: new Headers(headers), body: new TextEncoder().encode(body) },
    { headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]])), body: Buffer.from(body) },
  ];
  for (const form of forms) {
    const event = await verifyWebhook(form, secret);
    if (event.type !== 'contact.subscribed') throw new Error(event.type);
    expect(event.data.email).toBe('ada@hooks.example');
  }
});

test('while a secret is rotated either one verifies, of the sender and of the receiver', async () => {
  expect((await verifyWebhook(delivered, former)).type).toBe('contact.subscribed');
  expect((await verifyWebhook(delivered, secret)).type).toBe('contact.subscribed');
  expect((await verifyWebhook(delivered, ['another secret of mine', former])).type).toBe('contact.subscribed');
});

test('what was changed, is too old, lacks a header or has another secret is refused', async () => {
  const { headers, body } = delivered;
  const refused = (received: Parameters<typeof verifyWebhook>[0], ...more: [string?, object?]) =>
    expect(verifyWebhook(received, more[0] ?? secret, more[1])).rejects.toThrow(WebhookVerificationError);
  await refused({ headers, body: body.replace('ada@', 'eve@') });
  await refused({ headers: { ...headers, 'webhook-id': 'another' }, body });
  await refused({ headers: { ...headers, 'webhook-signature': 'v1,AAAA v2,BBBB nonsense' }, body });
  await refused({ headers: { ...headers, 'webhook-timestamp': 'today' }, body });
  await refused({ headers: { 'webhook-id': 'x' }, body });
  await refused({ headers, body }, `whsec_${btoa('another secret, just as long')}`);
  const sent = Number(headers['webhook-timestamp']) * 1000;
  for (const minutes of [-6, 6]) await refused({ headers, body }, secret, { now: new Date(sent + minutes * 60_000) });
  await verifyWebhook({ headers, body }, secret, { now: new Date(sent + 6 * 60_000), toleranceSeconds: 600 });
});

test('a secret of the own words of a caller counts by its bytes, and a body that was parsed is no body', async () => {
  const own = 'an own secret of the caller';
  const body = JSON.stringify({ id: '1', type: 'webhook.ping', timestamp: new Date().toISOString(), data: {} });
  const headers = webhookHeaders([Buffer.from(own)], { id: 'msg-1', timestampSeconds: Math.floor(Date.now() / 1000), body });
  expect((await verifyWebhook({ headers, body }, own)).type).toBe('webhook.ping');
  await expect(verifyWebhook({ headers, body: JSON.parse(body) as string }, own)).rejects.toThrow(TypeError);
});

test.each([[undefined], [''], [[]], [['a secret', undefined]]])(
  'a secret that is %j is told in words, whatever was called',
  async (none) => {
    for (const headers of [delivered.headers, {}]) {
      const verified = verifyWebhook({ headers, body: delivered.body }, none as string);
      await expect(verified).rejects.toThrow(/^verifyWebhook: the secret is missing: .*EVERPOST_WEBHOOK_SECRET/);
      await expect(verified).rejects.toThrow(TypeError);
    }
  },
);

test.each([
  [{ toleranceSeconds: Number.NaN }],
  [{ toleranceSeconds: -1 }],
  [{ toleranceSeconds: 'five' as never }],
  [{ now: new Date('soon') }],
])('a tolerance or a clock that would let every age pass is refused: %j', async (options) => {
  const verified = verifyWebhook(delivered, secret, options);
  await expect(verified).rejects.toThrow(/^verifyWebhook: (toleranceSeconds is .*: give seconds|now is an invalid Date)/);
  await expect(verified).rejects.toThrow(TypeError);
});

test('a secret with nothing behind its prefix is told in words', async () => {
  for (const empty of ['whsec_', 'whsec_ ', [secret, 'whsec_']]) {
    const verified = verifyWebhook(delivered, empty);
    await expect(verified).rejects.toThrow(/^verifyWebhook: nothing stands behind whsec_ in the secret/);
    await expect(verified).rejects.toThrow(TypeError);
  }
});

test('a request whose body was read already is told to come unread', async () => {
  const { headers, body } = delivered;
  const read = new Request('https://app.example/hook', { method: 'POST', headers, body });
  const copy = read.clone();
  await read.text();
  const verified = verifyWebhook(read, secret);
  await expect(verified).rejects.toThrow(/^verifyWebhook: the body of the request was read already: .*request\.clone\(\)/);
  await expect(verified).rejects.toThrow(TypeError);
  expect((await verifyWebhook(copy, secret)).type).toBe('contact.subscribed');
});
