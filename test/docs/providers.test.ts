import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createMailProvider, MAIL_PROTOCOLS } from '../../platform/mail/create-provider.ts';

const ROW = /^\| `EMAIL_PROVIDER_URL` \|.*$/m;

test.each([
  ['docs/settings.md', ROW],
  ['docs/contract/running.md', ROW],
  ['docs/going-live.md', ROW],
  ['.env.example', /^#.*(?=\nEMAIL_PROVIDER_URL=)/m],
])('%s names every scheme of EMAIL_PROVIDER_URL', (path, line) => {
  const [told] = line.exec(readFileSync(path, 'utf8'))!;
  expect([...new Set(Array.from(told.matchAll(/\b([a-z]+:)\/\//g), ([, protocol]) => protocol))]).toEqual(MAIL_PROTOCOLS);
});

test('a scheme that no provider has is refused with those that there are', () => {
  expect(() => createMailProvider(new URL('mailto://a@b.c'), { maxConnections: 1 })).toThrow(
    'EMAIL_PROVIDER_URL should begin with smtp://, smtps://, resend://, ses://, postmark://, sendgrid:// or mailgun://',
  );
});
