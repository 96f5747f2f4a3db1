import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, expect, test } from 'vitest';
import { inParallel } from '../../platform/in-parallel.ts';
import { type EmbeddedStack, startEmbedded } from '../support/embedded-stack.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { heldCount, mailCount, mailNow, scriptMail } from '../support/mail.ts';
import { newProject } from '../support/project.ts';
import { enableTemplates, must, newSequence } from '../support/sequences.ts';

const CONTACTS = 50;
const MAILS = ['welcome', 'receipt', 'newsletter'];
const SHORT_WAIT = 0.02;

let stack: EmbeddedStack | undefined;

afterAll(async () => {
  await stack?.stop();
});

/** A connection of its own, so that nothing is pooled over the kill. */
async function query<T>(text: string, values: unknown[] = []): Promise<T[]> {
  const client = new Client({ connectionString: stack!.databaseUrl });
  await client.connect();
  try {
    return (await client.query(text, values)).rows as T[];
  } finally {
    await client.end();
  }
}

/** What has arrived so far, as "recipient template". */
async function arrivals(domain: string): Promise<string[]> {
  const messages = await mailNow(`@to.${domain}`);
  return messages.map(({ to, raw }) => `${to[0]} ${/^subject: (.*)$/im.exec(raw)?.[1]?.trim()}`);
}

test(`killing everything in the middle of ${CONTACTS} enrollments loses no mail and sends none twice`, async () => {
  const dataDir = await mkdtemp(join(testEnvironment().scratchDir, 'killed-'));
  stack = await startEmbedded(dataDir);
  const project = await newProject({ everpost: stack });
  await enableTemplates(project, ...MAILS);
  // The subject tells the sink which template it is.
  const steps = MAILS.map((template, n) => ({ template, subject: template, ...(n > 0 ? { delayMinutes: SHORT_WAIT } : {}) }));
  const { trigger } = await newSequence(project, { steps });
  const emails = Array.from({ length: CONTACTS }, (_, n) => project.address(`contact${n}`));
  // The sink takes its time, so that mails are in flight at the kill, or one to this recipient has been given up by then: on a busy machine the others take
  // longer than a mail server may.
  const slow = emails[0]!;
  await scriptMail(`@to.${project.domain}`, { delayMs: 100 });
  await scriptMail(slow, { hold: true });
  // Few at a time: on a busy machine a call may wait for its connection to the database no longer than three seconds.
  await inParallel(10, emails, async (email) => {
    expect(must(await project.api.post('/events', { type: trigger, email }), 200).enrolled).toBe(1);
  });

  await eventually(async () => (await mailCount(`@to.${project.domain}`)) >= 70 && (await heldCount(slow)) >= 1, {
    everyMs: 20,
    timeoutMs: 60_000,
  });
  await stack.kill();
  const beforeRestart = (await arrivals(project.domain)).length;
  expect(beforeRestart).toBeLessThan(CONTACTS * MAILS.length);
  await scriptMail(slow, {});
  stack = await startEmbedded(dataDir);

  const active = `select count(*)::int as count from enrollments where status = 'active'`;
  await eventually(async () => (await query<{ count: number }>(active))[0]?.count === 0, { timeoutMs: 180_000, everyMs: 250 });
  const ends = await query(`select status, end_reason, count(*)::int as count from enrollments group by 1, 2`);
  expect(ends).toEqual([{ status: 'completed', end_reason: 'exit', count: CONTACTS }]);

  const arrived = await arrivals(project.domain);
  expect(arrived.length).toBeGreaterThan(beforeRestart);
  expect(new Set(arrived).size).toBe(arrived.length);
  const wanted = emails.flatMap((email) => MAILS.map((template) => `${email} ${template}`));
  const sends = await query<{ mail: string; status: string | null; error: string | null }>(
    `select to_email || ' ' || template as mail, status, error from sends`,
  );
  expect(sends.map(({ mail }) => mail).toSorted()).toEqual(wanted.toSorted());
  const inFlight = sends.filter(({ status }) => status !== 'sent');
  for (const { status, error } of inFlight) expect(`${status} ${error}`).toMatch(/^failed outcome_unknown/);
  const missing = wanted.filter((mail) => !arrived.includes(mail));
  expect(inFlight.map(({ mail }) => mail)).toEqual(expect.arrayContaining(missing));
  expect(inFlight.map(({ mail }) => mail.split(' ')[0])).toContain(slow);
  // No more of them than the worker submits at once.
  expect(inFlight.length).toBeLessThanOrEqual(20);
}, 300_000);
