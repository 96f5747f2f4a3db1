import { beforeAll, expect, test } from 'vitest';
import { type Admin, adminProgram, admin as runAdmin } from '../support/admin.ts';
import { testEnvironment } from '../support/environment.ts';
import { postInbound, standardHeaders } from '../support/inbound.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { sendMail } from '../support/sent-mail.ts';

const SECRET = `whsec_${Buffer.from('a secret that resend has shown').toString('base64')}`;

let project: TestProject;
beforeAll(async () => {
  project = await newProject();
});

/** The JSON on standard output, or the exit code and what stood on standard error. */
const adminWith = async (input: string, args: readonly string[], run: Admin = runAdmin) => {
  const { databaseUrl, secretKey } = testEnvironment();
  const { code, stdout, stderr } = await run([...args, '--json'], { DATABASE_URL: databaseUrl, SECRET_KEY: secretKey }, input);
  return { code, answer: code === 0 ? JSON.parse(stdout) : stderr };
};
const admin = (...args: string[]) => adminWith('', args);
const post = (secret: string) => {
  const body = JSON.stringify({ type: 'email.delivered', created_at: '2024-11-22T23:41:12.126Z', data: { email_id: 'x' } });
  return postInbound(project, 'resend', body, standardHeaders(body, { secret, prefix: 'svix' }));
};

test("what is stored for a provider proves its events from then on, in place of the project's inbound secret, until it is cleared", async () => {
  expect((await post(project.inboundSecret)).status).toBe(200);
  expect(await adminWith(`${SECRET}\n`, ['inbound', 'set', project.slug, 'resend'], adminProgram)).toEqual({
    code: 0,
    answer: { project: project.slug, provider: 'resend', set: true },
  });
  expect([(await post(SECRET)).status, (await post(project.inboundSecret)).status]).toEqual([200, 401]);
  const listed = await admin('inbound', 'list', project.slug);
  expect(listed.answer).toEqual([{ provider: 'resend', updated_at: expect.any(String) }]);
  expect(await admin('inbound', 'clear', project.slug, 'resend')).toMatchObject({ code: 0, answer: { set: false } });
  expect([(await post(SECRET)).status, (await post(project.inboundSecret)).status]).toEqual([401, 200]);
});

test.each([
  ['resend', 'secret', 'signing secret'],
  ['ses', 'my-topic', 'ARNs'],
  ['ses', '', 'ARNs'],
  ['sendgrid', 'AAAA', 'verification key'],
  ['postmark', 'no-colon-in-here-at-all', 'user:password'],
  ['postmark', 'user:short', 'user:password'],
  ['mailgun', 'short', 'HTTP webhook signing key'],
  ['generic', SECRET, 'one of resend, ses, sendgrid, postmark, mailgun'],
])('for %s, %j is refused and the message says what it should be', async (provider, value, words) => {
  const { code, answer } = await adminWith(value, ['inbound', 'set', project.slug, provider]);
  expect(code).toBe(1);
  expect(answer).toContain(words);
});

test('a secret among the arguments, where everybody on the machine could read it, is wrong usage', async () => {
  const { code, answer } = await admin('inbound', 'set', project.slug, 'resend', SECRET);
  expect([code, answer]).toEqual([2, expect.stringContaining('inbound set takes 2 argument(s), and value on standard input')]);
  expect((await post(SECRET)).status).toBe(401);
});

test('new secrets of a project count from the next request on, its old ones no more, and links in mails go on', async () => {
  const rotating = await newProject();
  const signed = (secret: string) => {
    const body = JSON.stringify({ type: 'delivered', providerId: 'x', timestamp: new Date().toISOString() });
    return postInbound(rotating, 'generic', body, standardHeaders(body, { secret }));
  };
  const link = (await sendMail(rotating)).unsubscribe!.replace(/^https?:\/\/[^/]+/, testEnvironment().apiUrl);
  expect((await signed(rotating.inboundSecret)).status).toBe(200);
  const { answer } = await admin('project', 'secrets', rotating.slug, '--rotate');
  expect(answer).toMatchObject({ slug: rotating.slug, inboundId: rotating.inboundId });
  expect([answer.inboundSecret, answer.webhookSecret]).not.toContain(rotating.inboundSecret);
  expect(answer.webhookSecret).not.toBe(rotating.webhookSecret);
  expect([(await signed(answer.inboundSecret)).status, (await signed(rotating.inboundSecret)).status]).toEqual([200, 401]);
  expect((await admin('project', 'secrets', rotating.slug)).answer).toEqual(answer);
  expect((await fetch(link)).status).toBe(200);
});
