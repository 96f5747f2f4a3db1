import PostalMime from 'postal-mime';
import { beforeAll, expect, test } from 'vitest';
import { newProject, type TestProject } from '../support/project.ts';
import { startSmtpHere } from '../support/smtp-here.ts';
import type { SmtpDoor } from '../support/smtp-process.ts';
import { filesOf, MIXED, part, type RawLines, sendRaw } from './raw-messages.ts';

let smtp: SmtpDoor;
let project: TestProject;

beforeAll(async () => {
  [smtp, project] = await Promise.all([startSmtpHere(), newProject()]);
});

/** What the client was told, and the mail that came of it as a reader of mails sees it. */
async function send(...lines: RawLines) {
  const { told, mail } = await sendRaw({ smtp, project }, ...lines);
  return { told, mail: mail && { ...(await PostalMime.parse(mail.raw)), files: filesOf(mail) } };
}

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');
const utf32 = (text: string): Buffer => Buffer.concat([...text].map((one) => Buffer.from([one.codePointAt(0)!, 0, 0, 0])));
/** Each octet as an escape, in lines of a fit length. */
const quoted = (bytes: Buffer): string =>
  [...bytes].map((byte, at) => `=${byte.toString(16).toUpperCase().padStart(2, '0')}${at % 20 === 19 ? '=\r\n' : ''}`).join('');

const QUOTED = 'Content-Transfer-Encoding: quoted-printable';
const BASE64 = 'Content-Transfer-Encoding: base64';

test.each([
  ['UTF-8 that is declared as us-ascii', 'us-ascii', Buffer.from('Größe 5 €'), 'Größe 5 €'],
  ['UTF-8 that is declared as nothing anybody knows', 'x-unknown', Buffer.from('Größe 5 €'), 'Größe 5 €'],
  ['ASCII that is declared as a charset nobody knows', 'cp850', Buffer.from('Size 5'), 'Size 5'],
  ['ASCII that is declared as utf-7', 'utf-7', Buffer.from('Size 5'), 'Size 5'],
  ['windows-1252 that is declared as us-ascii', 'us-ascii', latin1('Gr\xf6\xdfe 5 \x80'), 'Größe 5 €'],
  ['windows-1252 of which nothing is declared', '', latin1('Gr\xf6\xdfe 5 \x80'), 'Größe 5 €'],
  ['iso-8859-1 in a spelling of its own', 'iso8859_1', latin1('Gr\xf6\xdfe'), 'Größe'],
  ['a code page of Windows', 'cp932', Buffer.from([0x93, 0xfa, 0x96, 0x7b]), '日本'],
])('%s arrives as it was meant', async (_, charset, bytes, text) => {
  const type = `Content-Type: text/plain${charset === '' ? '' : `; charset=${charset}`}`;
  const { told, mail } = await send('Subject: a', type, QUOTED, '', quoted(bytes));
  expect(told).toMatchObject({ code: 250 });
  expect(mail!.text?.trim()).toBe(text);
});

test.each([
  ['utf-7', Buffer.from('Gr+APYA3w-e')],
  ['utf-32', utf32('Größe')],
  ['utf-32', utf32('Size')],
  ['cp850', Buffer.from([0x47, 0x72, 0x94, 0xe1, 0x65])],
  ['x-unknown', latin1('Gr\xf6\xdfe')],
  ['iso-2022-kr', Buffer.from('\x1b$)C\x0e0!\x0f')],
])('a text in a charset that nobody here can read is refused and the charset named: %s', async (charset, bytes) => {
  const { told, mail } = await send('Subject: a', MIXED, '', ...part(`text/plain; charset=${charset}`, [QUOTED], quoted(bytes)), '--b--');
  expect(told).toEqual({ code: 554, text: expect.stringMatching(`^5\\.6\\.0 the message cannot be read: .*charset ${charset}\\b.*UTF-8`) });
  expect(mail).toBeUndefined();
});

const BE = Buffer.from(utf16('\ufeffGröße\r\n')).swap16();

test.each([
  ['utf-16le in quoted-printable', 'utf-16le', QUOTED, quoted(utf16('Größe\r\n5 €'))],
  ['utf-16 in quoted-printable', 'utf-16', QUOTED, quoted(utf16('\ufeffGröße\r\n5 €'))],
  ['utf-16 in base64', 'utf-16', BASE64, utf16('\ufeffGröße\r\n5 €').toString('base64')],
  ['utf-16 with the high octets first', 'utf-16', QUOTED, quoted(Buffer.concat([BE, Buffer.from(utf16('5 €')).swap16()]))],
])('a text in %s has nothing added to its end, be it a part or the message', async (_, charset, encoding, content) => {
  const type = `text/plain; charset=${charset}`;
  const messages = [
    [MIXED, '', ...part(type, [encoding], content), '--b--'],
    [`Content-Type: ${type}`, encoding, '', content, ''],
  ];
  for (const lines of messages) {
    const { told, mail } = await send('Subject: a', ...lines);
    expect(told).toMatchObject({ code: 250 });
    expect(mail!.text?.trimEnd()).toBe('Größe\n5 €');
  }
});

test.each([
  ['raw octets that are not UTF-8, as windows-1252', latin1('Gr\xf6\xdfe 5 \x80')],
  ['raw octets in UTF-8', Buffer.from('Größe 5 €')],
  ['UTF-8 under a name that nobody knows', Buffer.from('=?x-unknown?Q?Gr=C3=B6=C3=9Fe_5?= =?x-unknown*de?Q?_=E2=82=AC?=')],
  ['a charset that is known', Buffer.from('=?iso-8859-15?Q?Gr=F6=DFe_5_=A4?=')],
])('a subject is read that has %s', async (_, subject) => {
  const { told, mail } = await send(Buffer.concat([Buffer.from('Subject: '), subject]), '', 'Words');
  expect(told).toMatchObject({ code: 250 });
  expect(mail!.subject).toBe('Größe 5 €');
});

test.each([
  ['cp850', '=?cp850?Q?Gr=94=E1e?='],
  ['utf-7', '=?UTF-7?Q?Gr+APYA3w-e?='],
])('a subject in a charset that nobody here can read is refused and the charset named: %s', async (charset, subject) => {
  const { told, mail } = await send(`Subject: ${subject}`, '', 'Words');
  expect(told).toEqual({ code: 554, text: expect.stringMatching(`^5\\.6\\.0 the message cannot be read: .*charset ${charset}\\b.*UTF-8`) });
  expect(mail).toBeUndefined();
});

test.each([
  [
    'no boundary',
    ['Content-Type: multipart/mixed', '', ...part('text/plain', [], 'Words'), '--b--'],
    /multipart\/mixed .*names no boundary/,
  ],
  [
    'an empty boundary',
    ['Content-Type: multipart/mixed; boundary=""', '', '--', '', 'Words', '----'],
    /multipart\/mixed .*names no boundary/,
  ],
  ['a boundary that never occurs', [MIXED, '', '--c', '', 'Words', '--c--'], /multipart\/mixed .*boundary "b".* no part/],
  ['a boundary, and nothing else', [MIXED], /multipart\/mixed .*boundary "b".* no part/],
  [
    'a part in it whose boundary never occurs',
    [MIXED, '', ...part('text/plain', [], 'Words'), ...part('multipart/alternative; boundary=c', [], 'x'), '--b--'],
    /multipart\/alternative .*boundary "c".* no part/,
  ],
])('a message of parts with %s is refused, since its content is not to be found', async (_, lines, why) => {
  const { told, mail } = await send('Subject: a', ...lines);
  expect(told).toEqual({ code: 554, text: expect.stringMatching(why) });
  expect(told.text).toMatch(/^5\.6\.0 the message cannot be read: /);
  expect(mail).toBeUndefined();
});

test.each([
  ['that is inline', 'text/plain', ['Content-Disposition: inline; filename=log.txt']],
  ['that its type names', 'text/plain; name=log.txt', []],
])('a text with a file name %s is a file behind the first text', async (_, type, head) => {
  const { told, mail } = await send('Subject: a', MIXED, '', ...part('text/plain', [], 'Words'), ...part(type, head, 'log\r\n'), '--b--');
  expect(told).toMatchObject({ code: 250 });
  expect(mail!.text?.trim()).toBe('Words');
  expect(mail!.files).toEqual([{ type: 'text/plain', name: 'log.txt', isInline: false, bytes: 'log\r\n' }]);
});

test('a page with a file name is a file behind the first text, and its name and bytes arrive', async () => {
  const page = part(
    'text/html; charset=cp850',
    ['Content-Disposition: inline; filename=report.html'],
    Buffer.from([0x3c, 0x70, 0x3e, 0x94]),
  );
  const { mail } = await send('Subject: a', MIXED, '', ...part('text/plain', [], 'Words'), ...page, '--b--');
  expect(mail!.text?.trim()).toBe('Words');
  expect(mail!.html).not.toContain('<p>');
  expect(mail!.files).toEqual([{ type: 'text/html; charset=cp850', name: 'report.html', isInline: false, bytes: '<p>\x94' }]);
});

test('texts with file names that are the content of the message stay that', async () => {
  const page = part('text/html; name=a.html', [], '<p>Page</p>');
  const related = part('multipart/related; boundary=c', [], '--c\r\nContent-Type: text/html; name=a.html\r\n\r\n<p>Page</p>\r\n--c--');
  for (const second of [page, related]) {
    const alternatives = [...part('text/plain; name=a.txt', [], 'Words'), ...second, '--b--'];
    const { mail } = await send('Subject: a', 'Content-Type: multipart/alternative; boundary=b', '', ...alternatives);
    expect([mail!.text?.trim(), mail!.html?.trim(), mail!.files]).toEqual(['Words', '<p>Page</p>', []]);
  }
  const alone = await send('Subject: a', 'Content-Type: text/plain; name=a.txt', '', 'Words');
  expect([alone.mail!.text?.trim(), alone.mail!.files]).toEqual(['Words', []]);
});

test('parts of a text without file names are one text', async () => {
  const { mail } = await send('Subject: a', MIXED, '', ...part('text/plain', [], 'Words'), ...part('text/plain', [], 'footer'), '--b--');
  expect(mail!.text?.trim().split(/\s+/)).toEqual(['Words', 'footer']);
  expect(mail!.files).toEqual([]);
});
