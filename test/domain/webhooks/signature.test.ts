import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { parseSecret, signWebhook, webhookHeaders } from '../../../domain/webhooks/signature.ts';

const body = '{"type":"email.sent","data":{"subject":"Grüße 👋"}}';
const now = (): number => Math.floor(Date.now() / 1000);
const ownSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const olderSecret = `whsec_${Buffer.alloc(24, 9).toString('base64')}`;

test('receivers with the standard library verify what is signed, and nothing that was changed', () => {
  const headers = webhookHeaders([parseSecret(ownSecret)!], { id: 'msg_1', timestampSeconds: now(), body });
  const receiver = new Webhook(ownSecret);
  expect(receiver.verify(body, headers)).toEqual(JSON.parse(body));
  for (const changed of [
    { ...headers, 'webhook-id': 'msg_2' },
    { ...headers, 'webhook-timestamp': String(now() + 1) },
  ]) {
    expect(() => receiver.verify(body, changed)).toThrow('No matching signature');
  }
  expect(() => receiver.verify(`${body} `, headers)).toThrow('No matching signature');
  expect(() => new Webhook(olderSecret).verify(body, headers)).toThrow('No matching signature');
});

test('while secrets overlap, receivers with either of them verify', () => {
  const headers = webhookHeaders([parseSecret(ownSecret)!, parseSecret(olderSecret)!], { id: 'msg_1', timestampSeconds: now(), body });
  for (const secret of [ownSecret, olderSecret]) expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
});

test('of a secret that is any text, the UTF-8 bytes are the key', () => {
  const text = 'ein Geheimnis für uns';
  const headers = webhookHeaders([parseSecret(text)!], { id: 'msg_1', timestampSeconds: now(), body });
  expect(new Webhook(new TextEncoder().encode(text), { format: 'raw' }).verify(body, headers)).toEqual(JSON.parse(body));
});

test('the signature of the specification comes out', () => {
  // The example of the Standard Webhooks specification and its libraries.
  const key = parseSecret('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')!;
  expect(signWebhook([key], 'msg_p5jXN8AQM9LWM0D4loKWxJek', 1614265330, '{"test": 2432232314}')).toBe(
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  );
});

test.each([16, 17, 128])('a text of %i characters is a secret', (length) => {
  expect(parseSecret('s'.repeat(length))).toHaveLength(length);
});

test.each([24, 32, 64])('whsec_ and %i bytes are a secret', (length) => {
  expect(parseSecret(`whsec_${Buffer.alloc(length, 255).toString('base64')}`)).toEqual(Buffer.alloc(length, 255));
});

test.each([
  '',
  's'.repeat(15),
  's'.repeat(129),
  'whsec_',
  `whsec_${Buffer.alloc(23).toString('base64')}`,
  `whsec_${Buffer.alloc(65).toString('base64')}`,
  `whsec_${Buffer.alloc(32, 255).toString('base64url')}`,
  `whsec_${Buffer.alloc(32, 7).toString('base64').replace('=', '')}`,
  `whsec_${'not base64 at all, but long enough'}`,
])('%j is no secret', (text) => {
  expect(parseSecret(text)).toBeUndefined();
});
