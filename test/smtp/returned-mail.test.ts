import { beforeAll, expect, test } from 'vitest';
import { ABSENCE, failed, MESSAGE_ID, report } from '../domain/inbound/returned-mails.ts';
import { afterFile } from '../support/after-file.ts';
import { testEnvironment } from '../support/environment.ts';
import { mailTo } from '../support/mail.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { type Dialogue, smtpDialogue } from '../support/smtp-dialogue.ts';
import { startSmtpHere } from '../support/smtp-here.ts';
import { type SmtpDoor, sendBySmtp } from '../support/smtp-process.ts';
import { tcpProxy } from '../support/tcp-proxy.ts';

const SETTINGS = { RETURN_PATH: 'Bounces@mail.example' };
let smtp: SmtpDoor;
let project: TestProject;
beforeAll(async () => {
  [smtp, project] = await Promise.all([startSmtpHere(SETTINGS), newProject()]);
});

const UNKNOWN_USER = report({ status: failed('5.1.1', '550 5.1.1 unknown user') });

interface Sent {
  readonly to: string;
  /** The sender on its envelope. */
  readonly returnPath: string;
}

/** A mail that left by the entrance. */
async function sent(): Promise<Sent> {
  const to = project.address();
  const message = { from: `shop@${project.domain}`, to, subject: 'Hello', text: 'Words' };
  expect(await sendBySmtp(smtp.port, project.slug, project.key, message)).toMatchObject({ code: 250 });
  const [mail] = await mailTo(to);
  return { to, returnPath: mail!.from };
}

/** Another mail server, which has no login. */
async function server(port = smtp.port): Promise<Dialogue> {
  const dialogue = await smtpDialogue(port);
  await dialogue.say('EHLO mx.there.example');
  return dialogue;
}

async function deliver(dialogue: Dialogue, to: string, message: Buffer): Promise<string> {
  for (const line of ['MAIL FROM:<>', `RCPT TO:<${to}>`, 'DATA']) {
    const answer = await dialogue.say(line);
    if (!/^(250|354) /.test(answer)) return answer;
  }
  return dialogue.say(`${message.toString().replaceAll(/^\./gm, '..')}.`);
}

const statusOf = async ({ to }: Sent) => (await project.api.get(`/sends?q=${encodeURIComponent(to)}`)).body.sends[0].delivery_status;

test('each mail has a return path of its own, and shows the sender as before', async () => {
  const [one, other] = [await sent(), await sent()];
  for (const { returnPath } of [one, other]) expect(returnPath).toMatch(/^bounces\+[0-9a-f]{44}@mail\.example$/);
  expect(one.returnPath).not.toBe(other.returnPath);
  const [shown] = await mailTo(one.to);
  expect(shown?.raw).toMatch(new RegExp(`^From: shop@${project.domain}\r$`, 'm'));
});

test('a bounce that comes to it, from anybody and whatever the case of its letters, is that of its mail, once', async () => {
  const [mail, other] = [await sent(), await sent()];
  const dialogue = await server();
  // By whichever host of a sending domain it comes. What it says of another mail does not count.
  const message = Buffer.from(UNKNOWN_USER.toString().replaceAll(MESSAGE_ID, other.returnPath));
  for (const address of [mail.returnPath, mail.returnPath.toUpperCase(), mail.returnPath.replace('@', '@bounces.acme.')])
    expect(await deliver(dialogue, address, message)).toMatch(/^250 /);
  expect([await statusOf(mail), await statusOf(other)]).toEqual(['bounced', null]);
  const { suppressions } = (await project.api.get('/suppressions')).body;
  expect(suppressions.filter(({ email }: { email: string }) => email === mail.to)).toHaveLength(1);
});

test('an absence note to it is taken, and says nothing', async () => {
  const mail = await sent();
  expect(await deliver(await server(), mail.returnPath, ABSENCE)).toMatch(/^250 /);
  expect(await statusOf(mail)).toBeNull();
});

test('nobody reaches anything else without a login', async () => {
  const { returnPath } = await sent();
  const forged = returnPath.replace(/[0-9a-f]@/, (last) => (last === '0@' ? '1@' : '0@'));
  const dialogue = await server();
  for (const address of [
    forged,
    project.address(),
    'bounces@mail.example',
    `x${returnPath}`,
    returnPath.replace('@mail', '@evil'),
    returnPath.replace('+', '+x+'),
  ]) {
    expect(await deliver(dialogue, address, UNKNOWN_USER)).toMatch(/^530 5\.7\.0 /);
    await dialogue.say('RSET');
  }
  // Nor beside it: the mail is for the return path alone.
  expect(await dialogue.say('MAIL FROM:<>')).toMatch(/^250 /);
  expect(await dialogue.say(`RCPT TO:<${returnPath}>`)).toMatch(/^250 /);
  expect(await dialogue.say(`RCPT TO:<${project.address()}>`)).toMatch(/^530 /);
});

test('what was begun without a login is for one return path, and nobody logs in within it', async () => {
  const [mail, other] = [await sent(), await sent()];
  const dialogue = await server();
  expect(await dialogue.say('MAIL FROM:<>')).toMatch(/^250 /);
  expect(await dialogue.logIn(project.slug, project.key)).toMatch(/^503 5\.5\.1 /);
  expect(await dialogue.say(`RCPT TO:<${mail.returnPath}>`)).toMatch(/^250 /);
  expect(await dialogue.say(`RCPT TO:<${other.returnPath}>`)).toMatch(/^452 4\.5\.3 /);
  expect(await dialogue.logIn(project.slug, project.key)).toMatch(/^503 5\.5\.1 /);
  await dialogue.say('RSET');
  expect(await dialogue.logIn(project.slug, project.key)).toMatch(/^235 /);
});

test('whoever got a mail can say only so much about it', async () => {
  const mail = await sent();
  const dialogue = await server();
  const answers: string[] = [];
  for (let times = 0; times < 21; times++) {
    const message = Buffer.from(UNKNOWN_USER.toString().replace('4F3C1@', `${times}@`));
    answers.push((await deliver(dialogue, mail.returnPath, message)).slice(0, 3));
  }
  expect(answers).toEqual([...Array(20).fill('250'), '452']);
});

test('a bounce that cannot be kept is to come again', async () => {
  const mail = await sent();
  const url = new URL(testEnvironment().databaseUrl);
  const door = await tcpProxy(url.host);
  afterFile(() => door.close());
  url.host = door.address;
  const behind = await startSmtpHere({ ...SETTINGS, DATABASE_URL: url.href });
  const dialogue = await server(behind.port);
  await door.down();
  expect(await deliver(dialogue, mail.returnPath, UNKNOWN_USER)).toMatch(/^451 4\.3\.0 /);
  await door.up();
  expect(await deliver(dialogue, mail.returnPath, UNKNOWN_USER)).toMatch(/^250 /);
  expect(await statusOf(mail)).toBe('bounced');
});
