import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { setBrand } from '../../../db/queries/projects/brands.ts';
import { rows } from '../../../db/rows.ts';
import { ANY_CHARACTER } from '../../support/any-character.ts';
import { testEnvironment } from '../../support/environment.ts';
import { mailNow, mailTo } from '../../support/mail.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { sendMail } from '../../support/sent-mail.ts';
import { must } from '../../support/sequences.ts';
import { listenForEvents, ofType } from '../../support/webhook-events.ts';

const NOBODY = '019e0000-0000-7000-8000-000000000001';

let project: TestProject;
beforeAll(async () => {
  project = await newProject();
  await setBrand(await database(), project.id, project.slug, { name: 'Ärger & Söhne <GmbH>', color: '#ffd400' }, true);
});

interface Page {
  readonly status: number;
  readonly html: string;
  readonly headers: Headers;
}

const ask = async (method: string, url: string, init: RequestInit = {}): Promise<Page> => {
  const response = await fetch(url, { method, redirect: 'manual', ...init });
  return { status: response.status, html: await response.text(), headers: response.headers };
};
const newLink = async (to = project.address()) => {
  const { unsubscribe } = await sendMail(project, { to });
  return { to, url: unsubscribe!.replace(/^https?:\/\/[^/]+/, testEnvironment().apiUrl) };
};
const statusOf = async (email: string, of = project) =>
  (await of.api.get(`/contacts?q=${encodeURIComponent(email)}`)).body.contacts[0].status as string;
const actionOf = (html: string) => /<form method="post" action="([^"]+)"/.exec(html)![1]!;

test('GET and HEAD change nothing; the page has one button and names the brand', async () => {
  const { to, url } = await newLink();
  const shown = await ask('GET', url);
  expect(shown.status).toBe(200);
  expect(shown.html.match(/<button/g)).toHaveLength(1);
  expect(shown.html).toContain('Ärger &amp; Söhne &lt;GmbH&gt;');
  expect(shown.html).toContain('#ffd400');
  const head = await ask('HEAD', url);
  expect([head.status, head.html]).toEqual([200, '']);
  expect(await statusOf(to)).toBe('subscribed');
});

test('the page runs no script, loads nothing, is not kept and tells nobody where it came from', async () => {
  const { html, headers } = await ask('GET', (await newLink()).url);
  expect(html).not.toMatch(/<script|<img|<link|javascript:|https?:\/\//i);
  const policy = headers.get('content-security-policy')!;
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain('unsafe');
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex',
    'x-content-type-options': 'nosniff',
  });
});

/** RFC 8058, section 8.1 and 8.2, as they stand there. */
const BODIES: readonly [string, RequestInit][] = [
  [
    'the urlencoded body of RFC 8058',
    { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'List-Unsubscribe=One-Click' },
  ],
  [
    'the multipart body of RFC 8058',
    {
      headers: { 'content-type': 'multipart/form-data; boundary=---FormBoundaryjWmhtjORrn' },
      body: '---FormBoundaryjWmhtjORrn\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n---FormBoundaryjWmhtjORrn--\r\n',
    },
  ],
  ['no body at all', {}],
  ['JSON that is none', { headers: { 'content-type': 'application/json' }, body: '{"broken' }],
  ['another encoding', { headers: { 'content-type': 'text/plain', 'content-encoding': 'gzip' }, body: 'x' }],
];

describe('POST unsubscribes at once', () => {
  test.each(BODIES)('with %s', async (_, init) => {
    const { to, url } = await newLink();
    const { status, html } = await ask('POST', url, init);
    expect(status).toBe(200);
    expect(await statusOf(to)).toBe('unsubscribed');
    expect(actionOf(html)).toContain('/api/v1/resubscribe?c=');
  });

  test('and once, however often it is pressed', async () => {
    const events = await listenForEvents(project);
    const { to, url } = await newLink();
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask('POST', url)));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(ofType(await events(), 'contact.unsubscribed').filter(({ data }) => (data as { email: string }).email === to)).toHaveLength(1);
    const send = new URL(url).searchParams.get('s');
    const hits = await rows(await database(), sql`select 1 from send_hits where send_id = ${send} and kind = 'unsubscribed'`);
    expect(hits).toHaveLength(1);
  });

  test('and marketing mail ends there, transactional mail does not', async () => {
    const { to, url } = await newLink();
    await ask('POST', url);
    const before = (await mailNow(to)).length;
    expect((await project.api.post('/send', { template: 'newsletter', to })).body.reason).toBe('unsubscribed');
    expect(await mailNow(to)).toHaveLength(before);
    await project.api.put('/templates/receipt', { enabled: true });
    expect((await project.api.post('/send', { template: 'receipt', to })).status).toBe(200);
  });
});

test('the way back takes the same token, and only by POST', async () => {
  const events = await listenForEvents(project);
  const { to, url } = await newLink();
  const { html } = await ask('POST', url);
  const back = new URL(actionOf(html), url).href;
  const refused = await ask('GET', back);
  expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'POST']);
  expect(await statusOf(to)).toBe('unsubscribed');
  const again = await ask('POST', back);
  expect(again.status).toBe(200);
  expect(await statusOf(to)).toBe('subscribed');
  expect(actionOf(again.html)).toContain('/api/v1/unsubscribe?c=');
  const told = (await events()).filter(({ data }) => (data as { email: string }).email === to).map(({ type }) => type);
  expect(told.filter((type) => type.startsWith('contact.'))).toEqual(['contact.subscribed', 'contact.unsubscribed', 'contact.subscribed']);
});

test('the way back leaves a suppression as it is', async () => {
  const { to, url } = await newLink();
  await project.api.post('/suppressions', { email: to, reason: 'complaint' });
  await ask('POST', url);
  const { status, html } = await ask('POST', url.replace('/unsubscribe?', '/resubscribe?'));
  expect(status).toBe(200);
  expect(html).toContain('This address is blocked');
  expect(html).not.toContain('subscribed again');
  expect(await statusOf(to)).toBe('subscribed');
  expect((await project.api.post('/send', { template: 'newsletter', to })).body.reason).toBe('suppressed');
});

test.each([
  ['bounced', 'Mail to this address bounced'],
  ['pending', 'You were not unsubscribed'],
])('the way back does not lead out of %s, and the page says so', async (contactStatus, title) => {
  const { to, url } = await newLink();
  await project.api.post('/contacts', { email: to, status: contactStatus });
  const { status, html } = await ask('POST', url.replace('/unsubscribe?', '/resubscribe?'));
  expect(status).toBe(200);
  expect(html).toContain(title);
  expect(html).not.toContain('subscribed again');
  expect(await statusOf(to)).toBe(contactStatus);
});

test('links of a suspended project still work', async () => {
  const { to, url } = await newLink();
  const em = await database();
  await rows(em, sql`update projects set status = 'suspended' where id = ${project.id}`);
  try {
    expect((await ask('GET', url)).status).toBe(200);
    const { status, html } = await ask('POST', url);
    expect(status).toBe(200);
    expect((await ask('POST', new URL(actionOf(html), url).href)).status).toBe(200);
  } finally {
    await rows(em, sql`update projects set status = 'active' where id = ${project.id}`);
  }
  expect(await statusOf(to)).toBe('subscribed');
});

test.each([false, true])(
  'the link of a test mail is about nobody, and right with its own token and send only; to a contact: %s',
  async (isContact) => {
    const to = project.address();
    if (isContact) must(await project.api.post('/contacts', { email: to }), 200);
    const contacts = async () => (await project.api.get(`/contacts?q=${encodeURIComponent(to)}`)).body.contacts;
    const known = await contacts();
    expect((await project.api.post('/templates/newsletter/test', { to })).status).toBe(200);
    const [message] = await mailTo(to, (found) => found.length > 0);
    const listed = message!.raw.replaceAll('\r\n ', ' ').match(/^List-Unsubscribe: *<([^>]+)>/im)![1]!;
    const url = listed.replace(/^https?:\/\/[^/]+/, testEnvironment().apiUrl);
    for (const method of ['GET', 'POST']) {
      const { status, html } = await ask(method, url);
      expect([status, html.includes('This was a test mail'), html.includes('<button')]).toEqual([200, true, false]);
    }
    expect(await contacts()).toEqual(known);
    const foreign = new URL((await newLink()).url).searchParams;
    for (const name of ['t', 's']) {
      const spoilt = new URL(url);
      spoilt.searchParams.set(name, foreign.get(name)!);
      expect((await ask('GET', spoilt.href)).status).toBe(400);
    }
  },
);

describe('a link that is not right', () => {
  const variants: readonly [string, (url: URL) => void][] = [
    ['without a token', (url) => url.searchParams.delete('t')],
    ['with an empty token', (url) => url.searchParams.set('t', '')],
    ['with two tokens', (url) => url.searchParams.append('t', url.searchParams.get('t')!)],
    ['with a token cut off', (url) => url.searchParams.set('t', url.searchParams.get('t')!.slice(0, -1))],
    ['with another version', (url) => url.searchParams.set('t', url.searchParams.get('t')!.replace('v1.', 'v2.'))],
    ['without a contact', (url) => url.searchParams.delete('c')],
    ['for nobody', (url) => url.searchParams.set('c', NOBODY)],
    ['for what is no id', (url) => url.searchParams.set('c', "1' or '1'='1")],
    ['with a NUL', (url) => url.searchParams.set('c', '\0')],
  ];

  test.each(variants)('%s gets the same 400 page and changes nothing', async (_, spoil) => {
    const { to, url } = await newLink();
    const spoilt = new URL(url);
    spoil(spoilt);
    const pages = await Promise.all([
      ask('GET', spoilt.href),
      ask('POST', spoilt.href),
      ask('POST', spoilt.href.replace('/unsubscribe', '/resubscribe')),
      ask('GET', `${testEnvironment().apiUrl}/api/v1/unsubscribe?c=${NOBODY}&t=v1.x`),
    ]);
    expect(pages.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
    expect(new Set(pages.map(({ html }) => html)).size).toBe(1);
    expect(pages[0]!.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await statusOf(to)).toBe('subscribed');
  });

  test("another contact's or another project's token never works", async () => {
    const mine = await newLink();
    const other = await newProject();
    const [theirs, neighbour] = [(await sendMail(other)).unsubscribe!, (await newLink()).url];
    for (const foreign of [theirs, neighbour]) {
      const url = new URL(mine.url);
      url.searchParams.set('t', new URL(foreign).searchParams.get('t')!);
      expect((await ask('POST', url.href)).status).toBe(400);
    }
    expect(await statusOf(mine.to)).toBe('subscribed');
  });

  test('no made-up token works', async () => {
    const { to, url } = await newLink();
    const token = new URL(url).searchParams.get('t')!;
    const changed = fc
      .tuple(fc.nat(token.length - 1), fc.constantFrom(...'ABCDEFabcdef0123456789-_.~ '))
      .map(([at, char]) => token.slice(0, at) + char + token.slice(at + 1));
    await fc.assert(
      fc.asyncProperty(fc.oneof(changed, fc.string({ unit: ANY_CHARACTER, maxLength: 80 })), async (t) => {
        fc.pre(t !== token);
        const forged = new URL(url);
        forged.searchParams.set('t', t);
        expect((await ask('POST', forged.href)).status).toBe(400);
      }),
      { numRuns: 150 },
    );
    expect(await statusOf(to)).toBe('subscribed');
  });
});

test("a send that is not this contact's own is not believed to be where the link was", async () => {
  const [mine, theirs] = [await newLink(), await newLink()];
  const url = new URL(mine.url);
  url.searchParams.set('s', new URL(theirs.url).searchParams.get('s')!);
  expect((await ask('POST', url.href)).status).toBe(200);
  const hits = await rows(await database(), sql`select 1 from send_hits where send_id = ${new URL(theirs.url).searchParams.get('s')}`);
  expect(hits).toEqual([]);
});

describe("the pages speak the contact's language", () => {
  const reading = async (locale: string | null) => {
    const { to, url } = await newLink();
    if (locale) await project.api.post('/contacts', { email: to, locale });
    return url;
  };

  test.each([
    ['de', 'de', 'Abmelden?', 'Sie sind abgemeldet', 'Sie sind wieder angemeldet'],
    ['de-CH', 'de', 'Abmelden?', 'Sie sind abgemeldet', 'Sie sind wieder angemeldet'],
    ['FR-ca', 'fr', 'Vous désabonner\u00a0?', 'Désabonnement effectué', 'Réabonnement effectué'],
    ['es-419', 'es', '¿Darse de baja?', 'Se ha dado de baja', 'Suscripción recuperada'],
    ['en-GB', 'en', 'Unsubscribe?', 'You are unsubscribed', 'You are subscribed again'],
    ['nl', 'en', 'Unsubscribe?', 'You are unsubscribed', 'You are subscribed again'],
    [null, 'en', 'Unsubscribe?', 'You are unsubscribed', 'You are subscribed again'],
  ])('for the locale %j in %s', async (locale, tag, ...titles) => {
    const url = await reading(locale);
    const pages = [await ask('GET', url), await ask('POST', url)];
    pages.push(await ask('POST', new URL(actionOf(pages[1]!.html), url).href));
    expect(pages.map(({ html }) => /<h1>(.*?)<\/h1>/.exec(html)![1])).toEqual(titles);
    for (const { html } of pages) {
      expect(html).toContain(`<html lang="${tag}">`);
      expect(html).toContain('Ärger &amp; Söhne &lt;GmbH&gt;');
      expect(html).not.toMatch(/[{}]\w+\}/);
    }
  });
});

test('in the dark the pages are dark, and their style is the one that the policy allows', async () => {
  const { html, headers } = await ask('GET', (await newLink()).url);
  const style = /<style>(.*?)<\/style>/s.exec(html)![1]!;
  expect(style).toContain('@media(prefers-color-scheme:dark)');
  expect(headers.get('content-security-policy')).toContain(createHash('sha256').update(style).digest('base64'));
});
