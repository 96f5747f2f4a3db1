import type { Context } from 'koa';
import type { Tokens } from 'marked';
import { describe, expect, test } from 'vitest';
import { PAGE_NAMES } from '../../api/documentation/contents.ts';
import { guides } from '../../api/documentation/guides.ts';
import { testEnvironment } from '../support/environment.ts';
import { guideNames, guideText, guideTokens } from '../support/guide-blocks.ts';

const at = (path: string): string => `${testEnvironment().apiUrl}${path}`;
const pages = new Map<string, Promise<string>>();

/** The page as it is served. */
function served(name: string): Promise<string> {
  const page = pages.get(name) ?? fetch(at(`/docs/${name}`)).then((answer) => answer.text());
  pages.set(name, page);
  return page;
}

const idsIn = (html: string): string[] => [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!);

test('every file of docs/ is a page, and every page of the list has a file', () => {
  expect([...PAGE_NAMES].sort()).toEqual(guideNames().sort());
});

describe.each(PAGE_NAMES)('/docs/%s', (name) => {
  test('is a page with its title, under a strict policy, that loads nothing from elsewhere', async () => {
    const answer = await fetch(at(`/docs/${name}`));
    const html = await answer.text();
    const policy = answer.headers.get('content-security-policy');
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'; style-src 'self'; img-src 'self' data:; form-action 'none'");
    expect(html).toContain(`<title>${/^# (.+)$/m.exec(guideText(name))![1]} · Everpost</title>`);
    for (const other of PAGE_NAMES) expect(html).toContain(`<li><a href="${other}"${other === name ? ' aria-current="page"' : ''}>`);
    // Neither of which the policy would allow.
    expect(html).not.toMatch(/<style|<script>|<[^>]+ (style|on\w+)=/);
    for (const [, address] of html.matchAll(/<(?:script|link|img)[^>]+(?:src|href)="([^"]+)"/g)) {
      expect(address).not.toMatch(/^(https?:)?\/\//);
      if (!address!.startsWith('data:'))
        expect([address, (await fetch(new URL(address!, at(`/docs/${name}`)))).status]).toEqual([address, 200]);
    }
  });

  test('has all pages in its list, beside the text and in the menu of a phone', async () => {
    const html = await served(name);
    const [, menu] = /<details class="menu">(.*?)<\/details>/s.exec(html)!;
    const [, side] = /<div class="side">(.*?)<\/div>/s.exec(html)!;
    for (const list of [menu!, side!]) {
      const listed = [...list.matchAll(/<li><a href="([^"]+)"/g)].map(([, href]) => href);
      expect(listed).toEqual(expect.arrayContaining([...PAGE_NAMES]));
    }
  });

  test('has links that lead somewhere, in the file and on the page', async () => {
    const links = guideTokens(name).filter((token): token is Tokens.Link => token.type === 'link' || token.type === 'image');
    for (const { href } of links.filter(({ href }) => !/^(https?|mailto):/.test(href))) {
      expect(href).toMatch(/^(([\w-]+)\.(md|svg)|images\/[\w-]+\.png)?(#[\w-]+)?$/);
    }
    const html = await served(name);
    const article = html.slice(html.indexOf('<article>'), html.indexOf('</article>'));
    for (const [, href] of article.matchAll(/<a [^>]*href="([^"]+)"/g)) {
      if (/^https?:/.test(href!)) continue;
      const { pathname, hash } = new URL(href!, at(`/docs/${name}`));
      const target = pathname.slice('/docs/'.length);
      if (pathname === '/docs') continue;
      expect({ href, isPage: PAGE_NAMES.includes(target) }).toEqual({ href, isPage: true });
      if (hash) expect({ href, ids: idsIn(await served(target)) }).toEqual({ href, ids: expect.arrayContaining([hash.slice(1)]) });
    }
  });
});

test('a table of four columns with a text among them is marked to be stacked on a phone, each cell with its head', async () => {
  const html = await served('metrics');
  const stacked = html.slice(html.indexOf('<div class="table stacked">'));
  expect(stacked).toMatch(/<td data-head="metric"><code>everpost_http_requests_total<\/code><\/td><td data-head="type">counter<\/td>/);
  expect(await served('limits')).not.toContain('stacked');
});

test('the page of the reference leads a newcomer to the quick start first', async () => {
  const html = await (await fetch(at('/docs'))).text();
  expect(html).toContain('<a href="docs/quick-start"><b>Quick start</b>');
  for (const [, address] of html.matchAll(/(?:src|href)="(docs\/[^"]+)"/g)) {
    expect([address, (await fetch(at(`/${address}`))).status]).toEqual([address, 200]);
  }
  expect(await served('quick-start')).toContain('<a href="../docs">API reference</a>');
});

test('a page that does not exist is refused in the words of the API, and so is another method', async () => {
  for (const path of ['/docs/nothing-like-it', '/docs/quick-start.md', '/docs/..%2fpackage.json', '/docs/constructor']) {
    const missing = await fetch(at(path));
    expect([path, missing.status, await missing.json()]).toEqual([
      path,
      404,
      { ok: false, code: 'not_found', error: `no page ${path}; /docs/quick-start lists them all` },
    ]);
  }
  expect((await fetch(at('/docs/a/b'))).status).toBe(404);
  const posted = await fetch(at('/docs/quick-start'), { method: 'POST' });
  expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

describe('a browser that asks for a page that does not exist', () => {
  const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

  test.each(['/docs/nothing', '/docs/nothing/', '/docs/a/b', '/docs//example.com/'])(
    '%s: gets a 404 page whose links lead somewhere',
    async (path) => {
      const answer = await fetch(at(path), { headers: { accept }, redirect: 'manual' });
      const html = await answer.text();
      expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
      expect(answer.headers.get('vary')).toContain('Accept');
      expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(html).toContain('<h1>No such page</h1>');
      const addresses = [...html.matchAll(/(?:href|src)="([^"#][^"]*)"/g)]
        .map(([, address]) => address!)
        .filter((to) => !to.startsWith('data:'));
      expect(addresses.length).toBeGreaterThan(PAGE_NAMES.length);
      for (const address of new Set(addresses)) {
        expect([address, (await fetch(new URL(address, at(path)))).status]).toEqual([address, 200]);
      }
    },
  );

  test('gets no page for a path without end, and none that repeats what it asked for', async () => {
    const ask = (path: string) => fetch(at(path), { headers: { accept } });
    expect((await ask(`/docs/${'/'.repeat(5000)}`)).headers.get('content-type')).toContain('application/json');
    expect(await (await ask('/docs/say-this')).text()).not.toContain('say-this');
  });
});

test('an address with a slash at its end leads to the one without it, and to nothing else', async () => {
  for (const path of ['/docs', ...PAGE_NAMES.map((name) => `/docs/${name}`)]) {
    const answer = await fetch(at(`${path}/`), { redirect: 'manual' });
    const to = /http-equiv="refresh" content="0; url=(.+?)"/.exec(await answer.text())![1]!;
    expect([path, answer.status, to.startsWith('../')]).toEqual([path, 200, true]);
    // Below a proxy's prefix too.
    expect(new URL(to, `https://example.com/mail${path}/`).href).toBe(`https://example.com/mail${path}`);
  }
  for (const path of ['/docs//example.com/', '/docs/quick-start//', '/docs/..%2f/', '/docs/bar.css/', '/docs/nothing/']) {
    const answer = await fetch(at(path), { redirect: 'manual' });
    expect([path, answer.status]).toEqual([path, 404]);
  }
  expect((await fetch(at('/docs/'), { method: 'POST', redirect: 'manual' })).status).toBe(405);
});

test('who has a page already is not sent it again', async () => {
  const first = await fetch(at('/docs/quick-start'));
  const headers = { 'if-none-match': first.headers.get('etag')!, 'cache-control': 'max-age=0' };
  expect((await fetch(at('/docs/quick-start'), { headers })).status).toBe(304);
});

test('a page is rendered once, for all who read it', async () => {
  const middleware = guides();
  const read = async (): Promise<unknown> => {
    const ctx = { path: '/docs/limits', method: 'GET', fresh: false, set: () => {}, acceptsEncodings: () => 'identity', body: undefined };
    await middleware(ctx as unknown as Context, async () => {});
    return ctx.body;
  };
  const first = await read();
  expect(first).toBeInstanceOf(Buffer);
  expect(await read()).toBe(first);
});
