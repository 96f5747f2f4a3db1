import PostalMime from 'postal-mime';
import { afterEach, expect, test } from 'vitest';
import { ConfigError } from '../../../platform/config-error.ts';
import { createMailProvider } from '../../../platform/mail/create-provider.ts';
import type { MailProvider, MailProviderOptions, ProviderAnswer } from '../../../platform/mail/provider.ts';
import { within } from '../../support/within.ts';
import { finishMail } from './finish.ts';
import { finishedMailTo, mailTo } from './mails.ts';
import { mailServer, refusal, type Script, type SmtpDouble, scriptedServer } from './smtp-doubles.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

function providerFor(url: string, options: Partial<MailProviderOptions> = {}): MailProvider {
  const provider = createMailProvider(new URL(url), { maxConnections: 5, timeoutSeconds: 5, ...options });
  open.push(provider);
  return provider;
}

async function serving<T extends SmtpDouble>(server: Promise<T>): Promise<T> {
  const double = await server;
  open.push(double);
  return double;
}

async function sendTo(server: SmtpDouble, to = 'bob@example.org', options: Partial<MailProviderOptions> = {}): Promise<ProviderAnswer> {
  return providerFor(`smtp://127.0.0.1:${server.port}`, options).send(finishedMailTo(to), 'key');
}

const scripted = (reactions: Readonly<Record<string, string>>): Promise<SmtpDouble> => serving(scriptedServer((verb) => reactions[verb]));

test('an accepted mail arrives as it was written, and its provider id is its Message-ID', async () => {
  const server = await serving(mailServer());
  const mail = mailTo('bob@example.org', { subject: 'Grüße', html: '<p>.\n.</p>\n.\n..\n', text: '.\r\n.dot' });
  const answer = await providerFor(`smtp://127.0.0.1:${server.port}`).send(finishMail('message', mail), 'key');
  expect(answer).toEqual({ outcome: 'accepted', providerId: mail.messageId });
  expect(server.received).toMatchObject([{ from: 'ann@example.com', to: ['bob@example.org'] }]);
  const parsed = await PostalMime.parse(server.received[0]!.content);
  expect(parsed).toMatchObject({ subject: 'Grüße', messageId: `<${mail.messageId}>` });
  expect(parsed.html).toContain('<p>.\n.</p>\n.\n..\n');
  expect(parsed.text).toContain('.\n.dot');
});

test.each<[string, Record<string, string>, ProviderAnswer]>([
  ['RCPT 550 5.1.1', { RCPT: '550 5.1.1 no such user' }, { outcome: 'rejected', message: '550 5.1.1 no such user', badAddress: true }],
  ['RCPT 553 5.1.2', { RCPT: '553 5.1.2 no such host' }, { outcome: 'rejected', message: '553 5.1.2 no such host', badAddress: true }],
  ['RCPT 556 5.1.10', { RCPT: '556 5.1.10 null MX' }, { outcome: 'rejected', message: '556 5.1.10 null MX', badAddress: true }],
  [
    'RCPT 550 5.1.8, the sender',
    { RCPT: '550 5.1.8 bad sender' },
    { outcome: 'rejected', message: '550 5.1.8 bad sender', badAddress: false },
  ],
  [
    'RCPT 550 5.7.1',
    { RCPT: '550 5.7.1 relaying denied' },
    { outcome: 'rejected', message: '550 5.7.1 relaying denied', badAddress: false },
  ],
  ['RCPT 550 without a detail', { RCPT: '550 no' }, { outcome: 'rejected', message: '550 no', badAddress: false }],
  ['RCPT 450', { RCPT: '450 4.2.1 busy' }, { outcome: 'later', message: '450 4.2.1 busy', isDeferredRecipient: true }],
  ['RCPT 421', { RCPT: '421 4.3.2 going down' }, { outcome: 'later', message: '421 4.3.2 going down' }],
  ['MAIL 550 5.1.0', { MAIL: '550 5.1.0 sender refused' }, { outcome: 'rejected', message: '550 5.1.0 sender refused', badAddress: false }],
  ['MAIL 530, log in first', { MAIL: '530 5.7.0 authenticate first' }, { outcome: 'later', message: '530 5.7.0 authenticate first' }],
  ['MAIL 451', { MAIL: '451 4.3.0 try again' }, { outcome: 'later', message: '451 4.3.0 try again' }],
  ['DATA 554', { DATA: '554 5.5.1 no' }, { outcome: 'rejected', message: '554 5.5.1 no', badAddress: false }],
  ['DATA 451', { DATA: '451 4.3.0 full' }, { outcome: 'later', message: '451 4.3.0 full' }],
  ['554 5.1.1 after the dot', { DOT: '554 5.1.1 spam' }, { outcome: 'rejected', message: '554 5.1.1 spam', badAddress: false }],
  ['454 after the dot', { DOT: '454 4.7.0 too fast' }, { outcome: 'later', message: '454 4.7.0 too fast' }],
  ['421 after the dot', { DOT: '421 4.3.2 going down' }, { outcome: 'later', message: '421 4.3.2 going down' }],
  [
    'a reply of several lines',
    { RCPT: '550-5.1.1 no\r\n550 5.1.1 such user' },
    { outcome: 'rejected', message: '550-5.1.1 no 550 5.1.1 such user', badAddress: true },
  ],
])('%s', async (_, reactions, answer) => {
  // Once with the envelope pipelined and once a command at a time.
  for (const ehlo of ['250-double\r\n250 PIPELINING', '250 double']) {
    const server = await scripted({ EHLO: ehlo, ...reactions });
    expect(await sendTo(server)).toEqual(answer);
    expect(server.received).toEqual([]);
  }
});

test.each<[string, Record<string, string>, ProviderAnswer['outcome'], RegExp]>([
  ['greeting 554', { GREETING: '554 5.7.1 go away' }, 'later', /go away/],
  ['greeting 421', { GREETING: '421 too many connections' }, 'later', /too many/],
  ['hang-up before the greeting', { GREETING: 'hang up' }, 'later', /failed|closed/],
  ['hang-up at EHLO', { EHLO: 'hang up' }, 'later', /failed|closed/],
  ['hang-up at MAIL', { MAIL: 'hang up' }, 'later', /failed|closed/],
  ['hang-up at RCPT', { RCPT: 'hang up' }, 'later', /failed|closed/],
  ['hang-up at DATA', { DATA: 'hang up' }, 'later', /failed|closed/],
  ['hang-up after the final dot', { DOT: 'hang up' }, 'unknown', /failed|closed/],
  ['nonsense after the final dot', { DOT: 'hello there' }, 'unknown', /unexpected answer/],
  ['354 after the final dot', { DOT: '354 go on' }, 'unknown', /unexpected answer/],
])('%s is %s', async (_, reactions, outcome, message) => {
  for (const ehlo of ['250-double\r\n250 PIPELINING', '250 double']) {
    const server = await scripted({ EHLO: ehlo, ...reactions });
    expect(await sendTo(server)).toEqual({ outcome, message: expect.stringMatching(message) });
  }
});

test.each<[string, Record<string, string>, ProviderAnswer['outcome']]>([
  ['the greeting', { GREETING: 'silence' }, 'later'],
  ['EHLO', { EHLO: 'silence' }, 'later'],
  ['RCPT', { RCPT: 'silence', DATA: 'silence' }, 'later'],
  ['DATA', { DATA: 'silence' }, 'later'],
  ['the final dot', { DOT: 'silence' }, 'unknown'],
])('no answer to %s in time', async (_, reactions, outcome) => {
  const server = await scripted(reactions);
  expect(await within(5_000, () => sendTo(server, 'bob@example.org', { timeoutSeconds: 2 }))).toEqual({
    outcome,
    message: 'the mail server did not answer in time',
  });
});

test('a connection that breaks in the middle of a large message, before its end was written, means surely not accepted', async () => {
  const server = await serving(scriptedServer((verb) => (verb === 'BODY' ? 'hang up' : undefined)));
  const html = 'x '.repeat(8_000_000);
  const answer = await providerFor(`smtp://127.0.0.1:${server.port}`).send(finishedMailTo('bob@example.org', { html }), 'key');
  expect(answer.outcome).toBe('later');
});

test('nobody listening is later', async () => {
  const server = await mailServer();
  await server.close();
  expect(await sendTo(server)).toEqual({ outcome: 'later', message: 'the connection to the mail server failed (ECONNREFUSED)' });
});

test('a name that does not resolve is later', async () => {
  const answer = await providerFor('smtp://mail.invalid:25', { timeoutSeconds: 3 }).send(finishedMailTo('bob@example.org'), 'key');
  expect(answer.outcome).toBe('later');
});

test('a certificate that cannot be trusted sends nothing, unless it is allowed', async () => {
  const server = await serving(mailServer({ secure: true }));
  const refused = await providerFor(`smtps://127.0.0.1:${server.port}`).send(finishedMailTo('bob@example.org'), 'key');
  expect(refused.outcome).toBe('later');
  expect(server.received).toEqual([]);
  const allowed = await providerFor(`smtps://127.0.0.1:${server.port}?verifyTls=0`).send(finishedMailTo('bob@example.org'), 'key');
  expect(allowed.outcome).toBe('accepted');
});

test('STARTTLS is used when it is offered, and its certificate counts', async () => {
  const server = await serving(mailServer({ disabledCommands: [] }));
  expect((await sendTo(server)).outcome).toBe('later');
  let secure: boolean | undefined;
  const other = await serving(
    mailServer({
      disabledCommands: [],
      onMailFrom(_address, session, done) {
        secure = session.secure;
        done();
      },
    }),
  );
  const answer = await providerFor(`smtp://127.0.0.1:${other.port}?verifyTls=0`).send(finishedMailTo('bob@example.org'), 'key');
  expect([answer.outcome, secure]).toEqual(['accepted', true]);
});

test('requireTls=1 sends nothing to a server without STARTTLS', async () => {
  const server = await serving(mailServer());
  const answer = await providerFor(`smtp://127.0.0.1:${server.port}?requireTls=1`).send(finishedMailTo('bob@example.org'), 'key');
  expect(answer.outcome).toBe('later');
  expect(server.received).toEqual([]);
});

test('credentials of the URL log in; wrong ones are nobody’s bounce and are never repeated in a message', async () => {
  const server = await serving(
    mailServer({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth({ username, password }, _session, done) {
        if (username === 'us@er' && password === 'p:ss w0rd') done(null, { user: username });
        else done(refusal(535, `5.7.8 wrong: ${password}`));
      },
    }),
  );
  const right = providerFor(`smtp://us%40er:p%3Ass%20w0rd@127.0.0.1:${server.port}`);
  expect((await right.send(finishedMailTo('bob@example.org'), 'key')).outcome).toBe('accepted');
  const wrong = providerFor(`smtp://us%40er:sesame@127.0.0.1:${server.port}`);
  expect(await wrong.send(finishedMailTo('bob@example.org'), 'key')).toEqual({
    outcome: 'later',
    message: 'the mail server refused the credentials (535)',
  });
});

test('fifty sends at once over five connections arrive once each', async () => {
  const server = await serving(mailServer());
  const provider = providerFor(`smtp://127.0.0.1:${server.port}`);
  const recipients = Array.from({ length: 50 }, (_, i) => `r${i}@example.org`);
  const answers = await Promise.all(recipients.map((to) => provider.send(finishedMailTo(to), to)));
  expect(answers.every(({ outcome }) => outcome === 'accepted')).toBe(true);
  expect(server.received.map(({ to }) => to[0]).sort()).toEqual(recipients.toSorted());
  expect(server.connections()).toBeLessThanOrEqual(5);
});

test('a connection is used again after a refusal, with nothing left over from it', async () => {
  const server = await serving(
    mailServer({
      onRcptTo({ address }, _session, done) {
        done(address.startsWith('nobody') ? refusal(550, '5.1.1 no such user') : null);
      },
    }),
  );
  const provider = providerFor(`smtp://127.0.0.1:${server.port}`, { maxConnections: 1 });
  const outcomes: string[] = [];
  for (const to of ['nobody@example.org', 'bob@example.org', 'nobody@example.org', 'eve@example.org'])
    outcomes.push((await provider.send(finishedMailTo(to), to)).outcome);
  expect(outcomes).toEqual(['rejected', 'accepted', 'rejected', 'accepted']);
  expect(server.received.map(({ to }) => to)).toEqual([['bob@example.org'], ['eve@example.org']]);
  expect(server.connections()).toBe(1);
});

/** On the first connection the second message meets this; every other conversation goes well. */
const secondMessageMeets = (stage: string, reaction: string): Script => {
  let met = 0;
  return (verb, _line, connection) => (connection === 1 && verb === stage && ++met === 2 ? reaction : undefined);
};

test.each([
  ['MAIL', '421 4.4.2 idle for too long'],
  ['MAIL', 'hang up'],
  ['RCPT', 'hang up'],
  ['DATA', 'hang up'],
  ['RCPT', '421 4.7.0 going away'],
])('a kept connection that ends at %s with %j neither loses nor doubles the mail', async (stage, reaction) => {
  for (const ehlo of ['250-double\r\n250 PIPELINING', '250 double']) {
    const script = secondMessageMeets(stage, reaction);
    const server = await serving(scriptedServer((verb, line, connection) => (verb === 'EHLO' ? ehlo : script(verb, line, connection))));
    const provider = providerFor(`smtp://127.0.0.1:${server.port}`);
    expect((await provider.send(finishedMailTo('first@example.org'), '1')).outcome).toBe('accepted');
    expect((await provider.send(finishedMailTo('second@example.org'), '2')).outcome).toBe('accepted');
    expect(server.received.map(({ to }) => to)).toEqual([['first@example.org'], ['second@example.org']]);
    expect(server.connections()).toBe(2);
  }
});

test('a kept connection that ends after the final dot is not tried again', async () => {
  const server = await serving(scriptedServer(secondMessageMeets('DOT', 'hang up')));
  const provider = providerFor(`smtp://127.0.0.1:${server.port}`);
  await provider.send(finishedMailTo('first@example.org'), '1');
  expect((await provider.send(finishedMailTo('second@example.org'), '2')).outcome).toBe('unknown');
  expect(server.connections()).toBe(1);
});

test('connections that the server closed while they were idle are replaced', async () => {
  const server = await serving(scriptedServer(() => undefined));
  const provider = providerFor(`smtp://127.0.0.1:${server.port}`);
  for (const to of ['first@example.org', 'second@example.org', 'third@example.org']) {
    expect(await provider.send(finishedMailTo(to), to)).toMatchObject({ outcome: 'accepted' });
    server.hangUp();
  }
  expect(server.received).toHaveLength(3);
  expect(server.connections()).toBe(3);
});

test('an address beyond ASCII goes to a server that knows SMTPUTF8 and is refused for one that does not', async () => {
  const knows = await serving(mailServer({ hideSMTPUTF8: false }));
  expect((await sendTo(knows, 'jörg@example.org')).outcome).toBe('accepted');
  expect(knows.received).toMatchObject([{ to: ['jörg@example.org'], content: expect.stringContaining('To: jörg@example.org') }]);
  const doesNot = await serving(mailServer({ hideSMTPUTF8: true }));
  expect(await sendTo(doesNot, 'jörg@example.org')).toMatchObject({ outcome: 'rejected', badAddress: false });
  expect(doesNot.received).toEqual([]);
});

test('when every connection is busy, a send waits no longer than its time', async () => {
  const server = await scripted({ DOT: 'silence' });
  const provider = providerFor(`smtp://127.0.0.1:${server.port}`, { maxConnections: 1, timeoutSeconds: 2 });
  const [first, second] = await Promise.all(['a@example.org', 'b@example.org'].map((to) => provider.send(finishedMailTo(to), to)));
  expect([first?.outcome, second?.outcome]).toEqual(['unknown', 'later']);
});

test('closing lets what is under way end, says good-bye and takes nothing more', async () => {
  const commands: string[] = [];
  const server = await serving(
    scriptedServer((verb) => {
      commands.push(verb);
      return undefined;
    }),
  );
  const provider = providerFor(`smtp://127.0.0.1:${server.port}`);
  const sending = provider.send(finishedMailTo('bob@example.org'), '1');
  await provider.close();
  expect((await sending).outcome).toBe('accepted');
  expect((await provider.send(finishedMailTo('bob@example.org'), '2')).outcome).toBe('later');
  expect(commands.at(-1)).toBe('QUIT');
});

test.each(['smtp://', 'smtp://host?requiretls=1', 'ftp://host'])('%s stops the start with the name of the variable', (url) => {
  expect(() => createMailProvider(new URL(url), { maxConnections: 1 })).toThrow(ConfigError);
  expect(() => createMailProvider(new URL(url), { maxConnections: 1 })).toThrow(/EMAIL_PROVIDER_URL/);
});
