import { expect, test } from 'vitest';
import { warnAboutConfig } from '../../platform/config-warnings.ts';
import type { Logger } from '../../platform/logger.ts';

function warnings(config: Parameters<typeof warnAboutConfig>[0]): string[] {
  const events: string[] = [];
  warnAboutConfig(config, { warn: (event: string) => void events.push(event) } as Logger);
  return events;
}

test.each([
  ['https://mail.example.com', []],
  ['http://localhost:3000', []],
  ['http://127.0.0.1:3000', []],
  ['http://[::1]:3000', []],
  ['http://mail.example.com', ['config.public_url_is_not_https']],
  ['http://localhost.example.com', ['config.public_url_is_not_https']],
])('PUBLIC_URL=%s', (publicUrl, events) => {
  expect(warnings({ publicUrl, webhookAllowPrivate: false })).toEqual(events);
});

test('webhooks that may reach private addresses are said at start', () => {
  expect(warnings({ publicUrl: 'https://x.example', webhookAllowPrivate: true })).toEqual(['config.webhooks_reach_private_addresses']);
});
