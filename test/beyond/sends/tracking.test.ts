import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { setBrand } from '../../../db/queries/projects/brands.ts';
import { row, rows } from '../../../db/rows.ts';
import { testEnvironment } from '../../support/environment.ts';
import { eventually } from '../../support/eventually.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { type SentMail, sendMail } from '../../support/sent-mail.ts';
import { listenForEvents, ofType } from '../../support/webhook-events.ts';

const PERSON = { 'user-agent': 'Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) AppleWebKit/605.1.15 (KHTML, like Gecko)' };
const TARGET = 'https://shop.example/sale?a=1&b=%C3%A4#top';
const BLOCKS = [
  { type: 'text', text: '[Sale](https://shop.example/sale?a=1&b=%C3%A4#top), [write to us](mailto:shop@shop.example)' },
  { type: 'button', label: 'Look', url: 'https://shop.example/look' },
  { type: 'text', text: '[Leave]({{ unsubscribeUrl }})' },
];

let project: TestProject;
beforeAll(async () => {
  project = await newProject();
});

const local = (url: string) => testEnvironment().apiUrl + new URL(url).pathname;
const hit = (url: string, init: RequestInit = {}) => fetch(local(url), { redirect: 'manual', headers: PERSON, ...init });
const sent = () => sendMail(project, { blocks: BLOCKS });
const logOf = async ({ to }: SentMail, of = project) => (await of.api.get(`/sends?q=${encodeURIComponent(to)}`)).body.sends[0];
/** A tracked link by its order in the mail. */
const tracked = ({ links }: SentMail) => links.filter((link) => new URL(link).pathname.startsWith('/t/c/'));
/** As if the mail had gone out a minute ago: nobody clicks within two seconds. */
const aMinuteLater = async ({ to }: SentMail) =>
  rows(await database(), sql`update sends set closed_at = closed_at - interval '1 minute' where to_email = ${to}`);
/** Give or take a second, in which the next call is made. */
const submittedNow = async ({ to }: SentMail) =>
  rows(await database(), sql`update sends set closed_at = now() + interval '1 second' where to_email = ${to}`);
const hitsOf = async ({ to }: SentMail) =>
  row(
    await database(),
    sql<{ people: number; bots: number }>`
      select coalesce(sum(h.count) filter (where not is_bot), 0) as people, coalesce(sum(h.count) filter (where is_bot), 0) as bots
      from send_hits h join sends s on s.id = h.send_id where s.to_email = ${to}`,
  );

describe('a marketing mail', () => {
  test('leads links through /t and has a pixel; mailto, the unsubscribe link and the text part stay', async () => {
    const mail = await sent();
    expect(tracked(mail).length).toBeGreaterThanOrEqual(2);
    expect(mail.pixel).toBeDefined();
    expect(mail.links).toContain('mailto:shop@shop.example');
    const unsubscribes = mail.links.filter((link) => link.includes('/unsubscribe?'));
    expect(unsubscribes.length).toBeGreaterThanOrEqual(2);
    expect(new Set(unsubscribes)).toEqual(new Set([mail.unsubscribe]));
    expect(mail.links.some((link) => link.startsWith('https://shop.example'))).toBe(false);
    expect(mail.mail.text).toContain('https://shop.example/look');
    expect(mail.mail.text).not.toContain('/t/c/');
  });

  test('a click leads on to the very target, by 302, and is counted', async () => {
    const mail = await sent();
    await aMinuteLater(mail);
    const response = await hit(tracked(mail)[0]!);
    expect([response.status, response.headers.get('location')]).toEqual([302, TARGET]);
    expect(response.headers.get('cache-control')).toBe('no-store');
    await hit(tracked(mail)[0]!);
    const log = await eventually(async () => {
      const found = await logOf(mail);
      return found.click_count === 2 && found;
    });
    expect(log).toMatchObject({ open_count: 0, first_opened_at: null });
    expect(Date.parse(log.first_clicked_at)).toBeLessThanOrEqual(Date.parse(log.last_event_at));
  });

  test('an open is a tiny image and is counted, also right after the submission', async () => {
    const mail = await sent();
    const response = await hit(mail.pixel!);
    expect([response.status, response.headers.get('content-type'), response.headers.get('cache-control')]).toEqual([
      200,
      'image/gif',
      'no-store',
    ]);
    expect((await response.arrayBuffer()).byteLength).toBeLessThan(100);
    await eventually(async () => (await logOf(mail)).open_count === 1);
    expect(await logOf(mail)).toMatchObject({ first_opened_at: expect.any(String), click_count: 0 });
  });

  test('twenty opens and clicks at once are twenty, and one event of each', async () => {
    const own = await newProject();
    const events = await listenForEvents(own);
    const mail = await sendMail(own, { blocks: BLOCKS });
    await aMinuteLater(mail);
    const [first, second] = tracked(mail) as [string, string];
    await Promise.all(Array.from({ length: 20 }, (_, i) => [hit(mail.pixel!), hit(i % 2 ? first : second)]).flat());
    await eventually(async () => {
      const { open_count, click_count } = await logOf(mail, own);
      return open_count === 20 && click_count === 20;
    });
    const told = await events();
    expect(ofType(told, 'email.opened')).toHaveLength(1);
    expect(
      ofType(told, 'email.clicked')
        .map(({ data }) => (data as { url: string }).url)
        .sort(),
    ).toEqual(['https://shop.example/look', TARGET]);
    expect(ofType(told, 'email.sent').map(({ data }) => data)).toEqual([
      expect.objectContaining({
        provider_id: mail.providerId,
        email: mail.to,
        template: 'newsletter',
        type: 'marketing',
        source_type: 'api',
      }),
    ]);
  });
});

test('while the rows of mails are locked their links lead on, and take two connections of the API', async () => {
  const own = await newProject();
  const mails: SentMail[] = [];
  for (let n = 0; n < 12; n++) mails.push(await sendMail(own, { blocks: BLOCKS }));
  const addresses = mails.map(({ to }) => to);
  const waiting = () =>
    row(
      em,
      sql<{ count: number }>`
        select count(*) as count from pg_stat_activity
        where application_name = 'everpost-api' and datname = current_database() and wait_event_type = 'Lock'
          and query like '%click_count%for no key update%'`,
    );
  const em = await database();
  await em.fork().transactional(async (tx) => {
    await rows(tx, sql`select 1 from sends where to_email = any(${addresses}::text[]) for update`);
    const answers: Promise<Response>[] = [];
    // One after the other, so that each finds what is under way before it.
    for (const [index, mail] of mails.entries()) {
      answers.push(hit(mail.pixel!), hit(tracked(mail)[0]!));
      if (index < 2) await eventually(async () => (await waiting())!.count >= index + 1);
    }
    for (const { status } of await Promise.all(answers)) expect([200, 302]).toContain(status);
    expect((await waiting())!.count).toBe(2);
    expect((await own.api.post('/contacts', { email: own.address() })).status).toBe(200);
  });
  for (const mail of mails) await eventually(async () => (await logOf(mail, own)).open_count === 1);
});

describe('bot hits are recorded and count nowhere', () => {
  /** Once they are counted, which a hit does not wait for longer than a moment. */
  const countedAsBots = (mail: SentMail, bots: number) =>
    eventually(async () => isDeepStrictEqual(await hitsOf(mail), { people: 0, bots }));

  test('a click within two seconds of the submission', async () => {
    const mail = await sent();
    await submittedNow(mail);
    expect((await hit(tracked(mail)[0]!)).status).toBe(302);
    await countedAsBots(mail, 1);
    expect(await logOf(mail)).toMatchObject({ click_count: 0, first_clicked_at: null, last_event_at: null });
  });

  test('HEAD', async () => {
    const mail = await sent();
    await aMinuteLater(mail);
    const response = await hit(tracked(mail)[0]!, { method: 'HEAD' });
    expect([response.status, response.headers.get('location')]).toEqual([302, TARGET]);
    expect((await hit(mail.pixel!, { method: 'HEAD' })).status).toBe(200);
    await countedAsBots(mail, 2);
    expect(await logOf(mail)).toMatchObject({ click_count: 0, open_count: 0 });
  });

  test.each([
    'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0) BingPreview/1.0b',
    'Barracuda Sentinel (EE)',
    'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
    'facebookexternalhit/1.1',
    'Microsoft Office Existence Discovery',
    'Mozilla/4.0 (compatible; ms-office; MSOffice 16)',
  ])('the scanner %s', async (userAgent) => {
    const mail = await sent();
    await aMinuteLater(mail);
    await hit(tracked(mail)[0]!, { headers: { 'user-agent': userAgent } });
    await hit(mail.pixel!, { headers: { 'user-agent': userAgent } });
    await countedAsBots(mail, 2);
    expect(await logOf(mail)).toMatchObject({ click_count: 0, open_count: 0 });
  });

  test("but a mailbox provider's image proxy is the person who opens the mail", async () => {
    const mail = await sent();
    const proxy = 'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)';
    await hit(mail.pixel!, { headers: { 'user-agent': proxy } });
    await eventually(async () => (await logOf(mail)).open_count === 1);
  });
});

describe('no open redirect', () => {
  test('a link that anything was changed in gets a 400 page and counts nowhere', async () => {
    const mail = await sent();
    await aMinuteLater(mail);
    const { pathname } = new URL(tracked(mail)[0]!);
    const elsewhere = `${pathname.slice(0, pathname.lastIndexOf('/') + 1)}${Buffer.from('https://evil.example/').toString('base64url')}`;
    const other = new URL(tracked(await sent())[0]!).pathname.split('/')[3]!;
    const swapped = pathname.replace(
      /(?<=\/t\/c\/)[^/]+/,
      other.split('.')[0]! + pathname.slice(pathname.indexOf('.'), pathname.lastIndexOf('/')),
    );
    for (const path of [
      elsewhere,
      swapped,
      pathname.slice(0, -1),
      `${pathname}/x`,
      pathname.replace('/c/', '/o/'),
      '/t/',
      '/t/c/x',
      '/t/c/%00',
    ]) {
      const response = await fetch(testEnvironment().apiUrl + path, { redirect: 'manual', headers: PERSON });
      expect([path, response.status, response.headers.get('location')]).toEqual([path, 400, null]);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    }
    expect(await logOf(mail)).toMatchObject({ click_count: 0 });
  });

  test('no made-up address leads anywhere', async () => {
    const { pathname } = new URL(tracked(await sent())[0]!);
    const changed = fc
      .tuple(fc.integer({ min: 5, max: pathname.length - 2 }), fc.constantFrom(...'ABCDEFabcdef0123456789-_./'))
      .map(([at, char]) => pathname.slice(0, at) + char + pathname.slice(at + 1));
    await fc.assert(
      fc.asyncProperty(changed, async (path) => {
        fc.pre(path !== pathname);
        const response = await fetch(testEnvironment().apiUrl + path, { redirect: 'manual', headers: PERSON });
        expect(response.status).toBe(400);
      }),
      { numRuns: 150 },
    );
  });

  test('only GET and HEAD are possible', async () => {
    const response = await hit((await sent()).pixel!, { method: 'POST' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});

test('transactional mail is tracked only when its brand asks', async () => {
  const own = await newProject();
  const blocks = [{ type: 'text', text: '[Your account](https://shop.example/account)' }];
  const plain = await sendMail(own, { template: 'receipt', blocks });
  expect([tracked(plain), plain.pixel]).toEqual([[], undefined]);
  expect(plain.links).toContain('https://shop.example/account');
  await setBrand(await database(), own.id, own.slug, { track_transactional: true }, false);
  const counted = await sendMail(own, { template: 'receipt' });
  expect(tracked(counted).length).toBeGreaterThan(0);
  expect(counted.pixel).toBeDefined();
});

test('links of a suspended project still lead on and count', async () => {
  const own = await newProject();
  const mail = await sendMail(own, { blocks: BLOCKS });
  await aMinuteLater(mail);
  const em = await database();
  await rows(em, sql`update projects set status = 'suspended' where id = ${own.id}`);
  expect((await hit(tracked(mail)[0]!)).status).toBe(302);
  await rows(em, sql`update projects set status = 'active' where id = ${own.id}`);
  await eventually(async () => (await logOf(mail, own)).click_count === 1);
});

test('a link of a send that is gone leads on', async () => {
  const mail = await sent();
  await rows(await database(), sql`delete from sends where to_email = ${mail.to}`);
  expect((await hit(tracked(mail)[0]!)).status).toBe(302);
});
