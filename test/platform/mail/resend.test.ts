import { afterEach, expect, test } from 'vitest';
import { ConfigError } from '../../../platform/config-error.ts';
import { createMailProvider } from '../../../platform/mail/create-provider.ts';
import type { MailProvider } from '../../../platform/mail/provider.ts';
import { finishMail } from './finish.ts';
import { type HttpDouble, type HttpReaction, httpDouble } from './http-doubles.ts';
import { finishedMailTo, mailTo } from './mails.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

const json = (status: number, body: object): HttpReaction => ({ status, body: JSON.stringify(body) });
const accepted = json(200, { id: '49a3999c' });

async function resend(...reactions: HttpReaction[]): Promise<{ api: HttpDouble; provider: MailProvider }> {
  const api = await httpDouble((_request, count) => reactions[Math.min(count, reactions.length) - 1]!);
  const provider = createMailProvider(new URL(`resend://re_AbC123?baseUrl=${api.url}`), { maxConnections: 2, timeoutSeconds: 3 });
  open.push(api, provider);
  return { api, provider };
}

test('a mail is posted with its key, its parts and its own headers, in UTF-8', async () => {
  const { api, provider } = await resend(accepted);
  const mail = mailTo('bob@bücher.example', {
    from: { email: 'ann@example.com', name: 'Bell, "Änn"' },
    replyTo: { email: 'reply@example.com' },
    subject: 'Grüße\r\nBcc: eve@example.net',
    headers: { 'List-Id': '<news.example.com>' },
  });
  await provider.send(finishMail('resend', mail), 'the-key');
  expect(api.requests).toHaveLength(1);
  const [{ path, headers, body }] = api.requests as [HttpDouble['requests'][number]];
  expect(path).toBe('/emails');
  expect(headers).toMatchObject({ authorization: 'Bearer re_AbC123', 'idempotency-key': 'the-key', 'content-type': 'application/json' });
  expect(JSON.parse(body)).toEqual({
    from: '"Bell, \\"Änn\\"" <ann@example.com>',
    to: ['bob@xn--bcher-kva.example'],
    reply_to: 'reply@example.com',
    subject: 'Grüße Bcc: eve@example.net',
    html: mail.html,
    text: mail.text,
    headers: { 'List-Id': '<news.example.com>' },
  });
});

test.each<[string, HttpReaction]>([
  ['a hang-up', 'hang up'],
  ['a request under the same key that is still worked on', json(409, { name: 'concurrent_idempotent_requests', message: 'in progress' })],
  ['a gateway that timed out', { status: 504, body: '' }],
  ['an answer that cannot be read', { status: 200, body: '<html>' }],
])('after %s the same key asks what became of it', async (_, reaction) => {
  const { api, provider } = await resend(reaction, accepted);
  expect(await provider.send(finishedMailTo('bob@example.org'), 'key')).toEqual({ outcome: 'accepted', providerId: '49a3999c' });
  expect(api.requests.map(({ headers, body }) => [headers['idempotency-key'], body])).toEqual([
    ['key', api.requests[0]!.body],
    ['key', api.requests[0]!.body],
  ]);
});

test('a key that was taken with other content means that a mail may have gone before', async () => {
  const { api, provider } = await resend(json(409, { name: 'invalid_idempotent_request', message: 'different payload' }));
  expect((await provider.send(finishedMailTo('bob@example.org'), 'key')).outcome).toBe('unknown');
  expect(api.requests).toHaveLength(1);
});

test.each<[number, string, string]>([
  [400, 'validation_error', 'rejected'],
  [401, 'missing_api_key', 'later'],
  [403, 'invalid_api_key', 'later'],
  [403, 'validation_error', 'rejected'],
  [404, 'not_found', 'later'],
  [422, 'invalid_from_address', 'rejected'],
  [429, 'daily_quota_exceeded', 'later'],
  [451, 'security_error', 'rejected'],
  [500, 'application_error', 'later'],
  [503, 'service_unavailable', 'later'],
])('%i %s is %s', async (status, name, outcome) => {
  const { provider } = await resend(json(status, { statusCode: status, name, message: 'why' }));
  expect(await provider.send(finishedMailTo('bob@example.org'), 'key')).toMatchObject({ outcome, message: `${name}: why` });
});

test('a success without an id is a success', async () => {
  const { provider } = await resend(json(200, {}));
  expect(await provider.send(finishedMailTo('bob@example.org'), 'key')).toEqual({ outcome: 'accepted', providerId: undefined });
});

test('without a key it does not start', () => {
  expect(() => createMailProvider(new URL('resend://'), { maxConnections: 1 })).toThrow(ConfigError);
});
