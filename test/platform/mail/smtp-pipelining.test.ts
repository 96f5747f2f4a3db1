import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { createMailProvider } from '../../../platform/mail/create-provider.ts';
import type { MailProvider, MailProviderOptions, ProviderAnswer } from '../../../platform/mail/provider.ts';
import { finishedMailTo } from './mails.ts';
import { mailServer, type Reaction, type Script, type ScriptedServer, type ScriptedServerOptions, scriptedServer } from './smtp-doubles.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

async function serving(script: Script, options: ScriptedServerOptions = {}): Promise<ScriptedServer> {
  const server = await scriptedServer(script, options);
  open.push(server);
  return server;
}

function providerFor(server: { readonly port: number }, options: Partial<MailProviderOptions> = {}): MailProvider {
  const provider = createMailProvider(new URL(`smtp://127.0.0.1:${server.port}`), { maxConnections: 1, timeoutSeconds: 10, ...options });
  open.push(provider);
  return provider;
}

function addresses(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `r${i}@example.org`);
}

function sendAll(provider: MailProvider, to: readonly string[]): Promise<ProviderAnswer[]> {
  return Promise.all(to.map((each) => provider.send(finishedMailTo(each), each)));
}

const outcomes = async (answers: Promise<readonly ProviderAnswer[]>): Promise<string[]> => (await answers).map(({ outcome }) => outcome);
const recipients = (server: ScriptedServer): string[] => server.received.flatMap(({ to }) => to);

/** Meets the command of that verb that comes as the nth on the connection. */
const meets = (verb: string, nth: number, reaction: Reaction, connection = 1): Script => {
  let met = 0;
  return (seen, _line, on) => (seen === verb && on === connection && ++met === nth ? reaction : undefined);
};

test('a server that offers PIPELINING has the whole envelope before it answers anything of it', async () => {
  const server = await serving(() => undefined);
  expect(await outcomes(sendAll(providerFor(server), addresses(1)))).toEqual(['accepted']);
  expect(server.overtaken).toEqual(['MAIL', 'RCPT']);
});

test('the envelope of a waiting mail comes with the body of the one before it', async () => {
  const server = await serving(() => undefined);
  expect(await outcomes(sendAll(providerFor(server), addresses(3)))).toEqual(['accepted', 'accepted', 'accepted']);
  // The last one has nothing behind its dot.
  const envelope = ['MAIL', 'RCPT'];
  expect(server.overtaken).toEqual([...envelope, 'DOT', ...envelope, 'DOT', ...envelope]);
  expect(recipients(server)).toEqual(addresses(3));
});

test('a server that does not offer PIPELINING never has a command before it answered the one before', async () => {
  // Whatever the client sends in advance is there by the next turn.
  const server = await serving(async (verb) => {
    await turn();
    return verb === 'EHLO' ? '250 double' : undefined;
  });
  expect(await outcomes(sendAll(providerFor(server), addresses(3)))).toEqual(['accepted', 'accepted', 'accepted']);
  expect(server.overtaken).toEqual([]);
});

test.each<NonNullable<ScriptedServerOptions['writing']>>(['octets', 'together'])(
  'answers that come as %s are the same answers',
  async (writing) => {
    for (const ehlo of ['250-double\r\n250 PIPELINING', '250 double']) {
      const refusals: Record<string, string> = { 'r1@': '550-5.1.1 no\r\n550 5.1.1 such user', 'r3@': '451 4.3.0 later' };
      const server = await serving(
        (verb, line) => (verb === 'EHLO' ? ehlo : verb === 'RCPT' ? refusals[/<(r\d@)/.exec(line)![1]!] : undefined),
        { writing },
      );
      expect(await outcomes(sendAll(providerFor(server), addresses(5)))).toEqual(['accepted', 'rejected', 'accepted', 'later', 'accepted']);
      expect(recipients(server)).toEqual(['r0@example.org', 'r2@example.org', 'r4@example.org']);
    }
  },
);

test.each<[string, Record<string, string>, Partial<ProviderAnswer>]>([
  [
    'MAIL, and then all the rest',
    { MAIL: '550 5.7.1 sender refused', RCPT: '503 5.5.1 need MAIL', DATA: '503 5.5.1 need RCPT' },
    { outcome: 'rejected', message: '550 5.7.1 sender refused' },
  ],
  [
    'MAIL for now, and then all the rest for good',
    { MAIL: '451 4.3.0 try again', RCPT: '550 5.1.1 no', DATA: '554 5.5.1 no' },
    { outcome: 'later', message: '451 4.3.0 try again' },
  ],
  [
    'RCPT, and then DATA',
    { RCPT: '550 5.1.1 no such user', DATA: '503 5.5.1 need RCPT' },
    { outcome: 'rejected', message: '550 5.1.1 no such user', badAddress: true },
  ],
  [
    'RCPT, and then hangs up',
    { RCPT: '550 5.1.1 no such user', DATA: 'hang up' },
    { outcome: 'rejected', message: '550 5.1.1 no such user', badAddress: true },
  ],
  ['RCPT with 421', { RCPT: '421 4.7.0 going away', DATA: '354 go on' }, { outcome: 'later', message: '421 4.7.0 going away' }],
])('the first refusal counts when the server refuses %s', async (_, reactions, answer) => {
  const server = await serving((verb) => reactions[verb]);
  expect((await sendAll(providerFor(server), addresses(1)))[0]).toMatchObject(answer);
  expect(server.received).toEqual([]);
});

test('354 after a refused recipient is answered with an empty message, and the connection serves on', async () => {
  const commands: string[] = [];
  const server = await serving((verb, line) => {
    commands.push(verb);
    return verb === 'RCPT' && line.includes('r0@') ? '550 5.1.1 no such user' : undefined;
  });
  expect(await outcomes(sendAll(providerFor(server), addresses(2)))).toEqual(['rejected', 'accepted']);
  expect(commands.slice(0, 7)).toEqual(['GREETING', 'EHLO', 'MAIL', 'RCPT', 'DATA', 'BODY', 'DOT']);
  expect(recipients(server)).toEqual(['r1@example.org']);
  expect(server.connections()).toBe(1);
});

test('354 after a refused sender and an accepted recipient is not answered: not even an empty mail is sent', async () => {
  const server = await serving(meets('MAIL', 1, '550 5.7.1 sender refused'));
  expect(await outcomes(sendAll(providerFor(server), addresses(2)))).toEqual(['rejected', 'accepted']);
  expect(recipients(server)).toEqual(['r1@example.org']);
  expect(server.connections()).toBe(2);
});

test('RSET stands before the next envelope after a refused one, and only there', async () => {
  const commands: string[] = [];
  const server = await serving((verb, line) => {
    commands.push(verb);
    if (verb === 'RCPT' && line.includes('r0@')) return '550 5.1.1 no such user';
    return verb === 'DATA' && commands.filter((each) => each === 'DATA').length === 1 ? '503 5.5.1 need RCPT' : undefined;
  });
  expect(await outcomes(sendAll(providerFor(server), addresses(3)))).toEqual(['rejected', 'accepted', 'accepted']);
  expect(commands.slice(2)).toEqual(['MAIL', 'RCPT', 'DATA', 'RSET', ...Array(2).fill(['MAIL', 'RCPT', 'DATA', 'BODY', 'DOT']).flat()]);
});

test('what comes with the answer to DATA is no answer to the dot: the dot is not written', async () => {
  for (const stray of ['250 2.0.0 queued', '421 4.3.2 going down', 'nonsense', '25']) {
    const commands: string[] = [];
    const server = await serving((verb) => {
      commands.push(verb);
      return verb === 'DATA' ? `354 go on\r\n${stray}` : undefined;
    });
    expect(await outcomes(sendAll(providerFor(server), addresses(1)))).toEqual(['later']);
    expect(commands).not.toContain('BODY');
  }
});

test('what comes with the answer to the dot is no answer to the next mail', async () => {
  for (const stray of ['550 5.7.1 no', '421 4.3.2 going down', '250 ok', '25']) {
    const once = meets('DOT', 1, `250 2.0.0 queued\r\n${stray}`);
    const server = await serving((verb, line, connection) => (verb === 'EHLO' ? '250 double' : once(verb, line, connection)));
    expect(await outcomes(sendAll(providerFor(server), addresses(3)))).toEqual(['accepted', 'accepted', 'accepted']);
    expect(recipients(server)).toEqual(addresses(3));
    expect(server.connections()).toBe(2);
  }
});

test('a mail refused after its dot leaves nothing to reset', async () => {
  const commands: string[] = [];
  const refuse = meets('DOT', 1, '554 5.7.1 spam');
  const server = await serving((verb, line, connection) => {
    commands.push(verb);
    return refuse(verb, line, connection);
  });
  const provider = providerFor(server);
  for (const outcome of ['rejected', 'accepted']) expect(await outcomes(sendAll(provider, addresses(1)))).toEqual([outcome]);
  expect(commands).not.toContain('RSET');
});

test('answers of the wrong kind end the connection before anything is submitted', async () => {
  for (const reactions of [{ MAIL: '354 go on' }, { RCPT: '354 go on' }, { DATA: '250 ok' }, { MAIL: 'ok' }, { RCPT: '199 hm' }] as const) {
    const server = await serving((verb) => (reactions as Record<string, string>)[verb]);
    const [answer] = await sendAll(providerFor(server), addresses(1));
    expect(answer).toEqual({ outcome: 'later', message: expect.stringMatching(/unexpected answer/) });
    expect(server.received).toEqual([]);
  }
});

test('after the final dot a mail has an unknown outcome, and the one announced behind it is sent once, over a new connection', async () => {
  for (const reaction of ['hang up', 'keep and hang up', 'nonsense', '354 go on'] as const) {
    const server = await serving(meets('DOT', 1, reaction));
    expect(await outcomes(sendAll(providerFor(server), addresses(3)))).toEqual(['unknown', 'accepted', 'accepted']);
    expect(recipients(server).filter((to) => to !== 'r0@example.org')).toEqual(addresses(3).slice(1));
    expect(server.connections()).toBe(2);
  }
});

test.each(['MAIL', 'RCPT', 'DATA'])('a connection lost at %s of the mail behind another costs neither of them', async (verb) => {
  for (const reaction of ['hang up', '421 4.4.2 too many mails'] as const) {
    const server = await serving(meets(verb, 2, reaction));
    expect(await outcomes(sendAll(providerFor(server), addresses(3)))).toEqual(['accepted', 'accepted', 'accepted']);
    expect(recipients(server).toSorted()).toEqual(addresses(3));
    expect(server.connections()).toBe(2);
  }
});

test('a mail gets one new connection, not one after the other', async () => {
  const server = await serving((verb, line) => (verb === 'RCPT' && line.includes('r1@') ? 'hang up' : undefined));
  const provider = providerFor(server);
  expect(await outcomes(sendAll(provider, addresses(2)))).toEqual(['accepted', 'later']);
  expect(server.connections()).toBe(2);
});

test('421 to the final dot is a refusal, and the mail behind it goes on elsewhere', async () => {
  const server = await serving(meets('DOT', 1, '421 4.3.2 going down'));
  expect(await outcomes(sendAll(providerFor(server), addresses(2)))).toEqual(['later', 'accepted']);
  expect(recipients(server)).toEqual(['r1@example.org']);
  expect(server.connections()).toBe(2);
});

test('a server that takes three mails on a connection gets all of them, each once', async () => {
  const taken = new Map<number, number>();
  const server = await serving((verb, _line, connection) => {
    if (verb === 'MAIL') taken.set(connection, (taken.get(connection) ?? 0) + 1);
    return verb === 'MAIL' && taken.get(connection)! > 3 ? '421 4.7.0 too many mails' : undefined;
  });
  const answers = await outcomes(sendAll(providerFor(server, { maxConnections: 2 }), addresses(30)));
  expect(answers.filter((outcome) => outcome !== 'accepted')).toEqual([]);
  expect(recipients(server).toSorted()).toEqual(addresses(30).toSorted());
  expect(server.connections()).toBeGreaterThanOrEqual(10);
});

test('a large mail that the server refuses before its end is refused, and one that breaks off there is surely not accepted', async () => {
  for (const [reaction, outcome] of [
    ['552 5.3.4 too large', 'rejected'],
    ['hang up', 'later'],
  ] as const) {
    // It reads no further, so the end of the mail cannot leave.
    const server = await serving((verb) => (verb === 'BODY' ? reaction : undefined));
    const html = 'x '.repeat(8_000_000);
    const answer = await providerFor(server).send(finishedMailTo('bob@example.org', { html }), 'key');
    expect(answer.outcome).toBe(outcome);
  }
});

test('five hundred mails at once over four connections arrive once each, at a real server too', async () => {
  const scripted = await serving(() => undefined);
  const real = await mailServer();
  open.push(real);
  for (const server of [scripted, real]) {
    const answers = await outcomes(sendAll(providerFor(server, { maxConnections: 4 }), addresses(500)));
    expect(answers.filter((outcome) => outcome !== 'accepted')).toEqual([]);
    expect(server.received.flatMap(({ to }) => to).toSorted()).toEqual(addresses(500).toSorted());
    expect(server.connections()).toBe(4);
  }
});
