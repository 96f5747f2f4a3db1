import type { LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterEach, expect, test } from 'vitest';
import { ConfigError } from '../../../platform/config-error.ts';
import { createMailProvider } from '../../../platform/mail/create-provider.ts';
import type { MailProvider } from '../../../platform/mail/provider.ts';
import { openWire } from '../../../platform/mail/smtp-open.ts';
import { mayCarryCredentials, readServer, type SmtpServer } from '../../../platform/mail/smtp-server.ts';
import { finishedMailTo } from './mails.ts';
import { mailServer, refusal, type ScriptedServer, type ScriptedServerOptions, scriptedServer } from './smtp-doubles.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

/** Leads to this machine, and is not called loopback. */
const OTHER_NAME = '0.0.0.0';
/** An address of this machine that is not loopback, where it has one. */
const outward = Object.values(networkInterfaces())
  .flat()
  .find((address) => address?.family === 'IPv4' && !address.internal)?.address;
/** To the challenge of RFC 2195's example, made with openssl. */
const CRAM_RESPONSE = Buffer.from('ann 8380c16d65218ef418f905e0f3a31a2b').toString('base64');
const NO_TLS = 'the mail server offers no TLS, and credentials go only over an encrypted connection, except to the own machine';

interface Listening {
  readonly server: ScriptedServer;
  readonly lines: string[];
}

/** A server that writes down every line. */
async function listening(reactions: Readonly<Record<string, string>>, options: ScriptedServerOptions = {}): Promise<Listening> {
  const lines: string[] = [];
  const server = await scriptedServer((verb, line) => {
    lines.push(line);
    return reactions[line] ?? reactions[verb] ?? (verb === 'AUTH' ? '235 ok' : undefined);
  }, options);
  open.push(server);
  return { server, lines };
}

function providerFor(url: string): MailProvider {
  const provider = createMailProvider(new URL(url), { maxConnections: 2, timeoutSeconds: 5 });
  open.push(provider);
  return provider;
}

const AUTH_OFFERED = { EHLO: '250-double\r\n250 AUTH PLAIN' };

test.each([
  ['smtp://ann:sesame@mail.example.com?requireTls=0', /requireTls=0/],
  ['smtp://ann:sesame@10.0.0.1?verifyTls=0', /verifyTls=0.*NODE_EXTRA_CA_CERTS/],
  ['smtps://ann:sesame@mail.example.com?verifyTls=0', /verifyTls=0/],
  ['smtp://ann:sesame@localhost.example.com?requireTls=0', /requireTls=0/],
  ['smtp://ann:sesame@127.0.0.1.example.com?requireTls=0', /requireTls=0/],
  ['smtp://ann:sesame@128.0.0.1?requireTls=0', /requireTls=0/],
  ['smtp://ann:sesame@[::2]?requireTls=0', /requireTls=0/],
  ['smtp://ann@mail.example.com', /user and password/],
  ['smtp://:sesame@mail.example.com', /user and password/],
  ['smtp://ann:100%@mail.example.com', /percent-encoded/],
  ['smtp://mail.example.com?requireTls=true', /1 or 0/],
  ['smtp://mail.example.com?verifyTls=no', /1 or 0/],
  ['smtp://mail.example.com?name=a%0d%0aMAIL', /host name/],
])('%s stops the start, without a word of the password', (url, message) => {
  const create = (): MailProvider => createMailProvider(new URL(url), { maxConnections: 1 });
  expect(create).toThrow(ConfigError);
  expect(create).toThrow(/EMAIL_PROVIDER_URL/);
  expect(create).toThrow(message);
  expect(create).not.toThrow(/sesame|100%/);
});

test.each<[string, boolean]>([
  ['smtp://ann:sesame@mail.example.com', true],
  ['smtp://ann:sesame@10.0.0.1', true],
  ['smtp://ann:sesame@mail.example.com?requireTls=1', true],
  ['smtp://ann:sesame@localhost', false],
  ['smtp://ann:sesame@LOCALHOST?requireTls=0', false],
  ['smtp://ann:sesame@127.8.9.1?verifyTls=0', false],
  ['smtp://ann:sesame@[::1]', false],
  ['smtp://ann:sesame@[::ffff:127.0.0.1]', false],
  ['smtp://mail.example.com?verifyTls=0', false],
  ['smtp://mail.example.com?requireTls=1&verifyTls=0', true],
])('%s is taken, and requires TLS: %s', (url, requireTls) => {
  expect(readServer(new URL(url)).requireTls).toBe(requireTls);
});

test.each<[string, boolean, string | undefined, boolean]>([
  ['mail.example.com', true, '192.0.2.1', true],
  ['localhost', true, '192.0.2.1', true],
  ['localhost', false, '127.0.0.1', true],
  ['localhost', false, '::1', true],
  ['127.0.0.1', false, '127.0.0.1', true],
  ['127.0.0.1', false, '::ffff:127.0.0.1', true],
  ['localhost', false, '192.0.2.1', false],
  ['localhost', false, '::ffff:192.0.2.1', false],
  ['localhost', false, undefined, false],
  ['mail.example.com', false, '127.0.0.1', false],
  ['mail.example.com', false, '192.0.2.1', false],
])('to %s (encrypted: %s, connected to %s) credentials may go: %s', (host, isEncrypted, remoteAddress, may) => {
  expect(mayCarryCredentials(host, { isEncrypted, remoteAddress })).toBe(may);
});

test.each([OTHER_NAME, ...(outward ? [outward] : [])])(
  'credentials never go unencrypted to %s, which is not called loopback',
  async (host) => {
    const { server, lines } = await listening(AUTH_OFFERED, { host: '0.0.0.0' });
    const answer = await providerFor(`smtp://ann:sesame@${host}:${server.port}`).send(finishedMailTo('bob@example.org'), 'key');
    expect(answer).toEqual({ outcome: 'later', message: NO_TLS });
    expect(lines.filter((line) => !/^(EHLO .*)?$/.test(line))).toEqual([]);
  },
);

(outward ? test : test.skip)('credentials never go unencrypted to an address that only calls itself localhost', async () => {
  const { server, lines } = await listening(AUTH_OFFERED, { host: outward! });
  const elsewhere: LookupFunction = (_name, _options, done) => done(null, [{ address: outward!, family: 4 }]);
  const localhost = readServer(new URL(`smtp://ann:sesame@localhost:${server.port}`));
  await expect(openWire(localhost, 5000, elsewhere)).rejects.toThrow(NO_TLS);
  expect(lines.join()).not.toContain('AUTH');
});

test('a STARTTLS that is refused, or mixed with other answers, takes no credentials and no mail', async () => {
  for (const answer of ['454 4.7.0 not now', '220 go\r\n250-evil\r\n250 AUTH PLAIN']) {
    const { server, lines } = await listening({ EHLO: '250-double\r\n250-STARTTLS\r\n250 AUTH PLAIN', STARTTLS: answer });
    for (const url of [`smtp://ann:sesame@127.0.0.1:${server.port}`, `smtp://127.0.0.1:${server.port}`])
      expect(await providerFor(url).send(finishedMailTo('bob@example.org'), 'key')).toMatchObject({ outcome: 'later' });
    expect(lines.filter((line) => !/^(EHLO .*|STARTTLS)?$/.test(line))).toEqual([]);
  }
});

test('credentials go to any host once STARTTLS encrypts, with what the server offers only then', async () => {
  let secure: boolean | undefined;
  const server = await mailServer({
    disabledCommands: [],
    authOptional: false,
    onAuth({ username, password }, session, done) {
      secure = session.secure;
      if (username === 'ann' && password === 'sesame') done(null, { user: username });
      else done(refusal(535, 'wrong'));
    },
  });
  open.push(server);
  // Its certificate is made up, so this is opened below the settings, which refuse to ignore that.
  const settings: SmtpServer = { ...readServer(new URL(`smtp://ann:sesame@${OTHER_NAME}:${server.port}`)), verifyCertificate: false };
  const { wire, extensions } = await openWire(settings, 5000);
  expect([wire.isEncrypted, secure, extensions.has('STARTTLS')]).toEqual([true, true, false]);
  wire.break('done');
});

test('a certificate that cannot be trusted gets no credentials', async () => {
  let asked = false;
  const server = await mailServer({
    disabledCommands: [],
    onAuth(_auth, _session, done) {
      asked = true;
      done(refusal(535, 'no'));
    },
  });
  open.push(server);
  const answer = await providerFor(`smtp://ann:sesame@${OTHER_NAME}:${server.port}`).send(finishedMailTo('bob@example.org'), 'key');
  expect([answer.outcome, asked]).toEqual(['later', false]);
});

test.each<[string, string, Record<string, string>, string[]]>([
  ['PLAIN', 'LOGIN PLAIN', {}, ['AUTH PLAIN AGFubgBzZXNhbWU=']],
  [
    'PLAIN, asked for in a second step',
    'PLAIN',
    { AUTH: '334 ', 'AGFubgBzZXNhbWU=': '235 ok' },
    ['AUTH PLAIN AGFubgBzZXNhbWU=', 'AGFubgBzZXNhbWU='],
  ],
  ['LOGIN', 'LOGIN', { AUTH: '334 VXNlcm5hbWU6', YW5u: '334 UGFzc3dvcmQ6', c2VzYW1l: '235 ok' }, ['AUTH LOGIN', 'YW5u', 'c2VzYW1l']],
  [
    'CRAM-MD5',
    'CRAM-MD5',
    { AUTH: '334 PDE4OTYuNjk3MTcwOTUyQHBvc3RvZmZpY2UucmVzdG9uLm1jaS5uZXQ+', [CRAM_RESPONSE]: '235 ok' },
    ['AUTH CRAM-MD5', CRAM_RESPONSE],
  ],
  ['a server that says nothing of AUTH', '', {}, ['AUTH PLAIN AGFubgBzZXNhbWU=']],
])('logs in with %s', async (_, mechanisms, reactions, expected) => {
  const { server, lines } = await listening({ EHLO: mechanisms ? `250-double\r\n250 AUTH ${mechanisms}` : '250 double', ...reactions });
  const answer = await providerFor(`smtp://ann:sesame@127.0.0.1:${server.port}`).send(finishedMailTo('bob@example.org'), 'key');
  expect(answer.outcome).toBe('accepted');
  expect(lines.slice(2, 2 + expected.length)).toEqual(expected);
});
