import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../db/orm.ts';
import { row } from '../../db/rows.ts';
import { OUTCOME_UNKNOWN_AFTER_MS, SETTLED_AFTER_MS } from '../../domain/sends/submission-times.ts';
import { rowOf } from '../sending/send-row.ts';
import { afterFile } from '../support/after-file.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { expectFitToKeep } from '../support/log-lines.ts';
import { mailNow, mailTo, scriptMail } from '../support/mail.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { smtpDialogue } from '../support/smtp-dialogue.ts';
import { type SmtpProcess, sendBySmtp, startSmtpProcess } from '../support/smtp-process.ts';
import { tcpProxy } from '../support/tcp-proxy.ts';

let smtp: SmtpProcess;
let project: TestProject;
let em: EntityManager;

beforeAll(async () => {
  [smtp, project, em] = await Promise.all([startSmtpProcess(), newProject(), database()]);
});

const idOf = (to: string): string => `<once-${to}>`;
/** The message to one address, as often as it is asked for. */
const send = (to: string) => {
  const message = { from: `shop@${project.domain}`, to, subject: 'Hello', text: 'Words\n', messageId: idOf(to) };
  return sendBySmtp(smtp.port, project.slug, project.key, message);
};

test('a client that went away before its answer, and comes back with its message, has sent one mail', async () => {
  const to = project.address();
  await scriptMail(to, { hold: true });
  const dialogue = await smtpDialogue(smtp.port);
  await dialogue.say('EHLO me');
  await dialogue.logIn(project.slug, project.key);
  for (const line of ['MAIL FROM:<>', `RCPT TO:<${to}>`, 'DATA']) await dialogue.say(line);
  const told = dialogue.say(`From: shop@${project.domain}\r\nTo: ${to}\r\nSubject: Hello\r\nMessage-ID: ${idOf(to)}\r\n\r\nWords\r\n.`);
  await eventually(() => rowOf(em, to));
  dialogue.drop();
  expect(await told).toBe('closed');
  expect(await send(to)).toEqual({ code: 451, text: expect.stringMatching(/^4\.3\.0 idempotency_in_progress/) });
  await scriptMail(to, {});
  await mailTo(to);
  await eventually(async () => (await rowOf(em, to))?.status === 'sent');
  expect(await send(to)).toMatchObject({ code: 250 });
  expect(await mailNow(to)).toHaveLength(1);
});

test('a process that is killed before its answer has sent one mail, however often the client comes back', async () => {
  const to = project.address();
  await scriptMail(to, { hold: true });
  const lost = send(to).then(
    () => 'answered',
    () => 'lost',
  );
  await eventually(() => rowOf(em, to));
  await smtp.program.kill();
  expect(await lost).toBe('lost');
  await smtp.start();
  expect(await send(to)).toMatchObject({ code: 451 });
  await scriptMail(to, {});
  // Old enough for its outcome to be unknown, and not yet given up by the sweepers of other tests' workers.
  const age = `${(OUTCOME_UNKNOWN_AFTER_MS + SETTLED_AFTER_MS) / 2} milliseconds`;
  await row(em, sql`update sends set opened_at = opened_at - ${age}::interval where to_email = ${to}`);
  for (let times = 0; times < 2; times++) expect(await send(to)).toMatchObject({ code: 250 });
  expect(await mailTo(to)).toHaveLength(1);
});

test('recipients whose mail went get no other when the client comes back for those whose mail did not', async () => {
  const [taken, later] = [project.address(), project.address()];
  const message = {
    ...{ from: `shop@${project.domain}`, to: 'list@shop.example', subject: 'Hello', text: 'Words', messageId: idOf(taken) },
    envelope: { from: 'x@y.example', to: [taken, later] },
  };
  await scriptMail(later, { rejectData: { code: 451, times: 3 } });
  expect(await sendBySmtp(smtp.port, project.slug, project.key, message)).toMatchObject({ code: 451 });
  expect(await sendBySmtp(smtp.port, project.slug, project.key, message)).toEqual({ code: 250, text: '2.0.0 2 of 2 mails sent' });
  for (const address of [taken, later]) expect(await mailNow(address)).toHaveLength(1);
});

test('while the database is away nobody is told that a key is wrong or a message taken, and both are well when it is back', async () => {
  const url = new URL(testEnvironment().databaseUrl);
  const door = await tcpProxy(url.host);
  afterFile(() => door.close());
  url.host = door.address;
  const behind = await startSmtpProcess({ DATABASE_URL: url.href });
  const to = project.address();
  const dialogue = await smtpDialogue(behind.port);
  await dialogue.say('EHLO me');
  expect(await dialogue.logIn(project.slug, project.key)).toMatch(/^235 /);
  await door.down();
  expect(await dialogue.say('MAIL FROM:<>')).toMatch(/^451 4\.3\.0 unavailable/);
  const other = await smtpDialogue(behind.port);
  await other.say('EHLO me');
  expect(await other.logIn(project.slug, project.key)).toMatch(/^454 4\.7\.0 /);
  await door.up();
  await eventually(async () => (await dialogue.say('MAIL FROM:<>')).startsWith('250'));
  for (const line of [`RCPT TO:<${to}>`, 'DATA']) await dialogue.say(line);
  expect(await dialogue.say(`From: shop@${project.domain}\r\nTo: ${to}\r\nSubject: Hello\r\n\r\nWords\r\n.`)).toMatch(/^250 /);
  expect(await mailNow(to)).toHaveLength(1);
});

test('each line of the log has its event, and none an address', () => {
  expectFitToKeep(smtp.program, `@to.${project.domain}`);
});
