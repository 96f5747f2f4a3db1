import fc from 'fast-check';
import PostalMime from 'postal-mime';
import { expect, test } from 'vitest';
import { InvalidMail } from '../../../platform/mail/header.ts';
import type { WrittenMail } from '../../../platform/mail/mail.ts';
import { buildMessage, messageIdOf } from '../../../platform/mail/mime.ts';
import { ANY_CHARACTER } from '../../support/any-character.ts';
import { mailTo } from './mails.ts';

/** Any Unicode, with pieces that are hard for mail strewn in. */
const hardText = fc
  .array(
    fc.oneof(
      fc.string({ unit: ANY_CHARACTER, maxLength: 40 }),
      fc.string({ unit: 'grapheme', maxLength: 200 }),
      fc.constantFrom(
        '=',
        '=?utf-8?B?SGk=?=',
        '.',
        '\n.\n',
        '\r\n',
        '\r',
        '\n',
        ' ',
        '\t',
        ' \n',
        '--=_',
        'x'.repeat(1200),
        'From ',
        '👩‍👩‍👧',
        '"',
        '\\',
        ',',
      ),
    ),
    { maxLength: 12 },
  )
  .map((pieces) => pieces.join(''));

const canonicalLines = (text: string): string => text.toWellFormed().replace(/\r\n?/g, '\n');
const withoutControls = (text: string): string =>
  text
    .toWellFormed()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what a header must not hold
    .replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]+/g, ' ')
    .trim();

/** The decoded content of the part of this type, without what a parser's own taste adds to it. */
function partOf(message: string, type: string): string {
  const boundary = /boundary="([^"]+)"/.exec(message)?.[1] ?? '';
  const part = message.split(`--${boundary}`).find((candidate) => candidate.includes(`Content-Type: ${type}`)) ?? '';
  const start = part.indexOf('\r\n\r\n') + 4;
  const content = part.slice(start, part.length - 2);
  const encoding = /Content-Transfer-Encoding: (\S+)/.exec(part)?.[1];
  if (encoding === 'base64') return Buffer.from(content, 'base64').toString();
  if (encoding !== 'quoted-printable') return content;
  const octets = content
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(octets, 'latin1').toString();
}

test('a parser reads back the subject, names, addresses and both bodies that were written', async () => {
  await fc.assert(
    fc.asyncProperty(hardText, hardText, hardText, hardText, async (subject, name, html, text) => {
      const mail = mailTo('bob@example.org', {
        from: { email: 'ann@example.com', name },
        replyTo: { email: 'reply@example.com' },
        subject,
        html,
        text,
      });
      const message = buildMessage(mail).content.toString();
      const parsed = await PostalMime.parse(message);
      expect(parsed.subject ?? '').toBe(withoutControls(subject));
      expect(parsed.from).toMatchObject({ address: 'ann@example.com', name: withoutControls(name) });
      expect(parsed.to).toMatchObject([{ address: 'bob@example.org' }]);
      expect(parsed.replyTo).toMatchObject([{ address: 'reply@example.com' }]);
      expect(parsed.messageId).toBe(`<${mail.messageId}>`);
      expect(canonicalLines(partOf(message, 'text/html'))).toBe(canonicalLines(html));
      expect(canonicalLines(partOf(message, 'text/plain'))).toBe(canonicalLines(text));
    }),
    { numRuns: 300 },
  );
});

test('whatever the content, a message is ASCII lines of at most 998 octets that end in CRLF, and short where they were encoded', () => {
  fc.assert(
    fc.property(hardText, hardText, hardText, (subject, html, text) => {
      const message = buildMessage(mailTo('bob@example.org', { subject, html, text })).content.toString();
      expect(message).toMatch(/^[\t\r\n\x20-\x7e]*$/);
      expect(message.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
      const lines = message.split('\r\n');
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(998);
      if (!message.includes('7bit')) expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(200);
    }),
    { numRuns: 300 },
  );
});

test('quoted-printable and encoded header lines have at most 76 characters', () => {
  const subject = 'Grüße '.repeat(80);
  const message = buildMessage(
    mailTo('bob@example.org', { subject, html: 'Die Größe dieses Textes = 10 Zeilen '.repeat(100), text: '漢字かな'.repeat(300) }),
  ).content.toString();
  expect(message.includes('quoted-printable')).toBe(true);
  expect(message.includes('base64')).toBe(true);
  for (const line of message.split('\r\n')) expect(line.length).toBeLessThanOrEqual(76);
});

test.each([
  '\r\nBcc: eve@example.net',
  '\nBcc: eve@example.net',
  '\rBcc: eve@example.net',
  '\u0000\r\n\r\nbody',
  '\u2028Bcc: x',
  '\u0085Bcc: x',
])('a value with %j begins no header of its own', async (poison) => {
  const mail = mailTo('bob@example.org', {
    from: { email: 'ann@example.com', name: `Ann${poison}` },
    subject: `Hello${poison}`,
    headers: { 'List-Unsubscribe': `<https://example.com/u>${poison}` },
  });
  const parsed = await PostalMime.parse(buildMessage(mail).content);
  expect(parsed.bcc ?? []).toEqual([]);
  expect(parsed.headers.map(({ key }) => key).sort()).toEqual(
    ['content-type', 'date', 'from', 'list-unsubscribe', 'message-id', 'mime-version', 'subject', 'to'].sort(),
  );
});

test.each<[string, Partial<WrittenMail>]>([
  ['a recipient with a line end', { to: 'bob@example.org\r\nRCPT TO:<eve@example.net>' }],
  ['a recipient that closes the envelope', { to: 'bob@example.org> SIZE=1' }],
  ['a sender that is no address', { from: { email: 'ann' } }],
  ['a reply-to with two addresses', { replyTo: { email: 'a@example.com, b@example.com' } }],
  ['a message id with a line end', { messageId: 'x@y\r\nBcc: z' }],
  ['a header name with a colon', { headers: { 'X:Y': '1' } }],
  ['a header that every mail has', { headers: { Subject: 'other' } }],
  ['a header that would change the content', { headers: { 'Content-Type': 'text/plain' } }],
  ['a value that no line can hold', { headers: { 'List-Unsubscribe': `<https://example.com/${'x'.repeat(1000)}>` } }],
])('%s is refused', (_, part) => {
  expect(() => buildMessage(mailTo('bob@example.org', part))).toThrow(InvalidMail);
});

test('a long header value is folded at its spaces and reads the same', async () => {
  const value = Array.from({ length: 12 }, (_, i) => `<https://example.com/unsubscribe/${i}>,`).join(' ');
  const { content } = buildMessage(mailTo('bob@example.org', { headers: { 'List-Unsubscribe': value } }));
  const parsed = await PostalMime.parse(content);
  expect(parsed.headers.find(({ key }) => key === 'list-unsubscribe')?.value).toBe(value);
});

test('an internationalized domain goes out in A-labels', async () => {
  const message = buildMessage(mailTo('bob@bücher.example', { from: { email: 'ann@grüße.example', name: 'Ann' } }));
  expect(message).toMatchObject({ from: 'ann@xn--gre-6ka8l.example', to: 'bob@xn--bcher-kva.example', internationalized: false });
  expect((await PostalMime.parse(message.content)).to).toMatchObject([{ address: 'bob@xn--bcher-kva.example' }]);
  expect(messageIdOf('42', 'ann@grüße.example')).toBe('42@xn--gre-6ka8l.example');
});

test('a local part beyond ASCII makes the message an internationalized one with UTF-8 headers', async () => {
  const message = buildMessage(mailTo('jörg@example.org'));
  expect(message).toMatchObject({ to: 'jörg@example.org', internationalized: true });
  expect(message.content.toString()).toContain('To: jörg@example.org\r\n');
});

test('the date is that of the mail, in universal time', async () => {
  const { content } = buildMessage(mailTo('bob@example.org', { date: new Date('2026-03-04T05:06:07.890Z') }));
  expect(content.toString()).toContain('\r\nDate: Wed, 04 Mar 2026 05:06:07 +0000\r\n');
});
