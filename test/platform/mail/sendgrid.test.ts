import { afterEach, expect, test } from 'vitest';
import { createMailProvider } from '../../../platform/mail/create-provider.ts';
import type { MailProvider, ProviderAnswer } from '../../../platform/mail/provider.ts';
import { type MailApiServer, startSendgrid } from '../../support/mail-apis.ts';
import { type HttpReaction, httpDouble } from './http-doubles.ts';
import { finishedMailTo } from './mails.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

function providerAt(url: string): MailProvider {
  const provider = createMailProvider(new URL(url), { maxConnections: 2, timeoutSeconds: 2 });
  open.push(provider);
  return provider;
}

async function sendgrid(): Promise<{ api: MailApiServer; provider: MailProvider }> {
  const api = await startSendgrid();
  open.push(api);
  return { api, provider: providerAt(api.providerUrl) };
}

async function answering(reaction: HttpReaction): Promise<MailProvider> {
  const api = await httpDouble(() => reaction);
  open.push(api);
  return providerAt(`sendgrid://SG.sesame?baseUrl=${api.url}`);
}

const errors = (message: string, field: string | null = null): string => JSON.stringify({ errors: [{ message, field, help: null }] });

test('a mail is posted with all that it says, in UTF-8, untracked, with its Message-ID and the id of its send', async () => {
  const { api, provider } = await sendgrid();
  const mail = finishedMailTo(
    'bob@bücher.example',
    {
      toName: 'Bob, Jr.',
      from: { email: 'ann@example.com', name: 'Bell, "Änn"' },
      replyTo: { email: 'reply@example.com', name: 'Änn' },
      cc: [{ email: 'carl@example.net', name: 'Carl "C" Smith; Esq.' }],
      bcc: [{ email: 'dora@example.net', name: 'Dörte' }],
      subject: 'Grüße\r\nBcc: eve@example.net',
      html: '<p>Grüße</p>',
      headers: { 'List-Unsubscribe': '<https://example.com/u/1>', 'X-Note': 'Grüße' },
    },
    'sendgrid',
  );
  const answer = await provider.send(mail, 'key');
  expect(answer).toEqual({ outcome: 'accepted', providerId: api.taken[0]?.id });
  expect(api.taken[0]?.mail).toEqual({
    personalizations: [
      {
        to: [{ email: 'bob@xn--bcher-kva.example', name: '"Bob, Jr."' }],
        cc: [{ email: 'carl@example.net', name: '"Carl \\"C\\" Smith; Esq."' }],
        bcc: [{ email: 'dora@example.net', name: 'Dörte' }],
      },
    ],
    from: { email: 'ann@example.com', name: 'Bell, "Änn"' },
    reply_to: { email: 'reply@example.com', name: 'Änn' },
    subject: 'Grüße Bcc: eve@example.net',
    content: [
      { type: 'text/plain', value: 'Hello' },
      { type: 'text/html', value: '<p>Grüße</p>' },
    ],
    headers: {
      'List-Unsubscribe': '<https://example.com/u/1>',
      'X-Note': '=?utf-8?B?R3LDvMOfZQ==?=',
      'Message-ID': `<${mail.messageId}>`,
    },
    custom_args: { everpost_send_id: mail.sendId },
    tracking_settings: {
      click_tracking: { enable: false, enable_text: false },
      open_tracking: { enable: false },
      subscription_tracking: { enable: false },
      ganalytics: { enable: false },
    },
  });
});

test('a mail without text has only a page, since no part may be empty', async () => {
  const { api, provider } = await sendgrid();
  expect((await provider.send(finishedMailTo('bob@example.org', { text: '' }, 'sendgrid'), 'key')).outcome).toBe('accepted');
  expect(api.taken[0]?.mail.content).toEqual([{ type: 'text/html', value: '<p>Hello</p>' }]);
});

test.each<[number, string, ProviderAnswer['outcome']]>([
  [200, '', 'unknown'],
  [200, '{}', 'unknown'],
  [202, '', 'accepted'],
  [301, '', 'later'],
  [400, errors('why', 'subject'), 'rejected'],
  [401, errors('why'), 'later'],
  [403, errors('access forbidden'), 'later'],
  [403, errors('The from address does not match a verified Sender Identity.', 'from'), 'rejected'],
  [404, errors('why'), 'later'],
  [406, errors('why'), 'later'],
  [413, errors('why'), 'rejected'],
  [429, errors('why'), 'later'],
  [451, errors('why'), 'later'],
  [500, errors('why'), 'unknown'],
  [500, '', 'unknown'],
  [502, '<html>', 'unknown'],
  [503, '', 'later'],
  [504, '', 'unknown'],
])('%i %s is %s', async (status, body, outcome) => {
  const answer = await (await answering({ status, body })).send(finishedMailTo('bob@example.org', {}, 'sendgrid'), 'key');
  expect(answer.outcome).toBe(outcome);
  if (body.includes('why') && answer.outcome !== 'accepted') expect(answer.message).toBe(`status ${status}: why`);
});

test('a limit that says when it ends in X-RateLimit-Reset is waited for', async () => {
  const reset = String(Math.ceil(Date.now() / 1000) + 30);
  const provider = await answering({ status: 429, headers: { 'x-ratelimit-reset': reset }, body: errors('too many requests') });
  const answer = await provider.send(finishedMailTo('bob@example.org', {}, 'sendgrid'), 'key');
  const { retryAfterSeconds = 0 } = answer as Extract<ProviderAnswer, { outcome: 'later' }>;
  expect(retryAfterSeconds).toBeGreaterThanOrEqual(28);
  expect(retryAfterSeconds).toBeLessThanOrEqual(31);
});

test.each(['', 'soon', '-5', '1e99'])('a limit whose X-RateLimit-Reset is %j says nothing of the time', async (reset) => {
  const provider = await answering({ status: 429, headers: { 'x-ratelimit-reset': reset }, body: errors('too many requests') });
  expect(await provider.send(finishedMailTo('bob@example.org', {}, 'sendgrid'), 'key')).toEqual({
    outcome: 'later',
    message: 'status 429: too many requests',
  });
});

test('a mail that is taken without an id is taken', async () => {
  const provider = await answering({ status: 202, body: '' });
  expect(await provider.send(finishedMailTo('bob@example.org', {}, 'sendgrid'), 'key')).toEqual({
    outcome: 'accepted',
    providerId: undefined,
  });
});
