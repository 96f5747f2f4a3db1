import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createLogger } from '../../platform/logger.ts';
import { smtpAnswer } from '../../smtp/answers.ts';
import { CLIENT_LIMITS } from '../../smtp/clients.ts';
import { mayLogIn } from '../../smtp/logins.ts';
import { readTlsFiles, type TlsPair, watchTlsFiles } from '../../smtp/tls-files.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { begin, KEY, MAIL, newEntrance, pairOf, USER } from './entrances.ts';

const log = createLogger('silent', {});

describe('a password', () => {
  test.each([
    [{ secure: true, remoteAddress: '203.0.113.7' }, true],
    [{ secure: false, remoteAddress: '127.0.0.1' }, true],
    [{ secure: false, remoteAddress: '::ffff:127.0.0.2' }, true],
    [{ secure: false, remoteAddress: '::1' }, true],
    [{ secure: false, remoteAddress: '203.0.113.7' }, false],
    [{ secure: false, remoteAddress: '10.0.0.1' }, false],
    [{ secure: false, remoteAddress: '' }, false],
  ])('of %o may be said: %s', (session, may) => {
    expect(mayLogIn(session)).toBe(may);
  });

  test('is not asked for, taken or needed from elsewhere before STARTTLS, and what was said before TLS is forgotten', async () => {
    const { visit, lookUps, received } = await newEntrance({ options: { tls: pairOf('mail.example') }, mayLogIn: ({ secure }) => secure });
    const dialogue = await visit();
    const offered = await dialogue.say('EHLO me');
    expect(offered).toContain('STARTTLS');
    expect(offered).not.toContain('AUTH');
    expect(await dialogue.logIn(USER, KEY)).toMatch(/^500 /);
    expect(await dialogue.say(MAIL)).toMatch(/^530 5\.7\.0 STARTTLS first/);
    expect(await dialogue.say('DATA')).toMatch(/^503 /);
    expect(lookUps).toEqual([]);
    expect(await dialogue.say('STARTTLS')).toMatch(/^220 /);
    expect(await dialogue.secure()).toBe('mail.example');
    expect(await dialogue.say(MAIL)).toMatch(/^503 /);
    expect(await dialogue.say('EHLO me')).toContain('AUTH PLAIN LOGIN');
    expect(await dialogue.say(MAIL)).toMatch(/^530 5\.7\.0 log in first/);
    expect(await dialogue.logIn(USER, KEY)).toMatch(/^235 /);
    await begin(dialogue);
    expect(await dialogue.say('Subject: a\r\n\r\nb\r\n.')).toBe('250 2.0.0 taken');
    expect(received).toMatchObject([{ login: { key: KEY, projectId: 'p' }, recipients: ['b@x.example'] }]);
  });

  test('that was said before STARTTLS from this machine does not count after it', async () => {
    const { client } = await newEntrance({ options: { tls: pairOf('mail.example') } });
    const dialogue = await client();
    await dialogue.say('STARTTLS');
    await dialogue.secure();
    await dialogue.say('EHLO me');
    expect(await dialogue.say(MAIL)).toMatch(/^530 5\.7\.0 log in first/);
  });

  test('may be said at once where TLS is from the first byte on', async () => {
    const { visit } = await newEntrance({ options: { tls: pairOf('mail.example'), isImplicit: true }, mayLogIn: ({ secure }) => secure });
    const dialogue = await visit(true);
    expect(await dialogue.say('EHLO me')).toContain('AUTH PLAIN LOGIN');
    expect(await dialogue.logIn(USER, KEY)).toMatch(/^235 /);
  });

  test('may be wrong three times on a connection, and twenty times from an address, of which then nobody is looked at', async () => {
    const { visit, lookUps } = await newEntrance();
    for (let connection = 0; connection < 7; connection++) {
      const dialogue = await visit();
      await dialogue.say('EHLO me');
      const most = connection < 6 ? 3 : 2;
      for (let times = 0; times < most; times++) expect(await dialogue.logIn(USER, `wrong ${times}`)).toMatch(/^535 5\.7\.8 /);
      if (most === 3) expect(await dialogue.say()).toMatch(/^421 4\.7\.0 too many failed logins/);
      dialogue.drop();
    }
    const dialogue = await visit();
    await dialogue.say('EHLO me');
    expect(await dialogue.logIn(USER, KEY)).toMatch(/^454 4\.7\.0 too many failed logins from this address/);
    expect(lookUps).toHaveLength(20);
  });
});

test('a certificate that is renewed is that of connections from then on; one that is half written is waited for', async () => {
  const folder = await mkdtemp(join(testEnvironment().scratchDir, 'tls-'));
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  const write = async ({ cert, key }: TlsPair): Promise<void> => {
    await writeFile(files.cert, cert);
    await writeFile(files.key, key);
  };
  await write(pairOf('old.example'));
  const tls = await readTlsFiles(files);
  const { entrance, visit } = await newEntrance({ options: { tls } });
  const watching = watchTlsFiles(files, tls, { log, renewed: entrance.renew, everyMs: 20 });
  const nameNow = async (): Promise<string> => {
    const dialogue = await visit();
    await dialogue.say('EHLO me');
    await dialogue.say('STARTTLS');
    const name = await dialogue.secure();
    dialogue.drop();
    return name;
  };
  expect(await nameNow()).toBe('old.example');
  await writeFile(files.cert, pairOf('half.example').cert);
  await expect(readTlsFiles(files)).rejects.toThrow(
    /^SMTP_TLS_CERT \(.*\) and SMTP_TLS_KEY \(.*\) should be a certificate and its key in PEM: /,
  );
  expect(await nameNow()).toBe('old.example');
  await writeFile(files.cert, '');
  await expect(readTlsFiles(files)).rejects.toThrow(/should be a certificate and its key in PEM: /);
  await write(pairOf('new.example'));
  await eventually(async () => (await nameNow()) === 'new.example');
  await watching.stop();
});

describe('a message', () => {
  const line = 'x'.repeat(998);

  test('that says it is too large is refused before it is read; one that is, is not kept, and the next one is taken', async () => {
    const { client, received, folder } = await newEntrance({ spool: { inMemory: 1000 } });
    const dialogue = await client();
    expect(await dialogue.say('MAIL FROM:<a@x.example> SIZE=100001')).toMatch(/^552 5\.3\.4 /);
    await begin(dialogue);
    expect(await dialogue.say(`${`${line}\r\n`.repeat(101)}.`)).toMatch(/^552 5\.3\.4 a message has at most 100000 bytes/);
    expect(received).toEqual([]);
    await begin(dialogue);
    expect(await dialogue.say('Subject: a\r\n\r\n..b\r\n.')).toBe('250 2.0.0 taken');
    expect(received.map(({ content }) => 'bytes' in content && Buffer.from(content.bytes).toString())).toEqual([
      'Subject: a\r\n\r\n.b\r\n',
    ]);
    expect(await readdir(folder)).toEqual([]);
  });

  test('that does not end is cut off', async () => {
    const { client, received } = await newEntrance();
    const dialogue = await client();
    await begin(dialogue);
    expect(await dialogue.say(`${line}\r\n`.repeat(201))).toMatch(/^552 5\.3\.4 /);
    await dialogue.ended();
    expect(received).toEqual([]);
  });

  test('that is large is on disk while it is read, and nowhere after that; no more than there is room for', async () => {
    const held = Promise.withResolvers<void>();
    const whole: number[] = [];
    const { client, folder } = await newEntrance({
      spool: { inMemory: 1000, onDisk: 80_000 },
      async accept({ content }) {
        whole.push('path' in content ? content.size : 0);
        await held.promise;
        return smtpAnswer(250, '2.0.0', 'taken');
      },
    });
    const [first, second] = await Promise.all([client(), client()]);
    await begin(first);
    const told = first.say(`${`${line}\r\n`.repeat(50)}.`);
    await eventually(() => whole.length === 1);
    expect(await readdir(folder)).toHaveLength(1);
    await begin(second);
    expect(await second.say(`${`${line}\r\n`.repeat(50)}.`)).toMatch(/^452 4\.3\.1 /);
    held.resolve();
    expect(await told).toBe('250 2.0.0 taken');
    expect(whole).toEqual([50_000]);
    expect(await readdir(folder)).toEqual([]);
    await begin(second);
    expect(await second.say(`${`${line}\r\n`.repeat(50)}.`)).toBe('250 2.0.0 taken');
  });

  test('that the disk does not take is to come again', async () => {
    const { client, folder, received } = await newEntrance({ spool: { inMemory: 1000 } });
    await rm(folder, { recursive: true });
    const dialogue = await client();
    await begin(dialogue);
    expect(await dialogue.say(`${`${line}\r\n`.repeat(50)}.`)).toMatch(/^451 4\.3\.0 /);
    await begin(dialogue);
    expect(await dialogue.say('Subject: a\r\n\r\nb\r\n.')).toBe('250 2.0.0 taken');
    expect(received).toHaveLength(1);
  });

  test('whose client goes away in the middle is none, and leaves nothing', async () => {
    const { client, received, folder } = await newEntrance({ spool: { inMemory: 1000 } });
    const dialogue = await client();
    await begin(dialogue);
    const gone = dialogue.say(`${line}\r\n`.repeat(30));
    await eventually(async () => (await readdir(folder)).length === 1);
    dialogue.drop();
    expect(await gone).toBe('closed');
    await eventually(async () => (await readdir(folder)).length === 0);
    expect(received).toEqual([]);
  });

  test('has fifty recipients at most; the others are for another transaction', async () => {
    const { client, received } = await newEntrance();
    const dialogue = await client();
    await dialogue.say(MAIL);
    expect(await dialogue.say('RCPT TO:<postmaster>')).toMatch(/^550 5\.1\.3 /);
    for (let n = 0; n < 50; n++) expect(await dialogue.say(`RCPT TO:<n${n}@x.example>`)).toMatch(/^250 /);
    expect(await dialogue.say('RCPT TO:<n50@x.example>')).toMatch(/^452 4\.5\.3 /);
    expect(await dialogue.say('RCPT TO:<N0@x.example>')).toMatch(/^250 /);
    expect(await dialogue.say('RCPT TO:<"a b"@x.example>')).toMatch(/^501 /);
    await dialogue.say('DATA');
    expect(await dialogue.say('Subject: a\r\n\r\nb\r\n.')).toBe('250 2.0.0 taken');
    expect(received[0]?.recipients).toHaveLength(50);
  });
});

describe('a connection', () => {
  test('ends when nobody logs in, or no message is whole, in time; not while a message is being sent', async () => {
    const held = Promise.withResolvers<void>();
    const { visit, client } = await newEntrance({
      options: { limits: { ...CLIENT_LIMITS, loginMs: 300, messageMs: 300 } },
      async accept() {
        await held.promise;
        return smtpAnswer(250, '2.0.0', 'taken');
      },
    });
    const silent = await visit();
    expect(await silent.say()).toMatch(/^421 4\.4\.2 /);
    const [slow, busy] = await Promise.all([client(), client()]);
    await begin(busy);
    const told = busy.say('Subject: a\r\n\r\nb\r\n.');
    await begin(slow);
    expect(await slow.say('Subject: a')).toMatch(/^421 4\.4\.2 /);
    await slow.ended();
    held.resolve();
    expect(await told).toBe('250 2.0.0 taken');
  });

  test('is one of a bounded number, in all, of an address and of a project', async () => {
    const few = await newEntrance({ options: { limits: { ...CLIENT_LIMITS, perAddress: 2 } } });
    const [one] = await Promise.all([few.visit(), few.visit()]);
    expect((await few.visit()).greeting).toMatch(/^421 4\.7\.0 too many connections from this address/);
    one.drop();
    await eventually(async () => (await few.visit()).greeting.startsWith('220 '));

    const project = await newEntrance({ options: { limits: { ...CLIENT_LIMITS, perProject: 1 } } });
    await project.client();
    const second = await project.visit();
    await second.say('EHLO me');
    expect(await second.logIn(USER, KEY)).toMatch(/^454 4\.7\.0 at most 1 connections of one project/);
    expect(await second.say(MAIL)).toMatch(/^530 /);

    const all = await newEntrance({ options: { mostConnections: 1 } });
    await all.visit();
    expect((await all.visit()).greeting).toMatch(/^421 /);
  });

  test('that has a message under way gets its answer when the process stops; others are told to come again', async () => {
    const held = Promise.withResolvers<void>();
    const { client, entrance, received } = await newEntrance({
      async accept() {
        await held.promise;
        return smtpAnswer(250, '2.0.0', 'taken');
      },
    });
    const [idle, busy] = await Promise.all([client(), client()]);
    await begin(busy);
    const told = busy.say('Subject: a\r\n\r\nb\r\n.');
    await eventually(() => received.length === 1);
    const stopped = entrance.stop();
    expect(await idle.say()).toMatch(/^421 4\.3\.2 /);
    await idle.ended();
    held.resolve();
    expect(await told).toBe('250 2.0.0 taken');
    expect(await busy.say()).toMatch(/^421 4\.3\.2 /);
    await stopped;
  });
});
