import { afterEach, expect, test } from 'vitest';
import { createMailProvider } from '../../../platform/mail/create-provider.ts';
import { mailLength } from '../../../platform/mail/mail-octets.ts';
import type { MailProvider } from '../../../platform/mail/provider.ts';
import { attachmentOf, hasPython, inPieces, mailWith, readByPostalMime, readByPython, someBytes, type TestFile } from './attached.ts';
import { finishedMailTo } from './mails.ts';
import { mailServer, type ReceivedMail, type Script, scriptedServer } from './smtp-doubles.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

function provider(port: number): MailProvider {
  const made = createMailProvider(new URL(`smtp://127.0.0.1:${port}`), { maxConnections: 1 });
  open.push(made);
  return made;
}

async function scripted(script: Script = () => undefined) {
  const server = await scriptedServer(script);
  open.push(server);
  return { server, smtp: provider(server.port) };
}

const file = (filename: string, length: number, part: Partial<TestFile> = {}): TestFile => ({
  filename,
  contentType: 'application/octet-stream',
  bytes: someBytes(length, filename.length + length),
  ...part,
});
const logo = file('logo.png', 3_000, { contentType: 'image/png', contentId: 'logo@mail' });
const html = '<p>Hello <img src="cid:logo@mail"></p>';

const MAILS: Readonly<Record<string, readonly TestFile[]>> = {
  'a file': [file('invoice.pdf', 10_000, { contentType: 'application/pdf' })],
  'an image in the page': [logo],
  'both, in any order': [file('a.bin', 57), logo, file('b.bin', 200_001)],
  'lengths around those of lines': [0, 1, 2, 3, 56, 57, 58, 113, 114, 115, 999, 1000, 1001].map((length) => file(`${length}.bin`, length)),
  'bytes that are lines with dots': [file('dots.txt', 0, { bytes: Buffer.from('.\r\n..\r\n\r\n.\r\n'.repeat(500)) })],
  'names of all kinds': [
    'Rechnung Nº 7 – März.pdf',
    'a "quoted" name;=,.pdf',
    "it's 100%.txt",
    '請求書'.repeat(40),
    `${'long '.repeat(50)}.txt`,
    '😀.png',
    'plain.txt',
  ].map((name) => file(name, 20)),
};

test.each(Object.entries(MAILS))('%s: every byte arrives, by two readers, and SIZE is what was written', async (_, files) => {
  const sizes: number[] = [];
  const { server, smtp } = await scripted((verb, line) => {
    if (verb === 'EHLO') return '250-double\r\n250-PIPELINING\r\n250 SIZE 50000000';
    if (verb === 'MAIL') sizes.push(Number(/SIZE=(\d+)/.exec(line)?.[1]));
    return undefined;
  });
  expect((await smtp.send(mailWith(files, { html }), 'key')).outcome).toBe('accepted');
  const [{ content }] = server.received as [ReceivedMail];
  const lines = content.split('\r\n');
  expect(lines.filter((line) => line.length > 200 || line.startsWith('.') || /[\r\n]|[^\x20-\x7e\t]/.test(line))).toEqual([]);
  // The double takes the line end before the dot for the dot's.
  expect(sizes).toEqual([content.length + 2]);
  const expected = files
    .map(attachmentOf)
    .map(({ filename, contentType, contentId = null, sha256 }) => ({
      ...{ filename, contentType, contentId, sha256, disposition: contentId === null ? 'attachment' : 'inline' },
    }))
    .toSorted((a, b) => Number(b.contentId !== null) - Number(a.contentId !== null));
  const message = Buffer.from(`${content}\r\n`, 'latin1');
  expect(await readByPostalMime(message)).toEqual({ text: 'Hello', html, files: expected });
  if (hasPython) expect(readByPython(message)).toEqual({ text: 'Hello', html, files: expected, defects: [] });
});

test('a mail without files is the one that it was before there were any', () => {
  const { content, ...mail } = finishedMailTo('bob@example.org');
  expect(mail).not.toHaveProperty('gaps');
  expect(Buffer.from(content).toString().replaceAll(mail.sendId, 'ID')).toBe(
    'From: Ann <ann@example.com>\r\nTo: bob@example.org\r\nSubject: Hello\r\nDate: Fri, 02 Jan 2026 03:04:05 +0000\r\nMessage-ID: <ID@example.com>\r\n' +
      'MIME-Version: 1.0\r\nContent-Type: multipart/alternative;\r\n boundary="=_ID"\r\n\r\n' +
      '--=_ID\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 7bit\r\n\r\nHello\r\n' +
      '--=_ID\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: 7bit\r\n\r\n<p>Hello</p>\r\n--=_ID--\r\n',
  );
});

const large = file('large.bin', 300_000);
const UNREAD: readonly (readonly [string, () => Promise<AsyncIterable<Uint8Array> | undefined>, object])[] = [
  ['is not kept any more', async () => undefined, { outcome: 'rejected', isAttachmentGone: true, badAddress: false }],
  ['cannot be opened', () => Promise.reject(new Error('the store is away')), { outcome: 'later', isUnread: true }],
  ['breaks off with an error', async () => failing(200_000), { outcome: 'later', isUnread: true }],
  ['is shorter than it was', async () => inPieces(large.bytes.subarray(1)), { outcome: 'later', isUnread: true }],
  ['is longer than it was', async () => inPieces(Buffer.concat([large.bytes, Buffer.of(1)])), { outcome: 'later', isUnread: true }],
  ['is another one', async () => inPieces(someBytes(300_000, 99)), { outcome: 'later', isUnread: true }],
];

async function* failing(after: number): AsyncGenerator<Uint8Array> {
  yield* inPieces(large.bytes.subarray(0, after));
  throw new Error('the disk is gone');
}

test.each(UNREAD)('of a mail with a file that %s nothing is submitted, and the next mail goes', async (_, opened, answer) => {
  const { server, smtp } = await scripted();
  const submitting = { asked: 0 };
  const ask = (): boolean => ++submitting.asked > 0;
  expect(await smtp.send(mailWith([large, file('b.bin', 10)], {}, 'message', opened), 'key', undefined, ask)).toMatchObject({
    ...answer,
    message: expect.stringContaining('large.bin'),
  });
  expect(server.received).toEqual([]);
  expect(submitting.asked).toBe(0);
  expect((await smtp.send(mailWith([large]), 'key', undefined, ask)).outcome).toBe('accepted');
  expect(server.received).toHaveLength(1);
  expect(submitting.asked).toBe(1);
});

test.each([
  ['closes the connection', 'hang up', 'later'],
  ['refuses the mail', '552 5.3.4 too big', 'rejected'],
] as const)('a server that %s in the middle of a file has not taken it, and the file is closed', async (_, reaction, outcome) => {
  const { server, smtp } = await scripted((verb) => (verb === 'BODY' ? reaction : undefined));
  const closed = { times: 0 };
  const endless = {
    async *[Symbol.asyncIterator]() {
      try {
        for (;;) yield someBytes(64 * 1024);
      } finally {
        closed.times++;
      }
    },
  };
  const huge = {
    ...mailWith([file('huge.bin', 10)]),
    parts: [{ at: 10, filename: 'huge.bin', size: 25_000_000, sha256: '', open: async () => endless }],
  };
  expect(await smtp.send(huge, 'key')).toMatchObject({ outcome });
  expect(server.received).toEqual([]);
  await expect.poll(() => closed.times).toBe(1);
});

test('a server that takes less than the mail has hears nothing of it', async () => {
  const said: string[] = [];
  const { server, smtp } = await scripted((verb, line) => {
    said.push(line.split(' ')[0]!);
    return verb === 'EHLO' ? '250-double\r\n250 SIZE 200000' : undefined;
  });
  const mail = mailWith([large]);
  expect(await smtp.send(mail, 'key')).toEqual({
    ...{ outcome: 'rejected', badAddress: false },
    message: `the mail has ${mailLength(mail, 'lines')} octets, and the mail server takes at most 200000`,
  });
  expect(said).toEqual(['', 'EHLO']);
  expect((await smtp.send(mailWith([logo]), 'key')).outcome).toBe('accepted');
  expect(server.received).toHaveLength(1);
});

test('many mails with and without files over few connections: each arrives once and whole', async () => {
  const server = await mailServer();
  open.push(server);
  const smtp = createMailProvider(new URL(`smtp://127.0.0.1:${server.port}`), { maxConnections: 3 });
  open.push(smtp);
  const mails = Array.from({ length: 60 }, (_, index) =>
    index % 3 === 0 ? mailWith([file(`${index}.bin`, 90_000)]) : finishedMailTo('bob@example.org'),
  );
  const answers = await Promise.all(mails.map((mail) => smtp.send(mail, 'key')));
  expect(new Set(answers.map(({ outcome }) => outcome))).toEqual(new Set(['accepted']));
  const ids = server.received.map(({ content }) => /Message-ID: <(.*)>/.exec(content)?.[1]);
  expect(ids.toSorted()).toEqual(mails.map(({ messageId }) => messageId).toSorted());
  const found = await Promise.all(server.received.map(({ content }) => readByPostalMime(content)));
  const files = found.flatMap((mail) => mail.files.map(({ filename, sha256 }) => [filename, sha256])).toSorted();
  expect(files).toEqual(
    Array.from({ length: 20 }, (_, index) => [`${index * 3}.bin`, attachmentOf(file(`${index * 3}.bin`, 90_000)).sha256]).toSorted(),
  );
});
