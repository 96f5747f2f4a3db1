import { afterEach, expect, test } from 'vitest';
import { ConfigError } from '../../../platform/config-error.ts';
import { createMailProvider } from '../../../platform/mail/create-provider.ts';
import type { MailProvider } from '../../../platform/mail/provider.ts';
import { httpDouble } from './http-doubles.ts';
import { finishedMailTo } from './mails.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

function providerAt(url: string): MailProvider {
  const provider = createMailProvider(new URL(url), { maxConnections: 1, timeoutSeconds: 2 });
  open.push(provider);
  return provider;
}

test.each([
  ['postmark://c7a1bf0e-2c3d', 'api.postmarkapp.com'],
  ['postmark://c7a1bf0e-2c3d?stream=news', 'api.postmarkapp.com'],
  ['sendgrid://SG.aB-1_.cD', 'api.sendgrid.com'],
  ['sendgrid://SG.aB-1_.cD?region=us', 'api.sendgrid.com'],
  ['sendgrid://SG.aB-1_.cD?region=eu', 'api.eu.sendgrid.com'],
  ['mailgun://key-1@mg.example.com', 'api.mailgun.net'],
  ['mailgun://key-1@mg.example.com?region=eu', 'api.eu.mailgun.net'],
  ['mailgun://key-1@mg.example.com?region=eu&baseUrl=http://127.0.0.1:9', '127.0.0.1:9'],
])('%s goes to %s', (url, host) => {
  expect(providerAt(url).host).toBe(host);
});

test.each([
  ['postmark://', 'should hold the API key: postmark://<server token>'],
  ['postmark://sesame?strem=news', 'has the unknown option "strem"; postmark knows stream, baseUrl'],
  ['postmark://sesame?region=eu', 'has the unknown option "region"'],
  ['postmark://sesame:25', 'write @ : / in a key as %40 %3A %2F'],
  ['postmark://ann:sesame@example.com', 'more than a key'],
  ['postmark://sesame/more', 'more than a key'],
  ['postmark://sesame?baseUrl=ftp://example.com', 'baseUrl that is no URL with http:// or https://'],
  ['postmark://sesame?baseUrl=https://', 'baseUrl that is no URL'],
  ['sendgrid://', 'should hold the API key: sendgrid://<key>'],
  ['sendgrid://sesame?region=asia', 'has region=asia; it should be eu, or us'],
  ['sendgrid://sesame%0Ax', 'spaces or characters beyond ASCII in its key'],
  ['sendgrid://sesame%', 'percent-encoded'],
  ['mailgun://', 'should hold the API key: mailgun://<key>@<sending domain>'],
  ['mailgun://mg.example.com', 'should hold the API key'],
  ['mailgun://sesame@localhost', 'should hold the key and the sending domain'],
  ['mailgun://api:sesame@mg.example.com', 'should hold the key and the sending domain'],
  ['mailgun://sesame@mg.example.com/v3', 'should hold the key and the sending domain'],
  ['mailgun://sesame@mg.example.com?tag=x', 'has the unknown option "tag"; mailgun knows region, baseUrl'],
  ['resend://', 'should hold the API key: resend://<key>'],
  ['resend://sesame?baseUrl=nonsense', 'baseUrl that is no URL'],
])('%s is refused, without its key: %s', (url, words) => {
  let said = '';
  try {
    providerAt(url);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    said = (error as Error).message;
  }
  expect(said).toContain(words);
  expect(said).not.toContain('sesame');
});

test('a key is sent as it was before it was percent-encoded', async () => {
  const api = await httpDouble(() => ({ status: 202, body: '' }));
  open.push(api);
  await providerAt(`sendgrid://SG.a%2Fb%3Ac?baseUrl=${api.url}`).send(finishedMailTo('bob@example.org', {}, 'sendgrid'), 'key');
  expect(api.requests[0]?.headers.authorization).toBe('Bearer SG.a/b:c');
});
