import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { rows } from '../../../db/rows.ts';
import { MAX_IMAGE_BYTES, MAX_IMAGE_SIDE, MOST_IMAGES } from '../../../domain/files/image.ts';
import { testEnvironment } from '../../support/environment.ts';
import { upload } from '../../support/files.ts';
import { png, uploadImage } from '../../support/images.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';

let project: TestProject;

beforeAll(async () => {
  project = await newProject();
});

/** Without a key, wherever PUBLIC_URL is. */
const get = (url: string, init: RequestInit = {}): Promise<Response> => fetch(testEnvironment().apiUrl + new URL(url).pathname, init);
/** As a browser asks that has it; without the last, `fetch` says that it wants another. */
const known = (sha256: string) => ({ 'if-none-match': `"${sha256}"`, 'cache-control': 'max-age=0' });
const hex = (text: string): Buffer<ArrayBuffer> => Buffer.from(text.replaceAll(' ', ''), 'hex');

test('an uploaded image is there for everybody, under an address with its hash, to be kept for a year and shown as nothing else', async () => {
  const bytes = png(3, 5);
  const { status, body } = await uploadImage(project, bytes, 'Our "logo".png');
  expect(status).toBe(201);
  const { ok, ...image } = body;
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  expect(image).toEqual({
    ...{ id: expect.any(String), url: expect.stringMatching(new RegExp(`^https?://[^/]+/images/${image.id}/${sha256}\\.png$`)) },
    ...{ filename: 'Our "logo".png', content_type: 'image/png', width: 3, height: 5, size: bytes.length, sha256 },
    created_at: expect.any(String),
  });
  const got = await get(image.url);
  expect([got.status, Buffer.from(await got.arrayBuffer()).equals(bytes)]).toEqual([200, true]);
  expect(Object.fromEntries(got.headers)).toMatchObject({
    ...{ 'content-type': 'image/png', 'content-length': String(bytes.length), etag: `"${sha256}"` },
    ...{ 'cache-control': 'public, max-age=31536000, immutable', 'x-content-type-options': 'nosniff' },
    ...{ 'content-security-policy': "default-src 'none'; sandbox", 'cross-origin-resource-policy': 'cross-origin' },
  });
  expect((await get(image.url, { headers: known(sha256) })).status).toBe(304);
  const head = await get(image.url, { method: 'HEAD' });
  expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, String(bytes.length), '']);
  expect((await get(image.url, { method: 'POST' })).status).toBe(405);
  expect((await project.api.get('/images')).body).toEqual({ ok, images: [image], nextCursor: null });
});

test.each<[string, string, string, number, number, Buffer<ArrayBuffer>]>([
  ['a GIF', 'image/gif', 'gif', 258, 3, hex('474946383961 0201 0300 000000 3b')],
  ['a JPEG', 'image/jpeg', 'jpg', 640, 480, hex('ffd8 ffe0 0004 0000 ff ffdb 0003 00 ffc2 0011 08 01e0 0280 03 ffd9')],
  ['a lossy WebP', 'image/webp', 'webp', 550, 368, hex('52494646 00000000 57454250 56503820 00000000 300100 9d012a 2602 7001')],
  ['a lossless WebP', 'image/webp', 'webp', 386, 395, hex('52494646 00000000 57454250 5650384c 00000000 2f 81816200 00')],
  ['a WebP with alpha', 'image/webp', 'webp', 400, 301, hex('52494646 00000000 57454250 56503858 00000000 10000000 8f0100 2c0100')],
])('%s is known by its bytes, whatever its name and its type say', async (_, type, extension, width, height, bytes) => {
  const { status, body } = await uploadImage(project, bytes, 'page.html', 'text/html');
  expect(status).toBe(201);
  expect(body).toMatchObject({ content_type: type, width, height, url: expect.stringMatching(new RegExp(`\\.${extension}$`)) });
  expect((await get(body.url)).headers.get('content-type')).toBe(type);
});

test.each<[string, number, string, Buffer<ArrayBuffer>]>([
  ['SVG', 422, 'invalid_request', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
  ['HTML', 422, 'invalid_request', Buffer.from('<!doctype html><img src=x onerror=alert(1)>')],
  ['nothing', 422, 'invalid_request', Buffer.alloc(0)],
  ['a PNG that ends before its size', 422, 'invalid_request', png().subarray(0, 18)],
  ['a JPEG that never comes to its size', 422, 'invalid_request', hex('ffd8 ffe0 ffff 00')],
  ['a JPEG whose pixels come before their number', 422, 'invalid_request', hex('ffd8 ffda 0008 0000 0000 0000 0000')],
  ['a WebP of an unknown kind', 422, 'invalid_request', hex('52494646 00000000 57454250 414e494d 00000000 00000000 00000000 00000000')],
  ['no pixels', 422, 'invalid_request', png(0, 4)],
  ['a side that is too long', 422, 'invalid_request', png(MAX_IMAGE_SIDE + 1, 1)],
  ['too many pixels', 422, 'invalid_request', png(6000, 6000)],
  ['too many bytes', 413, 'payload_too_large', Buffer.concat([png(), Buffer.alloc(MAX_IMAGE_BYTES)])],
])('an image of %s is refused and leaves nothing', async (_, status, code, bytes) => {
  const of = await newProject();
  expect(await uploadImage(of, bytes)).toMatchObject({ status, body: { code } });
  expect((await of.api.get('/images')).body.images).toEqual([]);
  expect(await rows(await database(), sql`select 1 from file_contents where project_id = ${of.id}`)).toEqual([]);
});

test('the same bytes are one image with one address, uploaded at once or again under another name; of another project another', async () => {
  const [mine, other] = [await newProject(), await newProject()];
  const bytes = png(2, 2, 'same');
  const all = await Promise.all(['a.png', 'b.png', 'c.png'].map((name) => uploadImage(mine, bytes, name)));
  expect(new Set(all.map(({ status, body }) => `${status} ${body.url}`)).size).toBe(1);
  const again = await uploadImage(mine, bytes, 'd.png');
  expect(again.body).toEqual(all[0]!.body);
  const theirs = (await uploadImage(other, bytes)).body;
  expect(theirs.id).not.toBe(again.body.id);
  expect((await other.api.delete(`/images/${again.body.id}`)).status).toBe(404);
  expect((await other.api.get('/images')).body.images.map(({ id }: { id: string }) => id)).toEqual([theirs.id]);
});

test('a deleted image is gone at once, also for who has just been shown it; a file and another project keep the same bytes', async () => {
  const [mine, other] = [await newProject(), await newProject()];
  const bytes = png(2, 2, 'deleted');
  const { id, url } = (await uploadImage(mine, bytes)).body;
  const theirs = (await uploadImage(other, bytes)).body;
  const file = (await upload(mine, bytes)).body;
  expect((await get(url)).status).toBe(200);
  expect((await mine.api.delete(`/images/${id}`)).body).toEqual({ ok: true, id, deleted: true });
  const gone = await get(url, { headers: known(file.sha256) });
  expect([gone.status, gone.headers.get('cache-control')]).toEqual([404, 'no-store']);
  expect((await mine.api.delete(`/images/${id}`)).status).toBe(404);
  expect([(await get(theirs.url)).status, (await mine.api.get(`/files/${file.id}/content`)).status]).toEqual([200, 200]);
});

test('an address with another hash, another ending or a way elsewhere is no image', async () => {
  const { id, url, sha256 } = (await uploadImage(project, png(4, 4))).body;
  const file = (await upload(project, png(5, 5))).body;
  const paths = [
    ...[
      `/images/${id}/${'0'.repeat(64)}.png`,
      `/images/${id}/${sha256}.svg`,
      `/images/${id}/${sha256}.jpg`,
      `/images/${id}/${sha256}`,
      `/images/${id}/`,
      '/images/',
    ],
    ...[`/images/${file.id}/${file.sha256}.png`, `/images/..%2f..%2f${sha256}.png`],
  ];
  const answers = await Promise.all(paths.map((path) => get(new URL(path, url).href)));
  expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 404));
});

test('uploading and deleting need the scope of writing templates, and a test key does neither', async () => {
  const of = await newProject();
  const { id } = (await uploadImage(of)).body;
  const [sender, tester] = [await of.newKey(['send']), await of.newKey(['*'], true)];
  for (const { api } of [sender, tester]) {
    expect((await uploadImage({ api }, png(7, 7))).status).toBe(403);
    expect((await api.delete(`/images/${id}`)).status).toBe(403);
    expect((await api.get('/images')).body.images).toHaveLength(1);
  }
});

test('a project has at most so many images, also when the last one comes twice at once; one that is there comes again', async () => {
  const of = await newProject();
  const em = await database();
  await rows(
    em,
    sql`
      with kept as (
        insert into file_contents (id, project_id, size, sha256, kept_until, look_at, stored_at)
        select gen_random_uuid(), ${of.id}, 1, 'of ' || n, 'infinity', 'infinity', now() from generate_series(3, ${MOST_IMAGES}::int) n returning id
      )
      insert into images (id, project_id, content_id, filename, content_type, width, height)
      select gen_random_uuid(), ${of.id}, id, 'a.png', 'image/png', 1, 1 from kept`,
  );
  const there = png(2, 2, 'there');
  expect((await uploadImage(of, there)).status).toBe(201);
  const both = await Promise.all(['x', 'y'].map((more) => uploadImage(of, png(2, 2, more))));
  expect(both.map(({ status, body }) => body.code ?? status).sort()).toEqual([201, 'too_many_images']);
  expect((await uploadImage(of, there)).status).toBe(201);
});
