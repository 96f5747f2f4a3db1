import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createMailProvider } from '../../../platform/mail/create-provider.ts';
import { signedHeaders } from '../../../platform/sigv4.ts';
import { attachmentOf, inPieces, mailWith, readByPostalMime, someBytes, type TestFile } from './attached.ts';
import { httpDouble } from './http-doubles.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' };
const logo: TestFile = { filename: 'logo.png', contentType: 'image/png', contentId: 'logo', bytes: someBytes(2_000) };
const invoice: TestFile = { filename: 'Rechnung März "7".pdf', contentType: 'application/pdf', bytes: someBytes(300_001, 2) };

async function api(scheme: 'resend' | 'ses') {
  const double = await httpDouble(() => ({ status: 200, body: '{"id":"1","MessageId":"1"}' }));
  const address = scheme === 'resend' ? `resend://re_1?baseUrl=${double.url}` : `ses://eu-west-1?baseUrl=${double.url}`;
  const provider = createMailProvider(new URL(address), { maxConnections: 1, timeoutSeconds: 30, awsCredentials: credentials });
  open.push(double, provider);
  return { double, provider };
}

test('Resend gets the files of a mail as base64, and not more of the body than it was told', async () => {
  const { double, provider } = await api('resend');
  expect((await provider.send(mailWith([invoice, logo], {}, 'resend'), 'key')).outcome).toBe('accepted');
  const [{ headers, body }] = double.requests as [(typeof double.requests)[number]];
  expect(Number(headers['content-length'])).toBe(Buffer.byteLength(body));
  expect(JSON.parse(body)).toMatchObject({
    subject: 'Hello',
    attachments: [
      { filename: 'logo.png', content_type: 'image/png', content_id: 'logo', content: logo.bytes.toString('base64') },
      { filename: 'Rechnung März "7".pdf', content_type: 'application/pdf', content: invoice.bytes.toString('base64') },
    ],
  });
});

test('SES gets the message with its files, signed as it is', async () => {
  const { double, provider } = await api('ses');
  expect((await provider.send(mailWith([invoice, logo]), 'key')).outcome).toBe('accepted');
  const [{ headers, body }] = double.requests as [(typeof double.requests)[number]];
  const message = Buffer.from(JSON.parse(body).Content.Raw.Data, 'base64');
  const files = [logo, invoice].map((file) => attachmentOf(file).sha256);
  expect((await readByPostalMime(message)).files.map(({ sha256 }) => sha256)).toEqual(files);
  const day = String(headers['x-amz-date']);
  const at = new Date(day.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  const request = { method: 'POST', url: new URL(`${double.url}/v2/email/outbound-emails`), region: 'eu-west-1', service: 'ses' } as const;
  const bodySha256 = createHash('sha256').update(body).digest('hex');
  const signed = signedHeaders({ ...request, headers: { 'content-type': 'application/json' }, bodySha256 }, credentials, at);
  expect(headers.authorization).toBe(signed.authorization);
});

test.each(['resend', 'ses'] as const)('a file that cannot be read to its end makes no request of a mail to %s', async (scheme) => {
  const { double, provider } = await api(scheme);
  const format = scheme === 'resend' ? 'resend' : 'message';
  let submitted = 0;
  const submitting = (): boolean => ++submitted > 0;
  const send = (opened: () => Promise<AsyncIterable<Uint8Array> | undefined>) =>
    provider.send(mailWith([invoice], {}, format, opened), 'key', undefined, submitting);
  const other = Buffer.from(invoice.bytes);
  other[0]! ^= 1;
  expect(await send(async () => inPieces(invoice.bytes.subarray(1)))).toMatchObject({ outcome: 'later', isUnread: true });
  expect(await send(async () => inPieces(other))).toMatchObject({ outcome: 'later', isUnread: true });
  expect(await send(async () => undefined)).toMatchObject({ outcome: 'rejected', isAttachmentGone: true });
  expect(double.requests).toEqual([]);
  expect(submitted).toBe(0);
  expect((await send(async () => inPieces(invoice.bytes))).outcome).toBe('accepted');
  expect(submitted).toBe(1);
});

test('an answer before the end of a body is the answer, and the end is not written', async () => {
  const server = createServer((incoming, response) => {
    incoming.once('data', () => response.writeHead(413, { 'content-type': 'application/json' }).end('{"name":"validation_error"}'));
    incoming.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const provider = createMailProvider(new URL(`resend://re_1?baseUrl=http://127.0.0.1:${(server.address() as AddressInfo).port}`), {
    maxConnections: 1,
  });
  open.push({ close: async () => void server.close() }, provider);
  let [submitted, closed] = [0, false];
  async function* endless() {
    try {
      for (;;) yield someBytes(64 * 1024);
    } finally {
      closed = true;
    }
  }
  const mail = mailWith([invoice], {}, 'resend');
  const parts = mail.parts!.map((part) => ({ ...part, size: 20_000_000, open: async () => endless() }));
  const answer = await provider.send({ ...mail, parts }, 'key', undefined, () => ++submitted > 0);
  expect(answer).toMatchObject({ outcome: 'later' });
  await expect.poll(() => closed).toBe(true);
  expect(submitted).toBe(0);
});
