import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, describe, expect, test } from 'vitest';
import { MAX_ATTACHMENTS, MAX_MAIL_OCTETS } from '../../../domain/sends/attachments.ts';
import { hasPython, readByPostalMime, readByPython, someBytes } from '../../platform/mail/attached.ts';
import { testEnvironment } from '../../support/environment.ts';
import { upload } from '../../support/files.ts';
import { mailNow, mailTo } from '../../support/mail.ts';
import { newProject, type TestProject } from '../../support/project.ts';
import { enableTemplates, must } from '../../support/sequences.ts';

let project: TestProject;
let other: TestProject;
beforeAll(async () => {
  [project, other] = await Promise.all([newProject(), newProject()]);
  await enableTemplates(project, 'receipt');
});

const LETTER = { html: '<p>Hello <img src="cid:logo"></p>', subject: 'Yours', type: 'transactional' };
const send = (body: object, on = project) => on.api.post('/send', { ...LETTER, ...body });
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const base64 = (bytes: Buffer): string => bytes.toString('base64');
const recordOf = async (id: string) => must(await project.api.get(`/sends/${encodeURIComponent(id)}`), 200).send;
const pdf = someBytes(40_000);
const logo = someBytes(900, 7);

/** A file that a project has uploaded. */
async function uploaded(bytes: Buffer<ArrayBuffer>, filename: string, of: TestProject): Promise<string> {
  return must(await upload(of, bytes, filename), 201).id;
}

test('files arrive as they were, by content and by path, named in the row and downloaded as a file', async () => {
  const to = project.address();
  const path = await uploaded(pdf, 'Rechnung März.pdf', project);
  const attachments = [
    { path },
    { filename: 'logo.png', content: base64(logo), contentId: 'logo' },
    { path, filename: 'again.bin', contentType: 'Application/X-Own' },
    { filename: 'empty.txt', content: '' },
  ];
  const { id, warnings } = must(await send({ to, attachments }), 200);
  expect(warnings).toBeUndefined();
  const [message] = await mailTo(to);
  const files = [
    { filename: 'logo.png', contentType: 'image/png', contentId: 'logo', disposition: 'inline', sha256: sha256(logo) },
    { filename: 'Rechnung März.pdf', contentType: 'application/pdf', contentId: null, disposition: 'attachment', sha256: sha256(pdf) },
    { filename: 'again.bin', contentType: 'application/x-own', contentId: null, disposition: 'attachment', sha256: sha256(pdf) },
    { filename: 'empty.txt', contentType: 'text/plain', contentId: null, disposition: 'attachment', sha256: sha256(Buffer.alloc(0)) },
  ];
  expect(await readByPostalMime(message!.raw)).toMatchObject({ files });
  if (hasPython) expect(readByPython(message!.raw)).toMatchObject({ files, defects: [] });
  expect((await recordOf(id)).attachments).toEqual([
    { number: 0, filename: 'Rechnung März.pdf', content_type: 'application/pdf', content_id: null, size: 40_000, sha256: sha256(pdf) },
    { number: 1, filename: 'logo.png', content_type: 'image/png', content_id: 'logo', size: 900, sha256: sha256(logo) },
    { number: 2, filename: 'again.bin', content_type: 'application/x-own', content_id: null, size: 40_000, sha256: sha256(pdf) },
    { number: 3, filename: 'empty.txt', content_type: 'text/plain', content_id: null, size: 0, sha256: sha256(Buffer.alloc(0)) },
  ]);
  const at = `/sends/${encodeURIComponent(id)}/attachments`;
  const { headers, body } = await download(`${at}/0`, project.key);
  expect(sha256(body)).toBe(sha256(pdf));
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'application/pdf',
    'content-disposition': expect.stringMatching(/^attachment; .*filename\*=UTF-8''Rechnung%20M%C3%A4rz\.pdf/),
    'x-content-type-options': 'nosniff',
    'content-security-policy': expect.stringContaining('sandbox'),
  });
  expect([(await project.api.get(`${at}/4`)).status, (await project.api.get(`${at}/x`)).status]).toEqual([404, 404]);
  expect((await other.api.get(`${at}/0`)).status).toBe(404);
  const { api: sender } = await project.newKey(['send']);
  expect((await sender.get(`${at}/0`)).status).toBe(403);
});

test('a mail within a file is mailed as bytes, however it came', async () => {
  const to = project.address();
  const inner = Buffer.from('Subject: inner\r\n\r\nhello\r\n');
  const path = must(await upload(project, inner, 'inner.eml', 'message/rfc822'), 201).id;
  const attachments = [
    { path },
    ...['message/rfc822', 'multipart/mixed'].map((contentType) => ({ filename: 'a.eml', content: base64(inner), contentType })),
  ];
  const { id } = must(await send({ to, attachments, html: '<p>Hello</p>' }), 200);
  const [message] = await mailTo(to);
  const bytes = { contentType: 'application/octet-stream', disposition: 'attachment', sha256: sha256(inner) };
  expect(await readByPostalMime(message!.raw)).toMatchObject({ files: [bytes, bytes, bytes] });
  const shown = (await recordOf(id)).attachments.map((file: { content_type: string }) => file.content_type);
  expect(shown).toEqual(Array(3).fill('application/octet-stream'));
});

async function download(path: string, key: string): Promise<{ headers: Headers; body: Buffer }> {
  const response = await fetch(`${testEnvironment().apiUrl}/api/v1${path}`, { headers: { authorization: `Bearer ${key}` } });
  expect(response.status).toBe(200);
  return { headers: response.headers, body: Buffer.from(await response.arrayBuffer()) };
}

const file = (part: object) => ({ filename: 'a.txt', content: 'QUJD', ...part });
const BAD: readonly (readonly [string, unknown, Readonly<Record<string, string>>])[] = [
  ['no list', { filename: 'a' }, { attachments: 'not a list' }],
  ['too many', Array.from({ length: MAX_ATTACHMENTS + 1 }, () => 7), { attachments: `at most ${MAX_ATTACHMENTS}` }],
  ['neither content nor path', [{ filename: 'a.txt' }], { 'attachments[0].content': 'exactly one of content and path' }],
  ['both', [file({ path: uuidv7() })], { 'attachments[0].content': 'exactly one of content and path' }],
  ['content without a name', [{ content: 'QUJD' }], { 'attachments[0].filename': 'required' }],
  [
    'a file that nobody uploaded',
    [file({}), { path: uuidv7() }],
    { 'attachments[1].path': expect.stringContaining('no such file') as unknown as string },
  ],
  ['an object for content', [file({ content: { path: '/etc/passwd', size: 1, sha256: 'a' } })], { 'attachments[0].content': 'not base64' }],
  ...(
    [
      ['QUJ', ': padding with = is missing'],
      ['QUJD\n', ': line breaks and spaces are to be left out'],
      ['QU\nJD', ': line breaks and spaces are to be left out'],
      ['QU-_', ': + and / in place of the - and _ of base64url'],
      ['QR==', ''],
      ['Q===', ''],
      ['QQ==QQ==', ': padding stands at the end alone'],
      ['data:text/plain;base64,QUJD', ': only what follows the comma of a data: URL'],
    ] as const
  ).map(([content, why]) => [`"${content}" as base64`, [file({ content })], { 'attachments[0].content': `not base64${why}` }] as const),
  [
    'an address as a path',
    [{ path: 'https://example.com/a.pdf' }],
    { 'attachments[0].path': 'the id of an uploaded file, as POST /files answers it; no address is fetched, and bytes go into content' },
  ],
  ...[
    'a/b.txt',
    'a\\b.txt',
    '..',
    'a\r\nBcc: x@y.example',
    ' ',
    'a\u202Etxt.exe',
    'a\u200f.txt',
    'a\ud800.txt',
    'a\ufffd.txt',
    'x'.repeat(256),
  ].map(
    (filename) =>
      [
        `${JSON.stringify(filename.slice(0, 20))} as a name`,
        [file({ filename })],
        { 'attachments[0].filename': expect.any(String) as unknown as string },
      ] as const,
  ),
  ...['pdf', 'text/plain; charset=utf-8', 'text/plain\r\nX: y', '/'].map(
    (contentType) =>
      [
        `${JSON.stringify(contentType)} as a type`,
        [file({ contentType })],
        { 'attachments[0].contentType': expect.any(String) as unknown as string },
      ] as const,
  ),
  ...['', 'a b', '<a>', 'a\r\nb', 'é', 'x'.repeat(201)].map(
    (contentId) =>
      [
        `${JSON.stringify(contentId.slice(0, 20))} as a contentId`,
        [file({ contentId })],
        { 'attachments[0].contentId': expect.any(String) as unknown as string },
      ] as const,
  ),
  [
    'one contentId twice',
    [file({ contentId: 'a' }), file({ contentId: 'a' })],
    { 'attachments[1].contentId': 'another attachment has it already' },
  ],
];

test.each(BAD)('%s is refused and named, and nothing goes', async (_, attachments, fields) => {
  const to = project.address();
  const { status, body } = await send({ to, attachments });
  expect([status, body.code]).toEqual([422, 'invalid_request']);
  const told = Object.fromEntries(body.issues.map(({ path, message }: { path: string; message: string }) => [path, message]));
  expect(told).toMatchObject(fields);
  expect(await mailNow(to)).toEqual([]);
});

test("another project's file is as none", async () => {
  // Its bytes are the project's own as well, under another id.
  await uploaded(pdf, 'a.pdf', project);
  const path = await uploaded(pdf, 'a.pdf', other);
  const { status, body } = await send({ to: project.address(), attachments: [{ path }] });
  expect([status, body.issues[0].path]).toEqual([422, 'attachments[0].path']);
});

test('who writes a page is told what it shows and no attachment is, and which file it never shows', async () => {
  const { warnings } = must(await send({ to: project.address(), attachments: [file({ contentId: 'other' })] }), 200);
  expect(warnings).toEqual([
    { path: 'html', message: 'cid:logo is the contentId of no attachment' },
    { path: 'attachments[0].contentId', message: expect.stringContaining('shows no cid:other') },
  ]);
  const ofData = { subject: 'Hi', type: 'transactional', template: undefined, html: '<img src="{{ picture }}">' };
  const shown = await send({
    ...ofData,
    to: project.address(),
    data: { picture: 'cid:other' },
    attachments: [file({ contentId: 'other' })],
  });
  expect(must(shown, 200).warnings).toBeUndefined();
  // A text shows no file, whatever it says.
  const text = { ...ofData, html: undefined, text: 'see cid:other' };
  const unseen = must(await send({ ...text, to: project.address(), attachments: [file({ contentId: 'other' })] }), 200);
  expect(unseen.warnings).toMatchObject([{ path: 'attachments[0].contentId' }]);
});

test('blocks show a file of the mail, also one that data names', async () => {
  const to = project.address();
  const pictures = ['cid:logo', '{{ picture }}'].map((src) => ({ type: 'image', src, alt: 'Acme' }));
  const content = { blocks: [...pictures, { type: 'button', label: 'Go', url: '{{ picture }}' }] };
  const attachments = [{ filename: 'logo.png', content: base64(logo), contentId: 'logo' }];
  const call = { content, html: undefined, data: { picture: 'cid:logo' }, attachments };
  expect(must(await send({ to, ...call }), 200).warnings).toBeUndefined();
  const [message] = await mailTo(to);
  const { html } = await readByPostalMime(message!.raw);
  expect(html.match(/src="cid:logo"/g)).toHaveLength(2);
  expect(html).not.toContain('href="cid:');
});

describe('a mail of 25 MB', () => {
  /** Its base64 is as long as that of all attachments may be, with the page. */
  const most = Math.floor((MAX_MAIL_OCTETS - Buffer.byteLength(LETTER.html) - 'QUJD'.length) / 4) * 3;
  const large = someBytes(most, 3);

  test('arrives as it was, its base64 written with any escapes of JSON, in bodies of known and unknown length', async () => {
    const to = project.address();
    // As .NET and PHP write them.
    const content = base64(large).replaceAll('+', '\\u002B').replaceAll('/', '\\/');
    const text = JSON.stringify({
      ...LETTER,
      to,
      attachments: [file({ filename: 'logo.png', contentId: 'logo' }), file({ filename: 'large.bin', content: 'LARGE' })],
    });
    const { id } = must(
      await project.api.call(
        'POST',
        '/send',
        text.replace('LARGE', () => content),
      ),
      200,
    );
    const [message] = await mailTo(to);
    const { files } = await readByPostalMime(message!.raw);
    expect(files.map((found) => found.sha256)).toEqual([sha256(Buffer.from('ABC')), sha256(large)]);
    expect((await recordOf(id)).attachments[1]).toMatchObject({ size: most, sha256: sha256(large) });
    const again = project.address();
    const body = new Blob([text.replace(to, again).replace('LARGE', () => base64(large))]).stream();
    const headers = { authorization: `Bearer ${project.key}`, 'content-type': 'application/json' };
    const answer = await fetch(`${testEnvironment().apiUrl}/api/v1/send`, { method: 'POST', headers, body, duplex: 'half' } as RequestInit);
    expect(answer.status).toBe(200);
    expect((await readByPostalMime((await mailTo(again))[0]!.raw)).files.map((found) => found.sha256)).toEqual(
      files.map((found) => found.sha256),
    );
  });

  test.each([
    ['one byte more', () => [file({}), file({ content: base64(Buffer.concat([large, Buffer.alloc(1)])) })], 422, 'attachments'],
    ['a fault at its end', () => [file({}), file({ content: `${base64(large).slice(0, -4)}AA-=` })], 422, 'attachments[1].content'],
    [
      'too many files',
      () => Array.from({ length: MAX_ATTACHMENTS + 1 }, () => file({ content: base64(large.subarray(0, 300_000)) })),
      422,
      'attachments',
    ],
    ['text beyond the limit of bodies', () => [file({ content: 'QUJD', note: 'x'.repeat(6 * 1024 * 1024) })], 413, undefined],
    ['far more than a mail may have', () => [file({ content: base64(Buffer.concat([large, large])) })], 413, undefined],
  ] as const)('with %s is refused, and nothing goes', async (_, attachments, status, path) => {
    const to = project.address();
    const answer = await send({ to, attachments: attachments() });
    expect([answer.status, answer.body.issues?.[0].path]).toEqual([status, path]);
    expect(await mailNow(to)).toEqual([]);
  });

  test('is not taken by any other route', async () => {
    const mails = [{ ...LETTER, to: project.address(), attachments: [file({ content: base64(large) })] }];
    expect((await project.api.post('/send/batch', { mails })).status).toBe(413);
  });
});

test('a batch has files by path and by content; a bad one fails alone', async () => {
  const tos = [project.address(), project.address(), project.address()];
  const path = await uploaded(logo, 'logo.png', project);
  const mails = [
    { ...LETTER, to: tos[0], attachments: [{ path, contentId: 'logo' }] },
    { ...LETTER, to: tos[1], attachments: [{ path: uuidv7() }] },
    { template: 'receipt', to: tos[2], attachments: [{ path }, file({})] },
  ];
  const { results } = must(await project.api.post('/send/batch', { mails }), 200);
  expect(results).toMatchObject([
    { ok: true },
    { ok: false, code: 'invalid_request', issues: [{ path: 'attachments[0].path' }] },
    { ok: true },
  ]);
  const found = await Promise.all(tos.map(async (to) => (await mailNow(to as string)).length));
  expect(found).toEqual([1, 0, 1]);
  const { files } = await readByPostalMime((await mailNow(tos[2] as string))[0]!.raw);
  expect(files.map((one) => one.sha256)).toEqual([sha256(logo), sha256(Buffer.from('ABC'))]);
});
