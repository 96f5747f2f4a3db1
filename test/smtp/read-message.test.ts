import { mkdtemp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createLogger } from '../../platform/logger.ts';
import { createMessageReader } from '../../smtp/message-reader.ts';
import { openMessage } from '../../smtp/message-source.ts';
import { readMessage, UnreadableMessage } from '../../smtp/read-message.ts';
import { testEnvironment } from '../support/environment.ts';

const message = (...lines: readonly string[]): Uint8Array => Buffer.from(`${lines.join('\r\n')}\r\n`);
const whole = (...lines: readonly string[]) => readMessage(openMessage({ bytes: message(...lines) }), ['ann@x.example', 'bob@x.example']);
const read = async (...lines: readonly string[]) => (await whole(...lines)).message;

test('names and subjects are decoded, lists and groups are read, and each of the envelope is named once', async () => {
  const { from, named, replyTo, subject, messageId } = await read(
    'From: =?utf-8?Q?K=C3=B6ln?= <Shop@X.Example>, other@x.example',
    'To: Friends: "Bell, Ann" <ANN@x.example>, elsewhere@x.example;, not an address',
    'Cc: ann@x.example,',
    ' =?utf-8?B?QsO2Yg==?= <bob@x.example>',
    'Reply-To: =?utf-8?Q?a=0D=0Ab?= <desk@x.example>',
    'Subject: =?utf-8?Q?=C3=A4=0Ab?=',
    'Message-ID:  <1@x>',
    '',
    'text',
  );
  expect(from).toEqual({ email: 'shop@x.example', name: 'Köln' });
  expect(named).toEqual(['"Bell, Ann" <ann@x.example>', '"Böb" <bob@x.example>']);
  expect(replyTo).toBe('"a b" <desk@x.example>');
  expect(subject).toBe('ä b');
  expect(messageId).toBe('<1@x>');
});

test('headers that a call may set are kept, the first of each name; orders and all others are not', async () => {
  const lines = ['X-Shop: one', 'X-Shop: two', 'x-mailgun-tag: a', 'Received: by a', 'References: <1@x>', 'List-Id: <a.x>', 'X-Tags: a'];
  expect((await read(...lines, '', 'text')).headers).toEqual({ 'X-Shop': 'one', References: '<1@x>', 'List-Id': '<a.x>' });
  for (const order of ['X-Type: marketing', 'X-Template: any'])
    expect((await read(order, ...lines, '', 'text')).headers).toEqual({ 'X-Shop': 'one', References: '<1@x>' });
  const many = Array.from({ length: 30 }, (_, n) => `X-Number-${n}: ${n}`);
  expect(Object.keys((await read(...many, '', 'text')).headers)).toHaveLength(20);
});

test('parts that are shown are text, in any charset; everything else is an attachment, and is shown by its id where the page does so', async () => {
  const part = (type: string, ...lines: string[]) => ['--b', `Content-Type: ${type}`, ...lines];
  const { message: found, parts } = await whole(
    'Content-Type: multipart/mixed; boundary=b',
    '',
    ...part('text/plain; charset=iso-8859-1', 'Content-Transfer-Encoding: quoted-printable', '', '=E4 {{ a }}\u0007'),
    ...part('text/html', '', '<img src="cid:logo@x"><img src="cid:other">'),
    ...part('text/plain', 'Content-Disposition: attachment; filename="C:\\\\dir\\\\a\u202e.txt"', '', 'attached'),
    ...part('message/rfc822', '', 'Subject: inner', '', 'inner'),
    ...part('image/png; name="=?utf-8?Q?l=C3=B6go=2Epng?="', 'Content-ID: <logo@x>', 'Content-Transfer-Encoding: base64', '', 'AAEC'),
    ...part('image/png', 'Content-ID: <shown-nowhere>', '', 'x'),
    ...part('nonsense', 'Content-Disposition: attachment; filename=" "', '', 'x'),
    '--b--',
  );
  expect(found.text).toContain('ä {{ a }}');
  expect(found.text).not.toContain('\u0007');
  expect(parts.map(({ pieces: _, ...part }) => part)).toEqual([
    { filename: 'a_.txt', contentType: 'text/plain' },
    { filename: 'message-2.eml', contentType: 'message/rfc822' },
    { filename: 'lögo.png', contentType: 'image/png', contentId: 'logo@x' },
    { filename: 'attachment-4.png', contentType: 'image/png' },
    { filename: 'attachment-5', contentType: 'application/octet-stream' },
  ]);
  expect(Buffer.concat([...(parts[2]?.pieces() ?? [])])).toEqual(Buffer.from([0, 1, 2]));
});

/** Parts within parts. */
const nested = (depth: number): string[] => [
  'Content-Type: multipart/mixed; boundary=b0',
  '',
  ...Array.from({ length: depth }, (_, n) => [`--b${n}`, `Content-Type: multipart/mixed; boundary=b${n + 1}`, '']).flat(),
];

test.each([
  ['parts nested too deeply', nested(21)],
  [
    'more attachments than a mail may have',
    ['Content-Type: multipart/mixed; boundary=b', '', ...Array(21).fill('--b\r\nContent-Type: a/b\r\n\r\nx')],
  ],
  ['more headers than anybody has', Array.from({ length: 3000 }, (_, n) => `X-${n}: ${'x'.repeat(90)}`)],
])('a message with %s cannot be read', async (_, lines) => {
  await expect(read(...lines)).rejects.toThrow(UnreadableMessage);
});

describe('a thread', () => {
  test('reads a message of 26 MB of any kind within its bounds, or says that it cannot, and reads on', async () => {
    const folder = await mkdtemp(join(testEnvironment().scratchDir, 'parts-'));
    const reader = createMessageReader({ log: createLogger('silent', {}), folder });
    const size = 26 * 2 ** 20;
    const fill = (head: string, unit: string): Uint8Array => Buffer.from(head + unit.repeat(Math.ceil((size - head.length) / unit.length)));
    const base64 = `${'QUJD'.repeat(19)}\r\n`;
    const messages = [
      fill('Content-Type: application/pdf\r\nContent-Transfer-Encoding: base64\r\n\r\n', base64),
      fill('Content-Type: text/csv\r\n\r\n', 'a\r\n'),
      fill('Subject: a\r\n\r\n', 'words words words\r\n'),
      fill('Content-Type: multipart/mixed; boundary=b\r\n\r\n', '--b\r\n\r\n'),
      fill('Content-Type: text/html\r\n\r\n', '<'),
      fill('Content-Transfer-Encoding: quoted-printable\r\n\r\n', '=3D'),
      fill('To: ', 'a@b.example,'),
      fill('Subject: ', '=?utf-8?Q?a?= '),
    ];
    const outcomes: string[] = [];
    for (const bytes of messages) {
      const content = { bytes, size: bytes.length, [Symbol.asyncDispose]: async () => {} };
      const outcome = await reader.read(content, ['ann@x.example'], 'p');
      outcomes.push('message' in outcome ? 'read' : outcome.unreadable);
    }
    expect(outcomes.slice(0, 3)).toEqual(['read', 'read', 'read']);
    expect(
      outcomes.filter((outcome) => !/^read$|too (large|slow)|Maximum|header|at most (1000 parts|20 attachments)/i.test(outcome)),
    ).toEqual([]);
    const small = message('To: ann@x.example', '', 'text');
    const content = { bytes: small, size: small.length, [Symbol.asyncDispose]: async () => {} };
    expect(await reader.read(content, ['ann@x.example'], 'p')).toMatchObject({ message: { named: ['ann@x.example'] } });
    // The large ones, for whoever asked to remove.
    expect(await readdir(folder)).toHaveLength(2);
    await reader.close();
  });
});
