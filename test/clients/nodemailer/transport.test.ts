import { Readable } from 'node:stream';
import { type EverpostInfo, type EverpostTransportOptions, everpostTransport } from '@everpost/client/nodemailer';
import nodemailer, { type SendMailOptions } from 'nodemailer';
import { beforeAll, describe, expect, test } from 'vitest';
import { testEnvironment } from '../../support/environment.ts';
import { mailCount, mailNow, mailTo } from '../../support/mail.ts';
import { newProject, type TestProject } from '../../support/project.ts';
import { readMail } from '../../support/sent-mail.ts';

let project: TestProject;
beforeAll(async () => {
  project = await newProject();
});

function mailer(options: EverpostTransportOptions = {}): ReturnType<typeof nodemailer.createTransport<EverpostInfo>> {
  return nodemailer.createTransport(everpostTransport({ apiKey: project.key, url: testEnvironment().apiUrl, ...options }));
}

const LOGO = 'R0lGODlhAQABAIAAAAAAAAAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==';

const fail = (): never => {
  throw new Error('not called');
};

describe('a mail of Nodemailer', () => {
  test('arrives as it was written: addresses, both parts, headers, attachments and images of the page', async () => {
    const [ada, grace, ida, eve] = ['ada', 'grace', 'ida', 'eve'].map((name) => project.address(name)) as [string, string, string, string];
    const info = await mailer().sendMail({
      from: `"Shop, The" <shop@${project.domain}>`,
      to: [{ name: 'Ada "A." Lovelace', address: ada }, ida],
      cc: `Grace <${grace}>`,
      bcc: eve,
      replyTo: 'Support <support@example.com>',
      subject: 'Invoice {{ number }} {% raw %}',
      html: '<p>{{ name }} {{{ x }}} {% if %} <img src="cid:logo@shop" alt=""></p>',
      text: 'Hello {{ name | upcase }} {%- comment -%}',
      attachments: [
        { filename: 'ä.txt', content: 'grüße', contentType: 'text/plain; charset=utf-8' },
        { filename: 'bytes.bin', content: Buffer.from([0, 255, 10]) },
        { filename: 'logo.gif', cid: 'logo@shop', content: LOGO, encoding: 'base64' },
      ],
      icalEvent: { method: 'REQUEST', content: 'BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nEND:VCALENDAR' },
      inReplyTo: '<one@shop.example>',
      references: ['<zero@shop.example>', '<one@shop.example>'],
      list: { help: 'help@example.com?subject=help' },
      headers: { 'X-Entity-Ref-ID': 'invoice-2207', Importance: 'high' },
    });
    expect([...info.accepted].sort()).toEqual([ada, grace, ida, eve].sort());
    expect(info.rejected).toEqual([]);
    const { send } = (await project.api.get(`/sends/${(await project.api.get('/sends')).body.sends[0].id}`)).body;
    expect([send.provider_id, send.type]).toEqual([info.messageId, 'transactional']);

    for (const address of [ada, grace, ida, eve]) await mailTo(address);
    const { mail, html } = await readMail((await mailNow(ada))[0]!.raw);
    expect(mail.subject).toBe('Invoice {{ number }} {% raw %}');
    expect(html).toContain('<p>{{ name }} {{{ x }}} {% if %} <img src="cid:logo@shop" alt=""></p>');
    expect(mail.text).toContain('Hello {{ name | upcase }} {%- comment -%}');
    expect(mail.from).toMatchObject({ name: 'Shop, The', address: `shop@${project.domain}` });
    expect(mail.to).toMatchObject([{ name: 'Ada "A." Lovelace', address: ada }]);
    expect(mail.cc).toMatchObject([{ address: ida }, { name: 'Grace', address: grace }]);
    expect(JSON.stringify(mail.headers)).not.toContain(eve);
    expect(mail.replyTo).toMatchObject([{ name: 'Support', address: 'support@example.com' }]);
    expect([mail.inReplyTo, mail.references]).toEqual(['<one@shop.example>', '<zero@shop.example> <one@shop.example>']);
    const headers = Object.fromEntries(mail.headers.map(({ key, value }) => [key, value]));
    expect(headers).toMatchObject({ 'x-entity-ref-id': 'invoice-2207', 'list-help': '<mailto:help@example.com?subject=help>' });
    expect(headers).not.toHaveProperty('importance');
    const files = new Map(mail.attachments.map(({ filename, content }) => [filename, Buffer.from(content as ArrayBuffer)]));
    expect(files.get('ä.txt')?.toString()).toBe('grüße');
    expect(files.get('bytes.bin')).toEqual(Buffer.from([0, 255, 10]));
    expect(files.get('logo.gif')?.toString('base64')).toBe(LOGO);
    expect(files.get('invite.ics')?.toString()).toContain('METHOD:REQUEST');
  });

  test('that is sent again under its Message-ID, also by another process, goes once', async () => {
    const to = project.address();
    const mail = { to, subject: 'Once', text: 'Once', messageId: `<once-${to}>`, attachments: [{ content: 'a' }] };
    const first = await mailer().sendMail(mail);
    const again = await Promise.all([mailer().sendMail(mail), mailer().sendMail(mail)]);
    expect(new Set([first, ...again].map(({ messageId }) => messageId)).size).toBe(1);
    const strange = { ...mail, messageId: `<${'ü'.repeat(300)}@${to}>` };
    await mailer().sendMail(strange);
    await mailer().sendMail(strange);
    await mailTo(to, (messages) => messages.length === 2);
    expect(await mailCount(to)).toBe(2);
    // Without one each is a mail of its own.
    const { messageId: _, ...other } = mail;
    await mailer().sendMail(other);
    await mailer().sendMail(other);
    await mailTo(to, (messages) => messages.length === 4);
  });

  test('has the fields of POST /send that Nodemailer has no word for, of the transport or its own', async () => {
    const to = project.address();
    await mailer({ tags: ['all'], metadata: { shop: 'one' } }).sendMail({ to, subject: 'Tags', text: 'x' });
    const own = { to, subject: 'Later', text: 'x', everpost: { tags: ['own'], sendAt: new Date(Date.now() + 86_400_000).toISOString() } };
    const later = await mailer({ tags: ['all'] }).sendMail(own);
    expect(later.response).toContain('scheduled for');
    const tagged = async (query: string) => (await project.api.get(`/sends?q=${encodeURIComponent(to)}&${query}`)).body.sends;
    expect(await tagged('tag=all')).toMatchObject([{ subject: 'Tags', metadata: { shop: 'one' } }]);
    expect(await tagged('status=scheduled&tag=own')).toHaveLength(1);
  });

  test('keeps the fields of the transport where its own have no value', async () => {
    const to = project.address();
    const mail = { to, subject: 'Tags', text: 'x', everpost: { tags: undefined } };
    await mailer({ tags: ['kept'] }).sendMail(mail);
    expect((await project.api.get(`/sends?q=${encodeURIComponent(to)}&tag=kept`)).body.sends).toHaveLength(1);
  });

  test('answers with the warnings of POST /send, and with none where there are none', async () => {
    const info = await mailer().sendMail({ to: project.address(), subject: 'x', html: '<img src="cid:logo" alt="">' });
    expect(info.warnings).toEqual([{ path: 'html', message: expect.stringContaining('cid:logo') }]);
    expect(await mailer().sendMail({ to: project.address(), subject: 'x', text: 'x' })).not.toHaveProperty('warnings');
  });

  test('answers with what is missing, as POST /send does', async () => {
    const client = { me: fail, send: async () => ({ ok: true as const, id: 'one', missing: ['order.total'] }) };
    const info = await mailer({ client: client as never }).sendMail({ to: project.address(), subject: 'x', text: 'x' });
    expect(info).toMatchObject({ messageId: 'one', missing: ['order.total'] });
  });

  test('may name its sender as it is from, a method that stands in the calendar, and inline images', async () => {
    const to = project.address();
    const calendar = 'BEGIN:VCALENDAR\r\nMETHOD:CANCEL\r\nEND:VCALENDAR';
    await mailer().sendMail({
      from: `Shop <shop@${project.domain}>`,
      sender: `SHOP@${project.domain}`,
      to,
      subject: 'x',
      html: '<img src="cid:logo" alt="">',
      alternatives: [{ contentType: 'text/calendar; charset=utf-8; method=CANCEL', content: Buffer.from(calendar) }],
      attachments: [
        { cid: 'logo', content: LOGO, encoding: 'base64', contentType: 'image/gif', contentDisposition: 'inline', headers: {} },
      ],
    });
    const [came] = await mailTo(to);
    const { attachments } = (await readMail(came!.raw)).mail;
    expect(attachments).toMatchObject([{ contentId: '<logo>', disposition: 'inline' }, { mimeType: 'text/calendar' }]);
  });

  test('names the copies that do not go, since their addresses are suppressed', async () => {
    const [to, cc] = [project.address(), project.address('gone')];
    await project.api.post('/suppressions', { email: cc, reason: 'manual' });
    expect(await mailer().sendMail({ to, cc, subject: 'Copies', text: 'x' })).toMatchObject({ accepted: [to], rejected: [cc] });
  });

  test.each<[string, (bytes: Uint8Array) => unknown]>([
    ['a Uint8Array', (bytes) => bytes],
    ['a view of a part of an ArrayBuffer', (bytes) => new DataView(Uint8Array.of(1, 2, ...bytes, 3).buffer, 2, bytes.length)],
    ['an ArrayBuffer', (bytes) => Uint8Array.from(bytes).buffer],
    ['a Buffer', (bytes) => Buffer.from(bytes)],
    ['a stream', (bytes) => Readable.from([Buffer.from(bytes)])],
  ])('arrives with the bytes of %s, in files and in both parts', async (_, as) => {
    const to = project.address();
    const bytes = Uint8Array.of(222, 173, 0, 190, 239);
    const written = (words: string): unknown => as(new TextEncoder().encode(words));
    const mail = {
      to,
      subject: 'Bytes',
      html: written('<p>grüße, as a page</p>'),
      text: { content: written('grüße, as text') },
      attachments: [{ filename: 'bytes.bin', content: as(bytes), encoding: 'base64' }],
      icalEvent: written('BEGIN:VCALENDAR\r\nEND:VCALENDAR'),
    };
    await mailer().sendMail(mail as SendMailOptions);
    const [came] = await mailTo(to);
    const read = await readMail(came!.raw);
    expect(read.html).toContain('<p>grüße, as a page</p>');
    expect(read.mail.text).toContain('grüße, as text');
    const files = new Map(read.mail.attachments.map(({ filename, content }) => [filename, Buffer.from(content as ArrayBuffer)]));
    expect(files.get('bytes.bin')).toEqual(Buffer.from(bytes));
    expect(files.get('invite.ics')?.toString()).toContain('BEGIN:VCALENDAR');
  });

  test('may have a file that is empty, and leaves the objects that it was written in as they are', async () => {
    const to = project.address();
    const attachments = [{ filename: 'empty.txt', content: '' }, { content: 'a' }];
    await mailer().sendMail({ to, subject: 'Empty', text: 'x', attachments });
    const [came] = await mailTo(to);
    const files = (await readMail(came!.raw)).mail.attachments.map(({ content }) => (content as ArrayBuffer).byteLength);
    expect(files).toEqual([0, 1]);
    expect(attachments).toEqual([{ filename: 'empty.txt', content: '' }, { content: 'a' }]);
  });

  test('that is empty is sent as an empty line', async () => {
    const to = project.address();
    await mailer().sendMail({ to, attachments: [{ filename: 'scan.txt', content: 'x' }] });
    const [came] = await mailTo(to);
    expect((await readMail(came!.raw)).mail).toMatchObject({ subject: '(no subject)', attachments: [{ filename: 'scan.txt' }] });
  });

  test.each([
    ['raw', { raw: 'Subject: x\r\n\r\nx' }],
    ['envelope', { envelope: { from: 'a@example.com', to: ['b@example.com'] }, to: 'c@example.com', text: 'x' }],
    ['replyTo', { to: 'c@example.com', text: 'x', replyTo: ['a@example.com', 'b@example.com'] }],
    ['x-multi', { to: 'c@example.com', text: 'x', headers: { 'X-Multi': ['a', 'b'] } }],
    ['amp', { to: 'c@example.com', text: 'x', amp: '<html amp4email></html>' }],
    ['alternatives', { to: 'c@example.com', text: 'x', alternatives: [{ contentType: 'text/x-web', content: 'x' }] }],
    ['watchHtml', { to: 'c@example.com', text: 'x', watchHtml: '<p>x</p>' }],
    ['dsn', { to: 'c@example.com', text: 'x', dsn: { id: '1', return: 'full', notify: 'success' } }],
    ['otp', { to: 'c@example.com', text: 'x', otp: { code: '123456', origin: 'https://shop.example' } }],
    ['requireTLSExtensionEnabled', { to: 'c@example.com', text: 'x', requireTLSExtensionEnabled: true }],
    ['sender', { from: 'a@example.com', sender: 'b@example.com', to: 'c@example.com', text: 'x' }],
    ['sender', { sender: 'b@example.com', to: 'c@example.com', text: 'x' }],
    [
      'attachments[0]: `headers`',
      { to: 'c@example.com', text: 'x', attachments: [{ content: 'a', headers: { 'Content-Language': 'de' } }] },
    ],
    ['attachments[0]: only an image', { to: 'c@example.com', text: 'x', attachments: [{ content: 'a', contentDisposition: 'inline' }] }],
    ['METHOD:REQUEST', { to: 'c@example.com', text: 'x', icalEvent: { method: 'request', content: 'BEGIN:VCALENDAR' } }],
    ['METHOD:CANCEL', { to: 'c@example.com', text: 'x', icalEvent: { method: 'CANCEL', content: Buffer.from('METHOD:REQUEST') } }],
    ['METHOD:REQUEST', { to: 'c@example.com', text: 'x', alternatives: [{ contentType: 'text/calendar; method=REQUEST', content: 'x' }] }],
    ['everpost: campaign is no field of it', { to: 'c@example.com', text: 'x', everpost: { tags: ['a'], campaign: 'spring' } }],
    ['headers', { to: 'c@example.com', text: 'x', headers: Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`X-${at}`, 'x'])) }],
    ['to: "not an address" is no address', { to: 'not an address', text: 'x' }],
    ['to: "nope" is no address', { to: ['nope', 'c@example.com'], text: 'x' }],
    ['cc: "boss" is no address', { to: 'c@example.com', cc: 'boss, d@example.com', text: 'x' }],
    ['bcc: "boss" is no address', { to: 'c@example.com', bcc: ['boss'], text: 'x' }],
    ['replyTo: "boss" is no address', { to: 'c@example.com', replyTo: 'boss', text: 'x' }],
    ['a recipient', { bcc: 'b@example.com', text: 'x' }],
    ['raw', { to: 'c@example.com', text: 'x', attachments: [{ raw: 'Content-Type: text/plain\r\n\r\nx' }] }],
  ])('is refused for what cannot be kept: %s', async (words, mail: object) => {
    await expect(mailer().sendMail(mail)).rejects.toThrow(words);
  });

  test.each<[string, object]>([
    ['html: give a string, bytes', { html: { type: 'Buffer', data: [60, 112, 62] } }],
    ['html: give a string, bytes', { html: new Blob(['<p>x</p>']) }],
    ['text: give a string, bytes', { text: 5 }],
    ['icalEvent: give a string, bytes', { icalEvent: { method: 'REQUEST' } }],
    ['attachments[1]: give a string, bytes', { attachments: [{ content: 'a' }, { filename: 'b.txt' }] }],
    ['attachments[0]: give a string, bytes', { attachments: [{ content: [222, 173] }] }],
    ['attachments[0]: this is no data URI', { attachments: [{ path: 'data:text/plain;base64' }] }],
  ])('is refused for content that cannot be understood: %s', async (words, mail) => {
    await expect(mailer().sendMail({ to: project.address(), subject: 'x', ...mail })).rejects.toThrow(words);
  });
});

test('a refusal is told with its code, and verify says whether the key is right', async () => {
  const to = project.address();
  await project.api.post('/suppressions', { email: to, reason: 'manual' });
  await expect(mailer().sendMail({ to, subject: 'No', text: 'x' })).rejects.toMatchObject({ code: 'send_failed', reason: 'suppressed' });
  await expect(mailer().verify()).resolves.toBe(true);
  await expect(mailer({ apiKey: 'ep_live_wrong' }).verify()).rejects.toMatchObject({ code: 'unauthorized' });
});
