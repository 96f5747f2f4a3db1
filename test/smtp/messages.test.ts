import { sql } from 'kysely';
import type { SendMailOptions } from 'nodemailer';
import PostalMime from 'postal-mime';
import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../db/orm.ts';
import { revokeApiKey } from '../../db/queries/projects/api-keys.ts';
import { row } from '../../db/rows.ts';
import { mailNow, scriptMail } from '../support/mail.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { enableTemplates, must } from '../support/sequences.ts';
import { smtpDialogue } from '../support/smtp-dialogue.ts';
import { startSmtpHere } from '../support/smtp-here.ts';
import { type SmtpDoor, sendBySmtp, type Told } from '../support/smtp-process.ts';

let smtp: SmtpDoor;
let project: TestProject;
let em: EntityManager;

beforeAll(async () => {
  [smtp, project, em] = await Promise.all([startSmtpHere(), newProject(), database()]);
  await enableTemplates(project, 'receipt');
});

let sent = 0;
/** A message of the project with a Message-ID of its own, unless told otherwise. */
function send(message: SendMailOptions, key: string = project.key, user: string = project.slug): Promise<Told> {
  const plain = { from: `Shop <shop@${project.domain}>`, subject: 'Hello', text: 'Words', messageId: `<${++sent}@${project.domain}>` };
  return sendBySmtp(smtp.port, user, key, { ...plain, ...message });
}

const rowsOf = async (to: string) => must(await project.api.get(`/sends?q=${encodeURIComponent(to)}`), 200).sends;

test('a message is answered 250 when its row is there, and arrives as its author wrote it', async () => {
  const to = project.address();
  const told = await send({
    to: `"Bell, Ann" <${to}>`,
    replyTo: 'Desk <desk@shop.example>',
    subject: 'Your {{ order }} ✓',
    text: 'Text {{ order.id }} {% if %}',
    html: '<p>Page {{ order.id }} {% if %} <a href="https://shop.example/?a=1&amp;b=2">link</a></p>',
    headers: { 'X-Tags': 'order, paid', 'X-Metadata': '{"order":"A-1"}', 'X-Shop': 'one', 'X-SES-Source': 'no', Comments: 'no' },
  });
  expect(told).toEqual({ code: 250, text: expect.stringMatching(/^2\.0\.0 sent as \S+$/) });
  const [found, ...others] = await rowsOf(to);
  expect(others).toEqual([]);
  expect(found).toMatchObject({ status: 'sent', template: null, type: 'transactional', source_type: 'api', subject: 'Your {{ order }} ✓' });
  expect(found).toMatchObject({ tags: ['order', 'paid'], metadata: { order: 'A-1' } });
  expect(told.text).toContain(found.provider_id);
  const [raw] = await mailNow(to);
  const mail = await PostalMime.parse(raw!.raw);
  expect(mail.from).toMatchObject({ name: 'Shop', address: `shop@${project.domain}` });
  expect(mail.to).toMatchObject([{ name: 'Bell, Ann', address: to }]);
  expect(mail.replyTo).toMatchObject([{ name: 'Desk', address: 'desk@shop.example' }]);
  expect(mail.subject).toBe('Your {{ order }} ✓');
  expect(mail.text?.trim()).toBe('Text {{ order.id }} {% if %}');
  expect(mail.html?.trim()).toBe('<p>Page {{ order.id }} {% if %} <a href="https://shop.example/?a=1&amp;b=2">link</a></p>');
  const names = mail.headers.map(({ key }) => key);
  expect(names).toContain('x-shop');
  for (const dropped of ['x-tags', 'x-metadata', 'x-ses-source', 'comments']) expect(names).not.toContain(dropped);
});

test('the envelope alone decides who gets a message: its first recipient of To is that of the row, those of To and Cc are shown, the others are not', async () => {
  const [ann, bob, cleo, dan, gone] = ['ann', 'bob', 'cleo', 'dan', 'gone'].map((name) => project.address(name)) as [string, ...string[]];
  const envelope = { from: 'bounces@other.example', to: [dan!, cleo!, bob!, ann] };
  expect(await send({ to: `${gone}, Ann <${ann}>, ${bob}`, cc: cleo!, envelope })).toMatchObject({ code: 250 });
  const [found, ...others] = await rowsOf(ann);
  expect(others).toEqual([]);
  expect(found.to_email).toBe(ann);
  for (const address of [ann, bob!, cleo!, dan!]) {
    const [mail, ...more] = await mailNow(address);
    expect(more).toEqual([]);
    expect(mail!.to.toSorted()).toEqual([ann, bob, cleo, dan].toSorted());
    const { to, cc, bcc } = await PostalMime.parse(mail!.raw);
    expect([to, cc, bcc]).toEqual([[{ name: 'Ann', address: ann }], [bob, cleo].map((address) => ({ name: '', address })), undefined]);
  }
  expect(await mailNow(gone!)).toEqual([]);
});

test('a copy that may not go is left out, and the client is told', async () => {
  const [to, suppressed] = [project.address(), project.address()];
  must(await project.api.post('/suppressions', { email: suppressed }), 201);
  const told = await send({ to, cc: suppressed });
  expect(told).toEqual({ code: 250, text: expect.stringContaining(`left out: ${suppressed} (suppressed)`) });
  expect([await mailNow(to), await mailNow(suppressed)].map(({ length }) => length)).toEqual([1, 0]);
});

test('recipients whom no header names each get a mail of their own, which shows nobody else', async () => {
  const recipients = ['one', 'two', 'three'].map((name) => project.address(name));
  const message = { to: 'list@shop.example', envelope: { from: 'x@y.example', to: recipients }, messageId: '<to-many@x>' };
  for (let times = 0; times < 2; times++) expect(await send(message)).toEqual({ code: 250, text: '2.0.0 3 of 3 mails sent' });
  for (const address of recipients) {
    const mails = await mailNow(address);
    expect(mails.map(({ to }) => to)).toEqual([[address]]);
    expect((await PostalMime.parse(mails[0]!.raw)).to).toEqual([{ name: '', address }]);
  }
});

test('a message that comes again is one mail, and is answered as the first; the key of its own goes before its Message-ID', async () => {
  const [to, other] = [project.address(), project.address()];
  const message = { to, messageId: `<again-${to}>` };
  const first = await send(message);
  expect(await Promise.all([send(message), send(message)])).toEqual([first, first]);
  expect(first.code).toBe(250);
  expect(await mailNow(to)).toHaveLength(1);
  expect(await send({ ...message, text: 'Other words' })).toEqual({
    code: 554,
    text: expect.stringMatching(/^5\.5\.0 idempotency_key_reuse: this Message-ID was used with another message/),
  });
  // RFC 5321 4.5.3.1.10: the rest of the recipients of one message come in a transaction of their own.
  expect(await send({ ...message, envelope: { from: 'x@y.example', to: [other] } })).toMatchObject({ code: 250 });
  expect(await mailNow(other)).toHaveLength(1);
  const keyed = { headers: { 'X-Idempotency-Key': `order-${to}` }, to };
  for (let times = 0; times < 2; times++) expect(await send(keyed)).toMatchObject({ code: 250 });
  expect(await mailNow(to)).toHaveLength(2);
  expect(await rowsOf(to)).toHaveLength(2);
});

test('X-Template and X-Data choose a template, whose content is sent in place of that of the message', async () => {
  const to = project.address();
  const headers = { 'X-Template': 'receipt', 'X-Data': JSON.stringify({ name: 'Ädä' }), 'List-Unsubscribe': '<https://x.example>' };
  expect(await send({ to, headers, subject: '', text: 'not this' })).toMatchObject({ code: 250 });
  expect((await rowsOf(to))[0]).toMatchObject({ template: 'receipt', status: 'sent' });
  const [raw] = await mailNow(to);
  const { text } = await PostalMime.parse(raw!.raw);
  expect(text).not.toContain('not this');
  expect(text).toContain('Ädä');
});

test('X-Type: marketing goes to subscribed contacts alone, with a link to unsubscribe', async () => {
  const [to, left] = [project.address(), project.address('left')];
  expect(await send({ to, html: '<p>News</p>', headers: { 'X-Type': 'Marketing' } })).toMatchObject({ code: 250 });
  const [raw] = await mailNow(to);
  expect(raw!.raw).toMatch(/^List-Unsubscribe-Post: /im);
  expect((await PostalMime.parse(raw!.raw)).html).toContain('Unsubscribe</a>');
  must(await project.api.post('/contacts', { email: left, status: 'unsubscribed' }), 200);
  const told = await send({ to: left, headers: { 'X-Type': 'marketing' } });
  expect(told).toEqual({ code: 550, text: expect.stringMatching(/^5\.7\.1 unsubscribed: /) });
});

test('a test key sends mails that never leave', async () => {
  const to = project.address();
  const { key } = await project.newKey(['send'], true);
  const message = { to, messageId: `<tried-${to}>` };
  expect(await send(message, key)).toMatchObject({ code: 250 });
  expect((await rowsOf(to))[0]).toMatchObject({ sandboxed: true });
  expect(await mailNow(to)).toEqual([]);
  expect(await send(message)).toMatchObject({ code: 250 });
  expect(await mailNow(to)).toHaveLength(1);
});

const REFUSED: readonly (readonly [what: string, message: SendMailOptions, code: number, text: RegExp])[] = [
  ['a sender of another domain', { from: 'ceo@bank.example' }, 550, /^5\.7\.1 invalid_from: ceo@bank\.example/],
  [
    'no sender',
    { from: '', envelope: { from: 'x@y.example', to: ['nobody@to.example'] } },
    554,
    /^5\.6\.0 invalid_request: From: required/,
  ],
  [
    'a sender without a domain',
    { from: '', headers: { From: 'Root <root>' }, envelope: { from: 'x@y.example', to: ['nobody@to.example'] } },
    554,
    /^5\.6\.0 invalid_request: From: "Root <root>" has no address with a domain/,
  ],
  [
    '21 attachments',
    { attachments: Array(21).fill({ filename: 'a.txt', content: 'a' }) },
    554,
    /^5\.6\.0 the message is refused: at most 20 attachments, and it has 21/,
  ],
  ['a brand that is none', { headers: { 'X-Brand': 'nothing' } }, 554, /^5\.6\.0 invalid_request: X-Brand: no such brand/],
  ['a type that is none', { headers: { 'X-Type': 'bulk' } }, 554, /^5\.6\.0 invalid_request: X-Type: /],
  [
    'data that is no JSON',
    { headers: { 'X-Template': 'receipt', 'X-Data': '{a}' } },
    554,
    /^5\.6\.0 invalid_request: X-Data: not a JSON object: (?!.*body)/,
  ],
  ['a template that is none', { headers: { 'X-Template': 'nothing' } }, 554, /^5\.6\.0 unknown_template: /],
  [
    'too many tags',
    { headers: { 'X-Tags': Array.from({ length: 21 }, (_, n) => n).join() } },
    554,
    /^5\.6\.0 invalid_request: X-Tags: at most 20/,
  ],
  ['a page that never ends', { html: '<p>a</p><!-- ' }, 554, /^5\.6\.0 invalid_content: html: a comment/],
  ['a text that is too long', { text: 'word '.repeat(110_000) }, 554, /^5\.6\.0 invalid_request: text: at most 500000/],
];

test.each(REFUSED)('a message with %s is refused for good, and leaves no row', async (_, message, code, text) => {
  const to = project.address();
  expect(await send({ to, ...message })).toEqual({ code, text: expect.stringMatching(text) });
  expect(await rowsOf(to)).toEqual([]);
  expect(await mailNow(to)).toEqual([]);
});

test('a suppressed recipient is refused for good, and the log says why', async () => {
  const to = project.address();
  must(await project.api.post('/suppressions', { email: to }), 201);
  expect(await send({ to })).toEqual({ code: 550, text: expect.stringMatching(/^5\.7\.1 suppressed: since /) });
  expect((await rowsOf(to))[0]).toMatchObject({ status: 'failed' });
  expect(await mailNow(to)).toEqual([]);
});

test('while the provider is away the client is told to try again, and the same message goes then', async () => {
  const to = project.address();
  const message = { to, messageId: `<later-${to}>` };
  await scriptMail(to, { rejectData: { code: 451, times: 3 } });
  expect(await send(message)).toEqual({ code: 451, text: expect.stringMatching(/^4\.4\.1 provider_unavailable: /) });
  expect(await send(message)).toMatchObject({ code: 250 });
  expect(await mailNow(to)).toHaveLength(1);
});

test('a message whose outcome is unknown is taken, and never sent again', async () => {
  const to = project.address();
  const message = { to, messageId: `<unknown-${to}>` };
  await scriptMail(to, { dropAfterData: { times: 1 } });
  for (let times = 0; times < 2; times++)
    expect(await send(message)).toEqual({ code: 250, text: expect.stringMatching(/^2\.0\.0 outcome_unknown/) });
  expect((await rowsOf(to)).map(({ error }: { error: string }) => error)).toEqual([expect.stringMatching(/^outcome_unknown/)]);
  expect(await mailNow(to)).toHaveLength(1);
});

test('nobody sends for a project but by a key of it that may', async () => {
  const [other, unverified, suspended] = await Promise.all([newProject(), newProject({ ownerVerified: false }), newProject()]);
  await row(em, sql`update projects set status = 'suspended' where id = ${suspended.id}`);
  const [revoked, reading] = [await project.newKey(['send']), await project.newKey(['sends:read'])];
  await revokeApiKey(em, revoked.id, new Date());
  const message = { to: project.address() };
  const wrong = { code: 535, text: expect.stringMatching(/^5\.7\.8 unauthorized: /) };
  expect(await send(message, other.key)).toEqual(wrong);
  expect(await send(message, project.key, other.slug)).toEqual(wrong);
  expect(await send(message, revoked.key)).toEqual(wrong);
  expect(await send(message, 'x')).toEqual(wrong);
  expect(await send(message, reading.key)).toEqual({ code: 535, text: expect.stringMatching(/forbidden: this key lacks the scope send/) });
  expect(await send(message, suspended.key, suspended.slug)).toEqual({ code: 535, text: expect.stringMatching(/project_suspended/) });
  expect(await send(message, unverified.key, unverified.slug)).toEqual({
    code: 550,
    text: expect.stringMatching(/^5\.7\.1 email_unverified/),
  });
  expect(await mailNow(message.to)).toEqual([]);
});

test('a key that is revoked ends what its login began, and each message counts for the rate of its project', async () => {
  const limited = await startSmtpHere({ RATE_LIMIT_BURST: '2', RATE_LIMIT_PER_SECOND: '0.001' });
  const { id, key } = await project.newKey(['send']);
  const dialogue = await smtpDialogue(limited.port);
  await dialogue.say('EHLO me');
  expect(await dialogue.logIn(project.slug, key)).toMatch(/^235 /);
  const to = project.address();
  const message = `From: shop@${project.domain}\r\nTo: ${to}\r\nSubject: Hello\r\n\r\nWords\r\n.`;
  const begin = async () => [await dialogue.say('MAIL FROM:<>'), await dialogue.say(`RCPT TO:<${to}>`), await dialogue.say('DATA')];
  await begin();
  expect(await dialogue.say(message)).toMatch(/^250 /);
  await begin();
  await revokeApiKey(em, id, new Date());
  expect(await dialogue.say(message)).toMatch(/^535 5\.7\.8 unauthorized: this API key was revoked/);
  expect(await dialogue.say('MAIL FROM:<>')).toMatch(/^535 5\.7\.8 /);
  expect(await sendBySmtp(limited.port, project.slug, project.key, { from: `a@${project.domain}`, to, text: 'Words' })).toEqual({
    code: 451,
    text: expect.stringMatching(/^4\.7\.1 rate_limited: too many requests; try again in/),
  });
  expect(await mailNow(to)).toHaveLength(1);
});
