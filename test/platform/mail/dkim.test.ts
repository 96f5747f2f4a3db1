import { beforeAll, describe, expect, test } from 'vitest';
import { DkimSigner } from '../../../platform/mail/dkim.ts';
import { mailLength } from '../../../platform/mail/mail-octets.ts';
import { buildMessage } from '../../../platform/mail/mime.ts';
import { mailWith, someBytes } from './attached.ts';
import { mailTo } from './mails.ts';
import { BOTH_PASS, bothKeys, type PublishedKey, publishedKey, signed, verdicts, wholeOf } from './verified.ts';

let keys: readonly PublishedKey[];
beforeAll(async () => {
  keys = await bothKeys();
});

const HEADER =
  'From: Ann <ann@example.com>\r\nTo: bob@example.org\r\nSubject: Hello\r\nDate: Fri, 02 Jan 2026 03:04:05 +0000\r\n' +
  'Message-ID: <1@example.com>\r\nList-Unsubscribe: <https://example.com/u>\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n' +
  'MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n';

/** The text of a message that the writer made, in front of and behind the empty line. */
function written(part: Parameters<typeof mailTo>[1]): readonly [string, string] {
  const message = Buffer.from(buildMessage(mailTo('bob@example.org', part)).content).toString();
  const end = message.indexOf('\r\n\r\n') + 2;
  return [message.slice(0, end), message.slice(end + 2)];
}

const long = 'Words that are many enough for several lines '.repeat(6);
const MESSAGES: Readonly<Record<string, readonly [string, string]>> = {
  'a small mail': written({}),
  'folded headers': written({
    subject: long,
    headers: { References: '<a@example.com> '.repeat(20), 'List-Unsubscribe': `<https://example.com/${'u/'.repeat(200)}>` },
  }),
  'a subject and names beyond ASCII': written({
    subject: 'Grüße 漢字 👩‍👧'.repeat(9),
    from: { email: 'ann@example.com', name: 'Änn, Bell' },
    toName: '請求書',
  }),
  'addresses beyond ASCII': written({ from: { email: 'grüße@example.com' }, replyTo: { email: 'jörg@example.com', name: 'Jörg' } }),
  'an answer with copies': written({
    replyTo: { email: 'b@example.com' },
    cc: [{ email: 'c@example.org' }, { email: 'd@example.org', name: 'D' }],
    headers: { 'In-Reply-To': '<a@b.example>' },
  }),
  '7bit, with lines of dots and white space': written({ text: 'a  b\t\tc \n .\n\n\n', html: '<p>\n.\n..\n</p>   \n\n' }),
  'quoted-printable': written({ text: 'Grüße,  Ann \n'.repeat(40), html: '<p>  Grüße\t</p>\n'.repeat(40) }),
  base64: written({ text: '漢字かな\n'.repeat(90), html: '<p>漢字かな</p>\n'.repeat(90) }),
  'an empty body': [HEADER, ''],
  'empty lines alone': [HEADER, '\r\n\r\n\r\n'],
  'blank lines at the end': [HEADER, 'Hello\r\n\r\n \r\n\t\r\n\r\n'],
  'white space at the end of lines': [HEADER, 'Hello \t\r\n  there  \r\nAnn \r\n'],
  'no line end at the end': [HEADER, 'Hello'],
  'lines that begin with a dot': [HEADER, '.\r\n..\r\n.hello\r\n\r\n.\r\n'],
  '8bit': [`${HEADER}Content-Transfer-Encoding: 8bit\r\n`, 'Grüße, 漢字\r\n'.repeat(300)],
  'headers that occur twice': [`X-A: 1\r\nReferences: <a@example.com>\r\n${HEADER}References: <b@example.com>\r\n`, 'Hello\r\n'],
  'white space of all kinds in a header': [HEADER.replace('Hello', '\t Hello \r\n\t  there\u00a0 \t'), 'Hello\r\n'],
};

describe('an independent verifier takes both signatures of', () => {
  test.each(Object.entries(MESSAGES))('%s', async (_, [header, body]) => {
    expect(await verdicts(signed(header, body, keys), keys)).toEqual(BOTH_PASS);
  });

  test('a mail with files, whatever their bytes', async () => {
    const files = [someBytes(100_000), Buffer.from('.\r\n\r\n.\r\n'.repeat(50)), Buffer.alloc(0)].map((bytes, index) => ({
      ...{ filename: `${index}.bin`, contentType: 'image/png', bytes },
      ...(index === 1 && { contentId: 'logo' }),
    }));
    const mail = mailWith(files);
    const message = (await wholeOf(mail)).toString('latin1');
    expect(message).toHaveLength(mailLength(mail, 'lines'));
    const end = message.indexOf('\r\n\r\n') + 2;
    expect(await verdicts(signed(message.slice(0, end), message.slice(end + 2), keys, 'latin1'), keys)).toEqual(BOTH_PASS);
  });
});

test.each([0, 1])('one key signs as well as two', async (index) => {
  expect(await verdicts(signed(HEADER, 'Hello\r\n', [keys[index]!]), keys)).toEqual([BOTH_PASS[index]]);
});

test('what changes on the way that the relaxed forms allow breaks nothing', async () => {
  const message = signed(HEADER, 'Hello  there\r\n', keys).toString();
  const changed = message.replace('Subject: Hello', 'SUBJECT:\r\n\t Hello ').replace('Hello  there\r\n', 'Hello \t there  \r\n\r\n\r\n');
  expect(await verdicts(`Received: from a by b\r\nX-Spam: no\r\n${changed}`, keys)).toEqual(BOTH_PASS);
});

const ALL = MESSAGES['an answer with copies'] as readonly [string, string];
const CHANGES: readonly (readonly [string, (message: string) => string])[] = [
  ['a changed body', (message) => message.replace('\r\n\r\nHello', '\r\n\r\nHullo')],
  ['a body with more behind it', (message) => `${message}more\r\n`],
  ['a body with less of it', (message) => message.slice(0, -20)],
  ...[
    'From',
    'To',
    'Cc',
    'Subject',
    'Date',
    'Message-ID',
    'Reply-To',
    'MIME-Version',
    'Content-Type',
    'List-Unsubscribe',
    'List-Unsubscribe-Post',
  ].flatMap(
    (name) =>
      [
        [`another ${name} in front`, (message) => `${name}: <https://evil.example>\r\n${message}`],
        [`another ${name} behind`, (message) => message.replace('\r\n\r\n', `\r\n${name}: <https://evil.example>\r\n\r\n`)],
        [`a changed ${name}`, (message) => message.replace(new RegExp(`^(${name}: [^\r]*)`, 'm'), '$1x')],
        [`no ${name}`, (message) => message.replace(new RegExp(`^${name}: .*\r\n(?:[ \t].*\r\n)*`, 'm'), '')],
      ] as const satisfies readonly (readonly [string, (message: string) => string])[],
  ),
  ['a changed In-Reply-To', (message) => message.replace('<a@b.example>', '<a@c.example>')],
  ['another time of signing', (message) => message.replaceAll('t=1767323045', 't=1767323046')],
];

test.each(CHANGES)('a verifier refuses a mail with %s', async (_, change) => {
  const [header, body] = ALL;
  const all = `${HEADER.slice(HEADER.indexOf('List-Unsubscribe:'), HEADER.indexOf('MIME-Version'))}${header}`;
  const message = signed(all, body, keys).toString();
  expect(await verdicts(message, keys)).toEqual(BOTH_PASS);
  const changed = change(message);
  expect(changed).not.toBe(message);
  const [rsa, ed25519] = await verdicts(changed, keys);
  expect([rsa, ed25519]).not.toContain(BOTH_PASS[0]);
  expect([rsa, ed25519]).not.toContain(BOTH_PASS[1]);
});

test('where there was none, a Reply-To, a Cc or an unsubscribe link that is added breaks both signatures', async () => {
  const message = signed(...(MESSAGES['a small mail'] as readonly [string, string]), keys).toString();
  for (const name of ['Reply-To', 'Cc', 'List-Unsubscribe', 'List-Unsubscribe-Post']) {
    expect(message).not.toMatch(new RegExp(`^${name}:`, 'm'));
    const found = await verdicts(`${name}: <https://evil.example>\r\n${message}`, keys);
    expect(found.filter((verdict) => verdict.endsWith(' pass'))).toEqual([]);
  }
});

test('the field says what was done: relaxed, the whole body, at the time of the mail, in lines of at most 78 columns', async () => {
  const domain = `${'long-name.'.repeat(5)}example`;
  const wide = await publishedKey('rsa', { domain, selector: 'a-selector-that-is-long-too-2026-01' });
  const message = signed(HEADER, 'Hello\r\n', [wide, ...keys]).toString();
  expect(await verdicts(message, [wide, ...keys])).toEqual(['rsa-sha256 pass', ...BOTH_PASS]);
  const fields = message
    .slice(0, message.indexOf('From:'))
    .split(/\r\n(?! )/)
    .slice(0, -1);
  expect(fields).toHaveLength(3);
  for (const field of fields) {
    expect(field.split('\r\n').filter((line) => line.length > 78 || /\s$/.test(line))).toEqual([]);
    expect(field.replace(/\r\n /g, ' ')).toMatch(
      /^DKIM-Signature: v=1; a=\S+-sha256; c=relaxed\/relaxed; d=\S+; s=\S+; t=1767323045; h=from:from:.+; bh=\S{44}; b=[A-Za-z0-9+/= ]+$/,
    );
  }
});

test('a key that was replaced under its selector signs as the new one', async () => {
  const signer = new DkimSigner();
  const replaced = await publishedKey('rsa', { domain: 'example.com', selector: 'rsa1' });
  for (const key of [keys[0]!, replaced, keys[0]!]) {
    const rest = `${HEADER}\r\nHello\r\n`;
    const { text, signatures } = signer.open(rest, [key], new Date());
    const message = Buffer.from(text + rest);
    signer.close(message, signatures);
    expect(await verdicts(message, [key])).toEqual(['rsa-sha256 pass']);
  }
});
