import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createMailProvider } from '../../../platform/mail/create-provider.ts';
import type { MailProvider } from '../../../platform/mail/provider.ts';
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

const SCHEMES = {
  resend: { format: 'resend', url: (base: string) => `resend://re_1?baseUrl=${base}` },
  ses: { format: 'message', url: (base: string) => `ses://eu-west-1?baseUrl=${base}` },
  postmark: { format: 'postmark', url: (base: string) => `postmark://token?stream=news&baseUrl=${base}` },
  sendgrid: { format: 'sendgrid', url: (base: string) => `sendgrid://key?baseUrl=${base}` },
  mailgun: { format: 'message', url: (base: string) => `mailgun://key@mg.example.com?baseUrl=${base}` },
} as const;
type Scheme = keyof typeof SCHEMES;
const ALL = Object.keys(SCHEMES) as Scheme[];

function providerAt(scheme: Scheme, base: string): MailProvider {
  const options = { maxConnections: 1, timeoutSeconds: 30, awsCredentials: credentials };
  const provider = createMailProvider(new URL(SCHEMES[scheme].url(base)), options);
  open.push(provider);
  return provider;
}

async function api(scheme: Scheme) {
  // 202 is what SendGrid answers; it is a success to the others.
  const double = await httpDouble(() => ({ status: 202, body: '{"id":"1","MessageId":"1","MessageID":"1","ErrorCode":0}' }));
  open.push(double);
  return { double, provider: providerAt(scheme, double.url) };
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

test('Postmark gets the files of a mail as base64, by a call of its own', async () => {
  const { double, provider } = await api('postmark');
  expect((await provider.send(mailWith([invoice, logo], {}, 'postmark'), 'key')).outcome).toBe('accepted');
  const [{ path, headers, body }] = double.requests as [(typeof double.requests)[number]];
  expect(path).toBe('/email');
  expect(Number(headers['content-length'])).toBe(Buffer.byteLength(body));
  expect(JSON.parse(body)).toMatchObject({
    MessageStream: 'news',
    Subject: 'Hello',
    Attachments: [
      { Name: 'logo.png', ContentType: 'image/png', ContentID: 'cid:logo', Content: logo.bytes.toString('base64') },
      { Name: 'Rechnung März "7".pdf', ContentType: 'application/pdf', Content: invoice.bytes.toString('base64') },
    ],
  });
});

test('SendGrid gets the files of a mail as base64, those of the page inline', async () => {
  const { double, provider } = await api('sendgrid');
  expect((await provider.send(mailWith([invoice, logo], {}, 'sendgrid'), 'key')).outcome).toBe('accepted');
  const [{ headers, body }] = double.requests as [(typeof double.requests)[number]];
  expect(Number(headers['content-length'])).toBe(Buffer.byteLength(body));
  expect(JSON.parse(body).attachments).toEqual([
    { filename: 'logo.png', type: 'image/png', disposition: 'inline', content_id: 'logo', content: logo.bytes.toString('base64') },
    {
      filename: 'Rechnung März "7".pdf',
      type: 'application/pdf',
      disposition: 'attachment',
      content: invoice.bytes.toString('base64'),
    },
  ]);
});

test('Mailgun gets the message with its files', async () => {
  const { double, provider } = await api('mailgun');
  expect((await provider.send(mailWith([invoice, logo]), 'key')).outcome).toBe('accepted');
  const [{ headers, body }] = double.requests as [(typeof double.requests)[number]];
  expect(Number(headers['content-length'])).toBe(Buffer.byteLength(body));
  const message = body.slice(body.indexOf('From: '), body.lastIndexOf('\r\n--everpost-'));
  const files = [logo, invoice].map((file) => attachmentOf(file).sha256);
  expect((await readByPostalMime(message)).files.map(({ sha256 }) => sha256)).toEqual(files);
});

test.each(ALL)('a connection to %s that is cut before the end of a mail was written has surely taken nothing', async (scheme) => {
  const server = createServer((incoming) => incoming.once('data', () => incoming.socket.destroy()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push({ close: async () => void server.close() });
  const provider = providerAt(scheme, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  let submitted = 0;
  // More than any buffer on the way has room for, so that its end waits for a reader.
  const large = { ...invoice, bytes: someBytes(12_000_000) };
  const mail = mailWith([large], {}, SCHEMES[scheme].format);
  const answer = await provider.send(mail, 'key', undefined, () => ++submitted > 0);
  expect(answer.outcome).toBe('later');
  expect(submitted).toBe(0);
});

test.each(ALL)('a mail to %s that must not be submitted is not whole when its connection ends', async (scheme) => {
  const [wholes, ended] = [[] as string[], Promise.withResolvers<void>()];
  const server = createServer((incoming) => incoming.on('end', () => wholes.push(incoming.url ?? '')).resume());
  server.on('connection', (socket) => socket.once('close', ended.resolve));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push({ close: async () => void server.close() });
  const provider = providerAt(scheme, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const answer = await provider.send(mailWith([invoice], {}, SCHEMES[scheme].format), 'key', undefined, () => false);
  expect(answer.outcome).toBe('later');
  await ended.promise;
  expect(wholes).toEqual([]);
});

test.each(ALL)('a mail to %s whose end was written, and that got no answer, may have been taken', async (scheme) => {
  const double = await httpDouble(() => 'hang up');
  open.push(double);
  const provider = createMailProvider(new URL(SCHEMES[scheme].url(double.url)), {
    maxConnections: 1,
    timeoutSeconds: 1,
    awsCredentials: credentials,
  });
  open.push(provider);
  expect((await provider.send(mailWith([invoice], {}, SCHEMES[scheme].format), 'key')).outcome).toBe('unknown');
  expect(double.requests.length).toBeGreaterThan(0);
});

test.each(ALL)('a file that cannot be read to its end makes no request of a mail to %s', async (scheme) => {
  const { double, provider } = await api(scheme);
  const { format } = SCHEMES[scheme];
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
