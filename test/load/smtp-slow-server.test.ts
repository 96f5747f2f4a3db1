import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { createMailProvider } from '../../platform/mail/create-provider.ts';
import type { MailProvider, ProviderAnswer } from '../../platform/mail/provider.ts';
import { AnswerTime } from '../../platform/mail/smtp-answer-time.ts';
import { finishedMailTo } from '../platform/mail/mails.ts';
import { type Script, type ScriptedServer, scriptedServer } from '../platform/mail/smtp-doubles.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

/** One try, and an answer that fits into it once and not twice. */
const TRY_SECONDS = 7;
const SLOW_MS = 4_000;
const TOO_SLOW = { outcome: 'later', message: 'not submitted: the mail server would not have answered in time' };

async function serving(script: Script): Promise<ScriptedServer> {
  const server = await scriptedServer(script);
  open.push(server);
  return server;
}

function providerFor({ port }: ScriptedServer, maxConnections = 1): MailProvider {
  const provider = createMailProvider(new URL(`smtp://127.0.0.1:${port}`), { maxConnections, timeoutSeconds: TRY_SECONDS });
  open.push(provider);
  return provider;
}

const slowly: Script = async (verb) => {
  if (verb === 'DOT') await sleep(SLOW_MS);
  return undefined;
};

function sendAll(provider: MailProvider, to: readonly string[]): Promise<ProviderAnswer[]> {
  return Promise.all(to.map((each) => provider.send(finishedMailTo(each), each)));
}

const recipients = (server: ScriptedServer): string[] => server.received.flatMap(({ to }) => to);

test('no mail of a page has an unknown outcome at a server that needs more than half of a try for each', async () => {
  const server = await serving(slowly);
  const provider = providerFor(server, 20);
  const to = Array.from({ length: 57 }, (_, i) => `r${i}@example.org`);
  for (let left = to; left.length > 0; ) {
    const answers = await sendAll(provider, left);
    expect(answers.filter(({ outcome }) => outcome !== 'accepted' && outcome !== 'later')).toEqual([]);
    const later = left.filter((_, i) => answers[i]?.outcome === 'later');
    expect(later.length).toBeLessThan(left.length);
    left = later;
  }
  expect(recipients(server).toSorted()).toEqual(to.toSorted());
});

test('a mail that lost its time behind the body of another is surely not submitted: its content is not written', async () => {
  const commands: string[] = [];
  const server = await serving((verb, line, connection) => {
    commands.push(verb);
    return slowly(verb, line, connection);
  });
  expect(await sendAll(providerFor(server), ['a@example.org', 'b@example.org'])).toMatchObject([{ outcome: 'accepted' }, TOO_SLOW]);
  expect(server.overtaken).toContain('DOT');
  expect(commands.filter((verb) => verb === 'BODY')).toHaveLength(1);
  expect(recipients(server)).toEqual(['a@example.org']);
});

test('where the server is known to be slow no mail is announced behind the body of another, so that the connection is kept', async () => {
  const server = await serving(slowly);
  const provider = providerFor(server);
  await sendAll(provider, ['first@example.org']);
  expect(await sendAll(provider, ['a@example.org', 'b@example.org'])).toMatchObject([{ outcome: 'accepted' }, TOO_SLOW]);
  expect(await sendAll(provider, ['b@example.org'])).toMatchObject([{ outcome: 'accepted' }]);
  expect(server.overtaken).not.toContain('DOT');
  expect(recipients(server)).toEqual(['first@example.org', 'a@example.org', 'b@example.org']);
  expect(server.connections()).toBe(1);
});

test('a mail that lost most of its time while its connection was opened goes over that one with the next try', async () => {
  const server = await serving(async (verb) => {
    if (verb === 'GREETING') await sleep(SLOW_MS);
    return undefined;
  });
  const provider = providerFor(server);
  expect(await sendAll(provider, ['a@example.org'])).toEqual([TOO_SLOW]);
  expect(await sendAll(provider, ['a@example.org'])).toMatchObject([{ outcome: 'accepted' }]);
  expect(recipients(server)).toEqual(['a@example.org']);
  expect(server.connections()).toBe(1);
});

test('a server that is slow to take an envelope, and not known to be slow with contents, gets the mail', async () => {
  const server = await serving(async (verb) => {
    if (verb === 'RCPT') await sleep(SLOW_MS);
    return undefined;
  });
  expect(await sendAll(providerFor(server), ['a@example.org'])).toMatchObject([{ outcome: 'accepted' }]);
});

test('a mail that is stopped while its envelope is behind the body of another is not sent, and the next one is', async () => {
  let isStopped = false;
  const server = await serving((verb) => {
    if (verb === 'DOT') isStopped = true;
    return undefined;
  });
  const provider = providerFor(server);
  const answers = await Promise.all([
    provider.send(finishedMailTo('a@example.org'), 'a'),
    provider.send(finishedMailTo('b@example.org'), 'b', () => isStopped),
    provider.send(finishedMailTo('c@example.org'), 'c'),
  ]);
  expect(server.overtaken).toContain('DOT');
  const stopped = { outcome: 'later', message: 'not submitted: it was stopped', wasStopped: true };
  expect(answers).toMatchObject([{ outcome: 'accepted' }, stopped, { outcome: 'accepted' }]);
  expect(recipients(server)).toEqual(['a@example.org', 'c@example.org']);
});

test('the slowest answer is expected, for a minute', () => {
  let now = 0;
  const time = new AnswerTime(() => now);
  expect(time.expectedMs).toBeUndefined();
  time.note(6_000);
  now = 30_000;
  time.note(10);
  expect(time.expectedMs).toBe(6_000);
  time.note(7_000);
  now = 89_999;
  expect(time.expectedMs).toBe(7_000);
  now = 90_000;
  expect(time.expectedMs).toBeUndefined();
  time.note(10);
  expect(time.expectedMs).toBe(10);
});
