import { afterEach, expect, test } from 'vitest';
import { eventually } from './eventually.ts';
import { BAD_GATEWAY, RATE_LIMITED, type ResendServer, startResendServer, UNAVAILABLE } from './resend-server.ts';

let server: ResendServer;
let clock = Date.now();
afterEach(() => server.close());

const ANN = 'ann@example.org';

async function start(): Promise<void> {
  server = await startResendServer({ now: () => clock });
}

/** One request to send; undefined: its connection was cut. */
async function post(key: string | undefined, { to = ANN, subject = 'Hello' } = {}) {
  const url = new URL('/emails', new URL(server.providerUrl).searchParams.get('baseUrl')!);
  const headers = { authorization: 'Bearer re_test', ...(key === undefined ? {} : { 'idempotency-key': key }) };
  const body = JSON.stringify({ from: 'shop@example.com', to: [to], subject, html: '<p>Hello</p>', text: 'Hello' });
  const response = await fetch(url, { method: 'POST', headers, body }).catch(() => undefined);
  return response && { status: response.status, retryAfter: response.headers.get('retry-after'), ...(await response.json()) };
}

test('the same key with the same body is answered as at first, without another mail', async () => {
  await start();
  const first = await post('key');
  expect(first).toEqual({ status: 200, retryAfter: null, id: expect.any(String) });
  expect(await post('key')).toEqual(first);
  expect(server.taken()).toMatchObject([{ to: ANN, key: 'key', subject: 'Hello', at: clock, id: first!.id }]);
});

test('the same key with another body is refused, and nothing is taken', async () => {
  await start();
  await post('key');
  expect(await post('key', { subject: 'Another' })).toEqual({
    ...{ status: 409, retryAfter: null, statusCode: 409, name: 'invalid_idempotent_request', message: expect.any(String) },
  });
  expect(server.taken()).toHaveLength(1);
});

test('a key is refused while its first request is being worked on, and answered afterwards', async () => {
  await start();
  const held = Promise.withResolvers<void>();
  server.next(ANN, { heldUntil: held.promise });
  const first = post('key');
  await eventually(() => server.requests.length === 1);
  expect(await post('key')).toMatchObject({ status: 409, name: 'concurrent_idempotent_requests' });
  held.resolve();
  expect(await post('key')).toEqual(await first);
  expect(server.taken(ANN)).toHaveLength(1);
});

test('a key is kept for 24 hours', async () => {
  await start();
  const first = await post('key');
  clock += 24 * 3_600_000 - 1;
  expect(await post('key')).toEqual(first);
  clock += 1;
  expect((await post('key'))!.id).not.toBe(first!.id);
  expect(server.takenTwice()).toHaveLength(1);
});

test('without a key each request makes a mail', async () => {
  await start();
  await post(undefined);
  await post(undefined);
  expect(server.taken()).toHaveLength(2);
});

test('a refused request takes nothing and leaves its key free', async () => {
  await start();
  server.next('@example.org', { refused: 'cut' }, { refused: RATE_LIMITED }, { refused: UNAVAILABLE });
  expect(await post('key')).toBeUndefined();
  expect(await post('key')).toMatchObject({ status: 429, retryAfter: '1', statusCode: 429, name: 'rate_limit_exceeded' });
  expect(await post('key')).toMatchObject({ status: 503, name: 'service_unavailable' });
  expect(server.taken()).toHaveLength(0);
  expect(await post('key', { subject: 'Another' })).toMatchObject({ status: 200 });
  expect(server.requests).toHaveLength(4);
});

test('a request whose answer is lost was taken under its key', async () => {
  await start();
  server.next('*', { lost: 'cut' }, { lost: BAD_GATEWAY }, { refused: RATE_LIMITED });
  expect(await post('key')).toBeUndefined();
  expect(await post('key')).toMatchObject({ status: 502 });
  expect(await post('key')).toMatchObject({ status: 429 });
  const [mail] = server.taken();
  expect(await post('key')).toMatchObject({ status: 200, id: mail!.id });
  expect(server.taken()).toHaveLength(1);
});

test('forgotten keys make another mail, which is seen also under another key', async () => {
  await start();
  await post('key');
  server.next(ANN, { forgetsKeys: true });
  await post('key');
  await post('another key');
  expect(server.takenTwice().map(({ key }) => key)).toEqual(['key', 'another key']);
});

test('one that has gone away refuses connections, and knows its keys when it is back', async () => {
  await start();
  const first = await post('key');
  await server.goAway();
  expect(await post('key')).toBeUndefined();
  await server.comeBack();
  expect(await post('key')).toEqual(first);
});

test('what Resend would not take is refused as it refuses it', async () => {
  await start();
  expect(await post('k'.repeat(257))).toMatchObject({ status: 400, name: 'invalid_idempotency_key' });
  const url = new URL('/emails', new URL(server.providerUrl).searchParams.get('baseUrl')!);
  expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401);
  expect((await fetch(url, { method: 'POST', headers: { authorization: 'Bearer re_test' }, body: '{}' })).status).toBe(422);
});
