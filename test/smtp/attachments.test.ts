import { createHash, randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { sql } from 'kysely';
import type { SendMailOptions } from 'nodemailer';
import PostalMime, { type Attachment } from 'postal-mime';
import { beforeAll, expect, test } from 'vitest';
import { row } from '../../db/rows.ts';
import { mailNow } from '../support/mail.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { must } from '../support/sequences.ts';
import { startSmtpHere } from '../support/smtp-here.ts';
import { type SmtpDoor, sendBySmtp, type Told } from '../support/smtp-process.ts';

let smtp: SmtpDoor;
let project: TestProject;

beforeAll(async () => {
  [smtp, project] = await Promise.all([startSmtpHere(), newProject()]);
});

const [PDF, LOGO] = [randomBytes(3 * 2 ** 20), randomBytes(2000)];
const INVOICE: SendMailOptions = {
  subject: 'Invoice',
  html: '<p><img src="cid:logo@shop"> Thank you.</p>',
  attachments: [
    { filename: 'Rechnung März.pdf', content: PDF, contentType: 'application/pdf' },
    { filename: 'logo.png', content: LOGO, cid: 'logo@shop' },
  ],
};

const send = (message: SendMailOptions, from: TestProject = project): Promise<Told> =>
  sendBySmtp(smtp.port, from.slug, from.key, { from: `shop@${from.domain}`, ...message });

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const shown = ({ filename, mimeType, contentId, disposition, content }: Attachment) => ({
  ...{ filename, mimeType, contentId, disposition },
  sha256: sha256(new Uint8Array(content as ArrayBuffer)),
});

test('attachments of a message are those of its mail, byte for byte, those that the page shows beside it; nothing of them is left behind', async () => {
  const [to, copy] = [project.address(), project.address()];
  const message = { ...INVOICE, to, cc: copy, messageId: `<invoice-${to}>` };
  for (let times = 0; times < 2; times++) expect(await send(message)).toMatchObject({ code: 250 });
  for (const address of [to, copy]) {
    const [mail, ...more] = await mailNow(address);
    expect(more).toEqual([]);
    const { html, attachments } = await PostalMime.parse(mail!.raw);
    expect(html?.trim()).toBe('<p><img src="cid:logo@shop"> Thank you.</p>');
    expect(attachments.map(shown)).toEqual([
      { filename: 'logo.png', mimeType: 'image/png', contentId: '<logo@shop>', disposition: 'inline', sha256: sha256(LOGO) },
      { filename: 'Rechnung März.pdf', mimeType: 'application/pdf', contentId: undefined, disposition: 'attachment', sha256: sha256(PDF) },
    ]);
  }
  const [{ id }] = must(await project.api.get(`/sends?q=${encodeURIComponent(to)}`), 200).sends;
  expect(must(await project.api.get(`/sends/${id}`), 200).send.attachments).toMatchObject([
    { filename: 'logo.png', size: LOGO.length },
    { filename: 'Rechnung März.pdf', size: PDF.length },
  ]);
  expect(await readdir(smtp.spool)).toEqual([]);
});

test('a mail that is forwarded within another arrives whole', async () => {
  const to = project.address();
  const inner = 'Subject: inner\r\nContent-Type: multipart/mixed; boundary=i\r\n\r\n--i\r\n\r\nhello\r\n--i--';
  const attachments = [{ filename: 'inner.eml', content: inner, contentType: 'message/rfc822' }];
  expect(await send({ subject: 'Fwd', text: 'Look', attachments, to })).toMatchObject({ code: 250 });
  const [mail] = await mailNow(to);
  const [found] = (await PostalMime.parse(mail!.raw)).attachments;
  expect(found).toMatchObject({ filename: 'inner.eml', mimeType: 'application/octet-stream' });
  expect(
    Buffer.from(found!.content as ArrayBuffer)
      .toString()
      .replace(/\r?\n/g, '\r\n')
      .trimEnd(),
  ).toBe(inner);
});

test('recipients whom no header names each get the attachments', async () => {
  const recipients = [project.address(), project.address()];
  const envelope = { from: 'x@y.example', to: recipients };
  expect(await send({ ...INVOICE, to: 'list@shop.example', envelope, messageId: '<invoices@x>' })).toMatchObject({ code: 250 });
  for (const address of recipients) {
    const [mail] = await mailNow(address);
    expect((await PostalMime.parse(mail!.raw)).attachments.map(({ filename }) => filename)).toEqual(['logo.png', 'Rechnung März.pdf']);
  }
});

test.each([
  ['more than 25 MB of them', { attachments: [{ filename: 'a.bin', content: Buffer.alloc(19.9 * 2 ** 20) }] }, 552, /^5\.3\.4 /],
  ['21 of them', { attachments: Array(21).fill({ filename: 'a.txt', content: 'a' }) }, 554, /at most 20 attachments/],
  [
    'a program among them',
    { attachments: [{ filename: 'invoice.exe', content: 'a' }] },
    554,
    /invalid_request: the attachment invoice\.exe: the name of a program/,
  ],
])('a message with %s is refused for good, and leaves nothing behind', async (_, message, code, text) => {
  const strict = await newProject();
  await row(await database(), sql`update projects set executables = false where id = ${strict.id}`);
  const to = strict.address();
  expect(await send({ to, subject: 'Hello', text: 'Words', ...message }, strict)).toEqual({ code, text: expect.stringMatching(text) });
  expect(await mailNow(to)).toEqual([]);
  expect(await readdir(smtp.spool)).toEqual([]);
});
