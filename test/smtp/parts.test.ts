import { readdir } from 'node:fs/promises';
import PostalMime from 'postal-mime';
import { beforeAll, expect, test } from 'vitest';
import { newProject, type TestProject } from '../support/project.ts';
import { startSmtpHere } from '../support/smtp-here.ts';
import type { SmtpDoor } from '../support/smtp-process.ts';
import { attached, filesOf, MIXED, part, type RawLines, sendRaw } from './raw-messages.ts';

let smtp: SmtpDoor;
let project: TestProject;

beforeAll(async () => {
  [smtp, project] = await Promise.all([startSmtpHere(), newProject()]);
});

const send = (...lines: RawLines) => sendRaw({ smtp, project }, ...lines);

const INNER = 'From: a@x.example\r\nSubject: inner\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\n\r\ntext\r\n--c--\r\n';
const INVITATION = 'BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nEND:VCALENDAR\r\n';
const QUOTED = ['Content-Transfer-Encoding: quoted-printable'];

test.each([
  ['7bit', 'text/csv; charset=us-ascii', [attached('a.csv')], 'a,b\r\n1,2\r\n', 'a,b\r\n1,2\r\n', 'text/csv; charset=us-ascii', 'a.csv'],
  [
    '8bit',
    'text/plain; charset=utf-8',
    [attached('a.txt')],
    'a\r\n\r\n-- \r\n--',
    'a\r\n\r\n-- \r\n--',
    'text/plain; charset=utf-8',
    'a.txt',
  ],
  [
    'quoted-printable',
    'text/csv; charset="iso-8859-1"',
    [...QUOTED, attached('a.csv')],
    '=E4,=\r\nb\r\n1=3D2=',
    '\xe4,b\r\n1=2',
    'text/csv; charset=iso-8859-1',
    'a.csv',
  ],
  ['an empty part', 'text/csv', [attached('a.csv')], '', '', 'text/csv', 'a.csv'],
  [
    'base64 that is padded in each line',
    'application/pdf',
    ['Content-Transfer-Encoding: base64'],
    'YQ==\r\n YmI= \r\nY2Nj',
    'abbccc',
    'application/pdf',
    'attachment-1.pdf',
  ],
  ['a mail within the mail', 'message/rfc822', [], INNER, INNER, 'application/octet-stream', 'message-1.eml'],
  [
    'an invitation',
    'text/calendar; charset=utf-8; method=REQUEST',
    [],
    INVITATION,
    INVITATION,
    'text/calendar; charset=utf-8; method=REQUEST',
    'invite.ics',
  ],
] as const)(
  'the bytes of an attachment in %s arrive as they are, with their type',
  async (_, type, head, content, bytes, arrived, name) => {
    const { told, mail } = await send('Subject: a', MIXED, '', ...part('text/plain', [], 'Words'), ...part(type, head, content), '--b--');
    expect(told).toMatchObject({ code: 250 });
    expect(filesOf(mail!)).toEqual([{ type: arrived, name, isInline: false, bytes }]);
    expect((await PostalMime.parse(mail!.raw)).text?.trim()).toBe('Words');
  },
);

test.each([
  ['by the whole of its Content-ID', 'cid:logo2', '<logo>', false],
  ['whatever the case of cid:', 'CID:Pic1', '<Pic1>', true],
  ['whatever the case of its Content-ID', 'cid:pic1', '<Pic1>', true],
  ['with its escapes', 'cid:a%2Bb', '<a+b>', true],
])('a file is shown by the page %s, whatever its disposition says', async (_, url, id, isInline) => {
  const pdf = part('application/pdf', [attached('a.pdf'), `Content-ID: ${id}`], 'x');
  const { told, mail } = await send('Subject: a', MIXED, '', ...part('text/html', [], `<img src="${url}">`), ...pdf, '--b--');
  expect(told).toMatchObject({ code: 250 });
  expect(filesOf(mail!)).toMatchObject([{ name: 'a.pdf', isInline }]);
});

test('an invitation beside a text and a page is a file of its own', async () => {
  const parts = [...part('text/plain', [], 'Words'), ...part('text/html', [], '<p>Page</p>')];
  const calendar = part('text/calendar; method=REQUEST', [], INVITATION);
  const { mail } = await send('Subject: a', 'Content-Type: multipart/alternative; boundary=b', '', ...parts, ...calendar, '--b--');
  expect(filesOf(mail!)).toEqual([{ type: 'text/calendar; method=REQUEST', name: 'invite.ics', isInline: false, bytes: INVITATION }]);
  const { text, html } = await PostalMime.parse(mail!.raw);
  expect([text?.trim(), html?.trim()]).toEqual(['Words', '<p>Page</p>']);
});

test('of two parts with one Content-ID the page shows the first, and the second is an attachment', async () => {
  const image = (content: string) => part('image/png', ['Content-ID: <a@x>'], content);
  const page = part('text/html', [], '<img src="cid:a@x">');
  const { told, mail } = await send(
    'Subject: a',
    'Content-Type: multipart/related; boundary=b',
    '',
    ...page,
    ...image('1'),
    ...image('2'),
    '--b--',
  );
  expect(told).toMatchObject({ code: 250 });
  expect(filesOf(mail!).map(({ isInline, bytes }) => [isInline, bytes])).toEqual([
    [true, '1'],
    [false, '2'],
  ]);
});

const PDF = part('application/pdf', ['Content-Transfer-Encoding: base64', attached('scan.pdf')], 'JVBERg==');

test.each([
  ['a file alone', ['Subject: Scan', MIXED, '', ...PDF, '--b--'], 'Scan', ['%PDF']],
  ['a file in the place of its text', ['Subject: Scan', ...PDF.slice(1)], 'Scan', ['%PDF']],
  ['a file beside an empty text', ['Subject: Scan', MIXED, '', ...part('text/plain', [], ''), ...PDF, '--b--'], 'Scan', ['%PDF']],
  ['no content', ['Subject: Done', '', ''], 'Done', []],
  ['no content, and headers alone', ['Subject: Done'], 'Done', []],
  ['no subject', ['', 'Words'], '(no subject)', []],
  ['an empty subject', ['Subject: ', '', 'Words'], '(no subject)', []],
])('a message with %s goes, as printers and cron write it', async (_, lines, subject, files) => {
  const { told, mail } = await send(...lines);
  expect(told).toMatchObject({ code: 250 });
  const read = await PostalMime.parse(mail!.raw);
  expect([read.subject, read.text?.trim() ?? '']).toEqual([subject, lines.includes('Words') ? 'Words' : '']);
  expect(filesOf(mail!).map(({ bytes }) => bytes)).toEqual(files);
});

const LACKS = /5\.6\.0 the message cannot be read: a part says that it is base64 and lacks characters/;

test.each([
  ['other characters', '!!!!not base64====', /5\.6\.0 the message cannot be read: a part says that it is base64 and has other characters/],
  ['an end that is cut after one character', 'AAAAA', LACKS],
  ['an end that is cut after two characters', 'aGVsbG8gd2', LACKS],
  ['an end that is cut after three characters', 'aGVsbG8gd29', LACKS],
  ['an end that is cut within its padding', 'aGVsbG8gdw=', LACKS],
  ['a line in the middle that is cut', 'aGVsbG8gdw=\r\naGVs', LACKS],
])('base64 with %s is refused, since nobody would know what it was', async (_, content, text) => {
  const bad = part('application/pdf', ['Content-Transfer-Encoding: base64'], content);
  const { told, mail } = await send('Subject: a', MIXED, '', ...PDF, ...bad, '--b--');
  expect(told).toEqual({ code: 554, text: expect.stringMatching(text) });
  expect(mail).toBeUndefined();
  expect(await readdir(smtp.spool)).toEqual([]);
});
