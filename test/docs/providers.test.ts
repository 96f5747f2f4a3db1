import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { createMailProvider, MAIL_PROTOCOLS } from '../../platform/mail/create-provider.ts';

test.each(['docs/settings.md', 'docs/contract/running.md'])('%s names every scheme of EMAIL_PROVIDER_URL', (path) => {
  const row = readFileSync(path, 'utf8')
    .split('\n')
    .find((line) => line.startsWith('| `EMAIL_PROVIDER_URL` |'))!;
  expect([...new Set([...row.matchAll(/`([a-z]+:)\/\//g)].map(([, protocol]) => protocol))]).toEqual(MAIL_PROTOCOLS);
});

test('a scheme that no provider has is refused with those that there are', () => {
  expect(() => createMailProvider(new URL('mailto://a@b.c'), { maxConnections: 1 })).toThrow(
    'EMAIL_PROVIDER_URL should begin with smtp://, smtps://, resend:// or ses://',
  );
});
