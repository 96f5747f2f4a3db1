import { afterEach, expect, test } from 'vitest';
import { createMailProvider } from '../../../platform/mail/create-provider.ts';
import type { MailProvider, ProviderAnswer } from '../../../platform/mail/provider.ts';
import { type MailApiServer, startMailgun } from '../../support/mail-apis.ts';
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

async function mailgun(): Promise<{ api: MailApiServer; provider: MailProvider }> {
  const api = await startMailgun();
  open.push(api);
  return { api, provider: providerAt(api.providerUrl) };
}

async function answering(reaction: HttpReaction): Promise<MailProvider> {
  const api = await httpDouble(() => reaction);
  open.push(api);
  return providerAt(`mailgun://sesame@mg.example.com?baseUrl=${api.url}`);
}

test('a mail is posted as its message is, to its whole envelope, untracked, with the id of its send', async () => {
  const { api, provider } = await mailgun();
  const mail = finishedMailTo('bob@bücher.example', {
    from: { email: 'ann@example.com', name: 'Bell, "Änn"' },
    cc: [{ email: 'carl@example.net', name: 'Smith, Carl' }],
    bcc: [{ email: 'dora@example.net' }],
    subject: 'Grüße',
    headers: { 'List-Unsubscribe': '<https://example.com/u/1>' },
  });
  expect(await provider.send(mail, 'key')).toEqual({ outcome: 'accepted', providerId: mail.messageId });
  expect(api.taken[0]?.recipients).toEqual(['bob@xn--bcher-kva.example', 'carl@example.net', 'dora@example.net']);
  expect(api.taken[0]?.mail).toMatchObject({
    'o:tracking': ['no'],
    'o:tracking-opens': ['no'],
    'o:tracking-clicks': ['no'],
    'v:everpost_send_id': [mail.sendId],
    message: Buffer.from(mail.content).toString(),
  });
  expect(api.taken[0]?.mail.message).not.toMatch(/dora|DKIM-Signature/i);
  expect(api.requests[0]?.headers.accept).toBe('application/json');
});

test('its messages are not signed here, since Mailgun signs them', () => {
  expect(providerAt('mailgun://sesame@mg.example.com').takesSigned).toBeUndefined();
});

test.each<[number, string, ProviderAnswer['outcome']]>([
  [200, '{"message":"Queued. Thank you."}', 'accepted'],
  [200, 'Mailgun Magnificent API', 'unknown'],
  [400, '{"message":"why"}', 'rejected'],
  [401, 'Forbidden', 'later'],
  [402, '{"message":"why"}', 'later'],
  [403, '{"message":"why"}', 'later'],
  [404, '{"message":"why"}', 'later'],
  [413, '{"message":"why"}', 'rejected'],
  [420, '{"message":"why"}', 'later'],
  [429, '{"message":"why"}', 'later'],
  [500, '{"message":"why"}', 'unknown'],
  [502, '<html>', 'unknown'],
  [503, '{"message":"why"}', 'later'],
  [504, '', 'unknown'],
])('%i %s is %s', async (status, body, outcome) => {
  const answer = await (await answering({ status, body })).send(finishedMailTo('bob@example.org'), 'key');
  expect(answer.outcome).toBe(outcome);
  if (body.includes('why') && answer.outcome !== 'accepted') expect(answer.message).toBe(`status ${status}: why`);
});
