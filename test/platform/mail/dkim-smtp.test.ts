import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createMailProvider } from '../../../platform/mail/create-provider.ts';
import type { OutgoingMail, StreamedPart } from '../../../platform/mail/mail.ts';
import { buildMessage } from '../../../platform/mail/mime.ts';
import type { MailProvider } from '../../../platform/mail/provider.ts';
import { inPieces, mailWith, someBytes, type TestFile } from './attached.ts';
import { mailTo } from './mails.ts';
import { mailServer, type Script, type ScriptedServer, scriptedServer } from './smtp-doubles.ts';
import { BOTH_PASS, bothKeys, type PublishedKey, signed, toBeSigned, verdicts, wholeOf } from './verified.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

let keys: readonly PublishedKey[];
beforeAll(async () => {
  keys = await bothKeys();
});

function providerFor(port: number): MailProvider {
  const provider = createMailProvider(new URL(`smtp://127.0.0.1:${port}`), { maxConnections: 2 });
  open.push(provider);
  return provider;
}

async function scripted(script: Script = () => undefined): Promise<{ server: ScriptedServer; smtp: MailProvider }> {
  const server = await scriptedServer(script);
  open.push(server);
  return { server, smtp: providerFor(server.port) };
}

const file = (filename: string, length: number): TestFile => ({ filename, contentType: 'application/pdf', bytes: someBytes(length) });
const large = file('large.pdf', 300_000);

/** A mail with this file, which is opened as the test says. */
const attached = (source: StreamedPart['open']): OutgoingMail => toBeSigned(mailWith([large], {}, 'message', source), keys);

describe('what a mail server got byte for byte is what was signed', () => {
  test('of a mail whose lines begin with dots', async () => {
    const server = await mailServer();
    open.push(server);
    const { sendId, messageId, from, to, content, internationalized } = buildMessage(mailTo('bob@example.org'));
    const written = Buffer.from(content).toString();
    const end = written.indexOf('\r\n\r\n') + 2;
    const message = signed(written.slice(0, end), '\r\n.\r\n..dots\r\n.\r\n\r\n', keys);
    const mail = { sendId, messageId, from, to, internationalized, content: message };
    expect((await providerFor(server.port).send(mail, 'key')).outcome).toBe('accepted');
    expect(server.received[0]?.content).toBe(message.toString());
    expect(await verdicts(server.received[0]!.content, keys)).toEqual(BOTH_PASS);
  });

  test('of many mails with files at the same time', async () => {
    const server = await mailServer();
    open.push(server);
    const smtp = providerFor(server.port);
    const mails = Array.from({ length: 8 }, (_, index) =>
      toBeSigned(mailWith([file('a.pdf', index), file(`${index}.pdf`, 200_000 + index)]), keys),
    );
    const answers = await Promise.all(mails.map((mail) => smtp.send(mail, 'key')));
    expect(new Set(answers.map(({ outcome }) => outcome))).toEqual(new Set(['accepted']));
    const written = await Promise.all(mails.map(async (mail) => (await wholeOf(mail)).toString()));
    expect(server.received.map(({ content }) => content).toSorted()).toEqual(written.toSorted());
    for (const { content } of server.received) expect(await verdicts(content, keys)).toEqual(BOTH_PASS);
  });
});

test('a mail that the server wants later is signed as well when it is sent again', async () => {
  let asked = 0;
  const { server, smtp } = await scripted((verb) => (verb === 'DOT' && ++asked === 1 ? '451 later' : undefined));
  const mail = toBeSigned(mailWith([large]), keys);
  expect((await smtp.send(mail, 'key')).outcome).toBe('later');
  expect((await smtp.send(mail, 'key')).outcome).toBe('accepted');
  expect(await verdicts(`${server.received[0]?.content}\r\n`, keys)).toEqual(BOTH_PASS);
});

const UNREAD: readonly (readonly [string, StreamedPart['open'], object])[] = [
  ['is not kept any more', async () => undefined, { outcome: 'rejected', isAttachmentGone: true }],
  ['cannot be opened', () => Promise.reject(new Error('the store is away')), { outcome: 'later', isUnread: true }],
  ['breaks off with an error', async () => breakingOff(), { outcome: 'later', isUnread: true }],
  ['is another one', async () => inPieces(someBytes(300_000, 9)), { outcome: 'later', isUnread: true }],
];

async function* breakingOff(): AsyncGenerator<Uint8Array> {
  yield* inPieces(large.bytes.subarray(0, 200_000));
  throw new Error('the disk is gone');
}

describe.each(['signed', 'written'])('of a mail with a file that, while it is %s,', (when) => {
  test.each(UNREAD)('%s nothing is submitted, and the next mail goes', async (_, source, answer) => {
    const { server, smtp } = await scripted();
    let opened = 0;
    const isBad = (): boolean => ++opened === (when === 'signed' ? 1 : 2);
    const mail = attached(() => (isBad() ? source() : Promise.resolve(inPieces(large.bytes))));
    expect(await smtp.send(mail, 'key')).toMatchObject({ ...answer, message: expect.stringContaining('large.pdf') });
    expect(server.received).toEqual([]);
    expect((await smtp.send(mail, 'key')).outcome).toBe('accepted');
    expect(await verdicts(`${server.received[0]?.content}\r\n`, keys)).toEqual(BOTH_PASS);
  });
});

/** A file that goes on for ever; told when its first piece is read, and when it is closed. */
function endless(begun: () => void) {
  const closed = { times: 0 };
  async function* pieces(): AsyncGenerator<Uint8Array> {
    try {
      begun();
      for (;;) yield someBytes(64);
    } finally {
      closed.times++;
    }
  }
  return { closed, source: async () => pieces() };
}

test('a connection that breaks while a mail is signed: it is surely not submitted, and its file is closed', async () => {
  const { server, smtp } = await scripted();
  const { closed, source } = endless(() => server.hangUp());
  const mail = attached(source);
  expect(await smtp.send({ ...mail, parts: [{ ...mail.parts![0]!, size: 1e9 }] }, 'key')).toMatchObject({ outcome: 'later' });
  await expect.poll(() => closed.times).toBe(1);
  expect(server.received).toEqual([]);
});

test('a mail that is settled while it is signed is not touched any more: its memory may have been given back', async () => {
  const { server, smtp } = await scripted();
  const { promise: settled, resolve: release } = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  async function* slow(): AsyncGenerator<Uint8Array> {
    try {
      server.hangUp();
      await settled;
      yield* inPieces(large.bytes);
    } finally {
      ended.resolve();
    }
  }
  const mail = attached(async () => slow());
  expect(await smtp.send(mail, 'key')).toMatchObject({ outcome: 'later' });
  structuredClone(null, { transfer: [mail.content.buffer as ArrayBuffer] });
  release();
  await ended.promise;
  // What is left of it is over before the next mail, which the same thread signs, has arrived.
  expect((await smtp.send(toBeSigned(mailWith([file('b.pdf', 10)]), keys), 'key')).outcome).toBe('accepted');
  expect(server.received).toHaveLength(1);
});

test('a mail that cannot be signed goes later, and those that come then are signed', async () => {
  const { server, smtp } = await scripted();
  const { signatures, ...mail } = toBeSigned(mailWith([large]), keys);
  const each = signatures!.each.map((one) => ({ ...one, key: { ...one.key, privateKey: 'no key' } }));
  const answer = await smtp.send({ ...mail, signatures: { ...signatures!, each } }, 'key');
  expect(answer).toEqual({ outcome: 'later', isUnread: true, message: 'not submitted: it could not be signed' });
  expect((await smtp.send(toBeSigned(mailWith([large]), keys), 'key')).outcome).toBe('accepted');
  expect(server.received).toHaveLength(1);
  expect(await verdicts(`${server.received[0]?.content}\r\n`, keys)).toEqual(BOTH_PASS);
});
