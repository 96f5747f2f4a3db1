import { afterEach, expect, test } from 'vitest';
import { createMailProvider } from '../../../platform/mail/create-provider.ts';
import type { MailProvider, MailProviderOptions, ProviderAnswer } from '../../../platform/mail/provider.ts';
import { AnswerTime } from '../../../platform/mail/smtp-answer-time.ts';
import { openWire } from '../../../platform/mail/smtp-open.ts';
import { readServer } from '../../../platform/mail/smtp-server.ts';
import { SmtpSession } from '../../../platform/mail/smtp-session.ts';
import { SmtpTransaction, type Transmission } from '../../../platform/mail/smtp-transaction.ts';
import { finishMail } from './finish.ts';
import { finishedMailTo, mailTo } from './mails.ts';
import { type Reaction, type Script, type ScriptedServer, scriptedServer } from './smtp-doubles.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

async function serving(script: Script): Promise<ScriptedServer> {
  const server = await scriptedServer(script);
  open.push(server);
  return server;
}

function providerFor(server: { readonly port: number }, options: Partial<MailProviderOptions> = {}): MailProvider {
  const provider = createMailProvider(new URL(`smtp://127.0.0.1:${server.port}`), { maxConnections: 5, timeoutSeconds: 10, ...options });
  open.push(provider);
  return provider;
}

function sendTo(provider: MailProvider, count: number, prefix = 'r'): Promise<ProviderAnswer[]> {
  return Promise.all(Array.from({ length: count }, (_, i) => provider.send(finishedMailTo(`${prefix}${i}@example.org`), 'key')));
}

test('mails one after the other need one connection', async () => {
  const server = await serving(() => undefined);
  const provider = providerFor(server);
  for (let i = 0; i < 5; i++) await sendTo(provider, 1, `${i}`);
  expect([server.received.length, server.connections()]).toEqual([5, 1]);
});

test('a server that takes no further connection gets all mails over those that it took', async () => {
  const server = await serving((verb, _line, connection) =>
    verb === 'GREETING' && connection > 2 ? '421 4.7.0 too many connections' : undefined,
  );
  const answers = await sendTo(providerFor(server), 40);
  expect(answers.filter(({ outcome }) => outcome !== 'accepted')).toEqual([]);
  expect(server.received).toHaveLength(40);
});

test('where no connection can be had, all who wait are told why, without a connection for each', async () => {
  const server = await serving((verb) => (verb === 'GREETING' ? '554 5.7.1 go away' : undefined));
  const answers = await sendTo(providerFor(server), 50);
  expect(answers).toEqual(Array(50).fill({ outcome: 'later', message: 'the mail server refused the connection: 554 5.7.1 go away' }));
  expect(server.connections()).toBe(5);
});

test('a mail that has a connection on its way does not wait behind another', async () => {
  const gates = {
    data: Promise.withResolvers<undefined>(),
    greeting: Promise.withResolvers<undefined>(),
    dot: Promise.withResolvers<undefined>(),
  };
  const reached = { data: Promise.withResolvers<void>(), greeting: Promise.withResolvers<void>() };
  const server = await serving((verb, _line, connection) => {
    if (connection === 1 && verb === 'DATA') {
      reached.data.resolve();
      return gates.data.promise;
    }
    if (connection === 1 && verb === 'BODY') gates.greeting.resolve(undefined);
    if (connection === 1 && verb === 'DOT') return gates.dot.promise;
    if (connection === 2 && verb === 'GREETING') {
      reached.greeting.resolve();
      return gates.greeting.promise;
    }
    if (connection === 2 && verb === 'DOT') gates.dot.resolve(undefined);
    return undefined;
  });
  const provider = providerFor(server, { timeoutSeconds: 3 });
  const first = sendTo(provider, 1, 'first');
  await reached.data.promise;
  const second = sendTo(provider, 1, 'second');
  await reached.greeting.promise;
  gates.data.resolve(undefined);
  expect([...(await first), ...(await second)].map(({ outcome }) => outcome)).toEqual(['accepted', 'accepted']);
  expect(server.received).toHaveLength(2);
});

test('a mail whose time is over is never sent later, and the connection that it had is not used again', async () => {
  const commands: string[] = [];
  const secondGreeting = Promise.withResolvers<undefined>();
  const server = await serving((verb, line, connection) => {
    commands.push(line);
    if (connection === 2 && verb === 'GREETING') return secondGreeting.promise;
    return verb === 'DATA' && connection === 1 ? 'silence' : undefined;
  });
  const provider = providerFor(server, { maxConnections: 1, timeoutSeconds: 2 });
  expect((await sendTo(provider, 3)).map(({ outcome }) => outcome)).toEqual(['later', 'later', 'later']);
  secondGreeting.resolve(undefined);
  expect((await sendTo(provider, 1, 'next')).map(({ outcome }) => outcome)).toEqual(['accepted']);
  expect(commands.filter((line) => line.startsWith('RCPT'))).toEqual(['RCPT TO:<r0@example.org>', 'RCPT TO:<next0@example.org>']);
});

test('a mail whose new connection is not there in time is surely not submitted', async () => {
  const server = await serving((verb, line, connection) =>
    connection === 1 ? (line.includes('r1@') ? 'hang up' : undefined) : verb === 'GREETING' ? 'silence' : undefined,
  );
  const provider = providerFor(server, { maxConnections: 1, timeoutSeconds: 2 });
  expect(await sendTo(provider, 2)).toMatchObject([
    { outcome: 'accepted' },
    { outcome: 'later', message: 'the mail server did not answer in time' },
  ]);
});

test('closing waits for the mails that have no connection yet', async () => {
  const server = await serving(() => undefined);
  const provider = providerFor(server, { maxConnections: 2 });
  const sending = sendTo(provider, 30);
  await provider.close();
  expect((await sending).filter(({ outcome }) => outcome !== 'accepted')).toEqual([]);
  expect(server.received).toHaveLength(30);
});

test('closing says good-bye on a connection too that nobody needed any more when it was there', async () => {
  const greeting = Promise.withResolvers<undefined>();
  const left: number[] = [];
  const server = await serving((verb, _line, connection) => {
    if (verb === 'QUIT') left.push(connection);
    return verb === 'GREETING' && connection === 2 ? greeting.promise : undefined;
  });
  const provider = providerFor(server, { maxConnections: 2 });
  await sendTo(provider, 2);
  const closed = provider.close();
  greeting.resolve(undefined);
  await closed;
  expect(left.toSorted()).toEqual([1, 2]);
});

test('many mails that this server cannot get are refused one by one, and the others are sent', async () => {
  const server = await serving(() => undefined);
  const provider = providerFor(server, { maxConnections: 1 });
  const mails = Array.from({ length: 3000 }, (_, i) => finishedMailTo(i % 1000 === 0 ? `r${i}@example.org` : `jörg${i}@example.org`));
  const answers = await Promise.all(mails.map((mail) => provider.send(mail, 'key')));
  expect(answers.map(({ outcome }) => outcome)).toEqual(mails.map((_, i) => (i % 1000 === 0 ? 'accepted' : 'rejected')));
  expect(server.received).toHaveLength(3);
});

test('an address that would end its command is never written', async () => {
  const server = await serving(() => undefined);
  const provider = providerFor(server);
  const mail = finishedMailTo('bob@example.org');
  for (const to of ['a@example.org>\r\nRCPT TO:<b@example.org', 'a>b@example.org', 'Ċ@example.org', 'a\0b@example.org'])
    expect(await provider.send({ ...mail, to }, 'key')).toMatchObject({ outcome: 'rejected', badAddress: false });
  expect(await provider.send({ ...mail, internationalized: true, to: 'a\nb@example.org' }, 'key')).toMatchObject({ outcome: 'rejected' });
  expect(server.received).toEqual([]);
});

test('a content with dots at the start of lines, or without an end, arrives as it is', async () => {
  const server = await serving(() => undefined);
  const provider = providerFor(server);
  const mail = finishMail('message', mailTo('bob@example.org'));
  for (const content of ['.\r\n..\r\n.a\r\n\r\n.\r\n', '.', '.a\r\nb\r\n', 'a', 'a\r\n.\r\nb', 'ü.\r\n.ü\r\n'])
    expect(await provider.send({ ...mail, content: Buffer.from(content) }, 'key')).toMatchObject({ outcome: 'accepted' });
  const arrived = server.received.map(({ content }) => Buffer.from(content, 'latin1').toString().replace(/^\./gm, ''));
  expect(arrived).toEqual(['.\r\n..\r\n.a\r\n\r\n.', '.', '.a\r\nb', 'a', 'a\r\n.\r\nb', 'ü.\r\n.ü']);
});

/** A session whose second mail is announced behind the first one. */
async function pairOn(
  server: ScriptedServer,
  secondTimeoutMs: number,
): Promise<{ first: Promise<Transmission>; second: Promise<Transmission>; ended: Promise<boolean> }> {
  const wire = await openWire(readServer(new URL(`smtp://127.0.0.1:${server.port}`)), 5000);
  return new Promise((resolve) => {
    const outside = { expire: () => {} };
    const mailWith = (to: string, timeoutMs: number, settle: (transmission: Transmission) => void): SmtpTransaction =>
      new SmtpTransaction(finishedMailTo(to), { isStopped: () => false, submitting: () => true }, timeoutMs, outside, settle);
    const { promise: first, resolve: settleFirst } = Promise.withResolvers<Transmission>();
    const { promise: second, resolve: settleSecond } = Promise.withResolvers<Transmission>();
    const { promise: ended, resolve: end } = Promise.withResolvers<boolean>();
    let isTaken = false;
    const session = new SmtpSession(wire, {
      ...outside,
      answerTime: new AnswerTime(),
      signer: { fillings: async () => [] },
      takeBehind() {
        if (isTaken) return undefined;
        isTaken = true;
        // Its time begins here: before it is behind the body nobody would settle it at its end.
        return mailWith('second@example.org', secondTimeoutMs, settleSecond);
      },
      rested: () => end(false),
      ended: () => end(true),
    });
    session.begin(mailWith('first@example.org', 60_000, settleFirst));
    resolve({ first, second, ended });
  });
}

test('a mail whose time ends behind the body of another is surely not submitted, and no empty one is sent for it', async () => {
  const { promise: dot, resolve: answerDot } = Promise.withResolvers<Reaction>();
  const server = await serving((verb) => (verb === 'DOT' ? dot : undefined));
  const { first, second, ended } = await pairOn(server, 50);
  expect(await second).toMatchObject({ end: 'broken', mayHaveArrived: false });
  answerDot('250 2.0.0 queued');
  expect(await first).toEqual({ end: 'accepted' });
  expect(await ended).toBe(true);
  expect(server.received.map(({ to }) => to)).toEqual([['first@example.org']]);
});

test('a mail is submitted from its own dot on, not from that of the one before it', async () => {
  const seen: string[] = [];
  const server = await serving((verb) => {
    seen.push(verb);
    return seen.filter((each) => each === 'DATA').length === 2 && verb === 'DATA' ? 'silence' : undefined;
  });
  const { first, second } = await pairOn(server, 300);
  expect([await first, await second]).toMatchObject([{ end: 'accepted' }, { end: 'broken', mayHaveArrived: false }]);
});
