import PostalMime from 'postal-mime';
import { beforeAll, expect, test } from 'vitest';
import { newProject, type TestProject } from '../support/project.ts';
import { type SmtpProcess, startSmtpProcess } from '../support/smtp-process.ts';
import { filesOf, MIXED, part, type RawLines, sendRaw } from './raw-messages.ts';

let smtp: SmtpProcess;
let project: TestProject;

beforeAll(async () => {
  [smtp, project] = await Promise.all([startSmtpProcess(), newProject()]);
});

/** What the client was told, and the mail that came of it as a reader of mails sees it. */
async function send(...lines: RawLines) {
  const { told, mail } = await sendRaw({ smtp, project }, ...lines);
  return { told, mail: mail && { ...(await PostalMime.parse(mail.raw)), files: filesOf(mail) } };
}

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
