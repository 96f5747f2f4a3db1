import { availableParallelism } from 'node:os';
import { describe, expect, test } from 'vitest';
import { USUAL_STEPS } from '../../domain/sends/ramp-steps.ts';
import { readConfig, requireReady } from '../../platform/config.ts';
import { ConfigError } from '../../platform/config-error.ts';

describe('reading the configuration', () => {
  test('an empty environment gives the documented defaults', () => {
    expect(readConfig({})).toMatchObject({
      port: 3000,
      host: '127.0.0.1',
      apiProcesses: Math.min(64, Math.max(1, availableParallelism() - 1)),
      publicUrl: 'http://localhost:3000',
      databaseUrl: undefined,
      temporalAddress: undefined,
      dataDir: `${process.cwd()}/.everpost`,
      secretKey: undefined,
      previousSecretKeys: [],
      emailProviders: undefined,
      emailReceivers: [],
      emailRoutes: [],
      temporalUiPort: 8233,
      mailboxPort: 1080,
      metricsPort: undefined,
      webhookAllowPrivate: false,
      webhookRetryBaseSeconds: 120,
      webhookNodeRetryBaseSeconds: 30,
      rateLimitBurst: 60,
      rateLimitPerSecond: 10,
      sendConcurrency: 20,
      sendRatePerSecond: 0,
      templatesDir: undefined,
      dnsServers: undefined,
      spfInclude: undefined,
      logLevel: 'info',
      softBounceLimit: 1,
    });
  });

  test('an empty value is the same as none', () => {
    expect(readConfig({ PORT: '', DATABASE_URL: ' ' })).toMatchObject({ port: 3000, databaseUrl: undefined });
  });

  test("the first pause of a node is a quarter of a delivery's unless it is set", () => {
    expect(readConfig({ WEBHOOK_RETRY_BASE_SECONDS: '2' })).toMatchObject({ webhookNodeRetryBaseSeconds: 0.5 });
    expect(readConfig({ WEBHOOK_RETRY_BASE_SECONDS: '2', WEBHOOK_NODE_RETRY_BASE_SECONDS: '7' })).toMatchObject({
      webhookRetryBaseSeconds: 2,
      webhookNodeRetryBaseSeconds: 7,
    });
  });

  test('the public address follows the port and loses a trailing slash', () => {
    expect(readConfig({ PORT: '4000' }).publicUrl).toBe('http://localhost:4000');
    expect(readConfig({ PUBLIC_URL: 'https://mail.example.com/base/' }).publicUrl).toBe('https://mail.example.com/base');
  });

  test.each([
    ['PORT', 'http', 'whole number from 0 to 65535'],
    ['PORT', '70000', 'whole number from 0 to 65535'],
    ['API_PROCESSES', '0', 'whole number from 1 to 64'],
    ['API_PROCESSES', '65', 'whole number from 1 to 64'],
    ['API_PROCESSES', '1.5', 'whole number from 1 to 64'],
    ['TEMPORAL_UI_PORT', '-1', 'whole number from 0 to 65535'],
    ['MAILBOX_PORT', '1.5', 'whole number from 0 to 65535'],
    ['METRICS_PORT', 'yes', 'whole number from 0 to 65535'],
    ['METRICS_PORT', '3000', 'another port'],
    ['PUBLIC_URL', 'mail.example.com', 'a URL like https://'],
    ['PUBLIC_URL', 'https://example.com/?a=1', 'a plain base address'],
    ['DATABASE_URL', 'mysql://host/db', 'a URL like postgresql://'],
    ['TEMPORAL_ADDRESS', 'http://host:7233', 'host:port'],
    ['SECRET_KEY', 'c2hvcnQ=', '32 bytes in base64'],
    ['SECRET_KEY_PREVIOUS', `${'A'.repeat(43)}=,c2hvcnQ=`, 'several are separated by commas'],
    [
      'EMAIL_PROVIDER_URL',
      'mailto:a@b.c',
      'a URL like smtp://user:password@host:587, smtps://…, resend://<key>, ses://<region>, postmark://<server token>',
    ],
    ['EMAIL_PROVIDERS', 'smtp://host:587', 'JSON like [{ "name": "main"'],
    ['EMAIL_PROVIDERS', '[]', 'at least 1 item'],
    ['EMAIL_PROVIDERS', '[{"name":"main","url":"mailto:a@b.c"}]', '[0].url: not a URL like smtp://'],
    ['EMAIL_PROVIDERS', '[{"name":"Main","url":"smtp://h"}]', '[0].name: not a name of lower-case letters'],
    ['EMAIL_PROVIDERS', '[{"name":"main","url":"smtp://h","rate":3}]', '[0].rate: no such field'],
    ['EMAIL_PROVIDERS', '[{"name":"main","url":"smtp://h","weight":0}]', 'none of them has a weight above 0'],
    ['EMAIL_PROVIDERS', '[{"name":"a","url":"smtp://h"},{"name":"a","url":"smtp://i"}]', 'two of them have the same name'],
    ['EMAIL_PROVIDERS', '[{"name":"a","url":"smtp://h","daily":0.5}]', '[0].daily: not a whole number'],
    ['EMAIL_PROVIDERS', '[{"name":"a","url":"smtp://h","ramp":{"steps":[0]}}]', '[0].ramp.steps[0]: at least 1'],
    ['EMAIL_PROVIDERS', '[{"name":"a","url":"smtp://h","ramp":{"from":"soon"}}]', '[0].ramp.from: '],
    ['EMAIL_ROUTES', '[{"type":"news","use":["a"]}]', '[0].type: one of transactional, marketing'],
    ['EMAIL_ROUTES', '[{"use":["a"]}]', 'names the provider "a", which EMAIL_PROVIDERS should have'],
    ['WEBHOOK_ALLOW_PRIVATE', 'maybe', '1 or 0'],
    ['WEBHOOK_RETRY_BASE_SECONDS', '0', 'number of at least 0.01'],
    ['WEBHOOK_NODE_RETRY_BASE_SECONDS', '0', 'number of at least 0.001'],
    ['RATE_LIMIT_BURST', '-5', 'whole number of at least 0'],
    ['SEND_CONCURRENCY', '0', 'whole number from 1 to 1000'],
    ['DNS_SERVERS', 'dns.example.com', 'addresses like 192.0.2.53, 192.0.2.53:5353 or ['],
    ['DNS_SERVERS', '192.0.2.53,', 'separated by commas'],
    ['SPF_INCLUDE', 'include:_spf.example.com', 'a name like _spf.example.com'],
    ['TRACKING_HOST', 'https://mail.example.com', 'a name like'],
    ['DKIM_ROTATE_DAYS', '7', 'whole number from 30 to 3650'],
    ['LOG_LEVEL', 'loud', 'one of fatal, error, warn'],
    ['SOFT_BOUNCE_LIMIT', '0', 'whole number of at least 1'],
  ])('%s=%s is refused with its name and what it should be', (name, value, should) => {
    expect(() => readConfig({ [name]: value })).toThrow(ConfigError);
    expect(() => readConfig({ [name]: value })).toThrow(new RegExp(`^${name}[^]*${should.replace(/[.?[]/g, '\\$&')}`));
  });

  test('name servers are read in their order, with the usual port where none is named', () => {
    expect(readConfig({ DNS_SERVERS: '192.0.2.53, [2001:db8::53]:5353' }).dnsServers).toEqual([
      { address: '192.0.2.53', port: 53 },
      { address: '2001:db8::53', port: 5353 },
    ]);
  });

  test('several providers have what is set of them, and the rate of all is that at which the first is full', () => {
    const several = [
      { name: 'main', url: 'smtp://one.example', weight: 3, ratePerSecond: 30 },
      { name: 'second', url: 'resend://key', daily: 100, ramp: { from: '2026-12-01' } },
      { name: 'spare', url: 'smtp://two.example', weight: 0, ratePerSecond: 1 },
    ];
    const { emailProviders, emailRoutes, sendRatePerSecond } = readConfig({
      EMAIL_PROVIDERS: JSON.stringify(several),
      EMAIL_ROUTES: '[{"brand":"shop","share":5,"use":["spare","main"]}]',
    });
    expect(emailProviders).toEqual([
      { name: 'main', url: new URL('smtp://one.example'), weight: 3, ratePerSecond: 30, daily: undefined },
      {
        name: 'second',
        url: new URL('resend://key'),
        weight: 1,
        ratePerSecond: undefined,
        daily: 100,
        ramp: { steps: USUAL_STEPS, from: '2026-12-01' },
      },
      { name: 'spare', url: new URL('smtp://two.example'), weight: 0, ratePerSecond: 1, daily: undefined },
    ]);
    expect(emailRoutes).toEqual([{ brand: 'shop', share: 5, use: ['spare', 'main'] }]);
    expect(sendRatePerSecond).toBe(40);
    expect(readConfig({ EMAIL_PROVIDERS: JSON.stringify(several), SEND_RATE_PER_SECOND: '7' }).sendRatePerSecond).toBe(7);
  });

  test('one provider and several are not set together', () => {
    const both = { EMAIL_PROVIDER_URL: 'smtp://one.example', EMAIL_PROVIDERS: '[{"name":"main","url":"smtp://one.example"}]' };
    expect(() => readConfig(both)).toThrow(/^EMAIL_PROVIDER_URL and EMAIL_PROVIDERS are both set/);
  });

  test('a bad value that may hold a password is not repeated', () => {
    const several = '[{"name":"main","url":"smtp:/root:hunter2@host","weight":-1}]';
    expect(() => readConfig({ EMAIL_PROVIDERS: several })).toThrow(expect.not.stringContaining('hunter2'));
    expect(() => readConfig({ DATABASE_URL: 'mysql://root:hunter2@host/db' })).toThrow(expect.not.stringContaining('hunter2'));
  });
});

describe('a process that brings up nothing itself', () => {
  const complete = {
    DATABASE_URL: 'postgresql://host/everpost',
    TEMPORAL_ADDRESS: 'temporal:7233',
    SECRET_KEY: Buffer.alloc(32).toString('base64'),
    EMAIL_PROVIDER_URL: 'smtp://host:25',
  };

  test('has what it needs', () => {
    expect(requireReady(readConfig(complete))).toMatchObject({ temporalAddress: 'temporal:7233', temporalEmbedded: false });
  });

  test.each(Object.keys(complete))('names %s when it is missing', (name) => {
    expect(() => requireReady(readConfig({ ...complete, [name]: undefined }))).toThrow(new RegExp(`^${name} is not set`));
  });
});
