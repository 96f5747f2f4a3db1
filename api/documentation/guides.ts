import { readFile } from 'node:fs/promises';
import type Koa from 'koa';
import { Refusal } from '../../domain/errors.ts';
import { leadOn } from '../leading-page.ts';
import { pageHeaders } from '../page-headers.ts';
import { type StaticFile, sendStatic, staticFile } from '../static-file.ts';
import { methodNotAllowed } from '../unrouted.ts';
import { PAGE_GROUPS, PAGE_NAMES } from './contents.ts';
import { type ListedGroup, layout } from './layout.ts';
import type { RenderedPage } from './markdown.ts';

const DOCS = new URL('../../docs/', import.meta.url);

const PAGE_HEADERS = pageHeaders(["script-src 'self'", "style-src 'self'", "img-src 'self' data:", "form-action 'none'"]);

const TYPES = {
  css: { 'Content-Type': 'text/css; charset=utf-8' },
  js: { 'Content-Type': 'text/javascript; charset=utf-8' },
  png: { 'Content-Type': 'image/png' },
  // Opened by itself a picture is a document: it has styles of its own and nothing else.
  svg: { 'Content-Type': 'image/svg+xml', 'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'" },
} as const;

/** What the pages are made of beside their text. */
const ASSETS: ReadonlyMap<string, { readonly from: URL; readonly type: keyof typeof TYPES }> = new Map([
  ['bar.css', { from: new URL('bar.css', import.meta.url), type: 'css' }],
  ['guide.css', { from: new URL('guide.css', import.meta.url), type: 'css' }],
  ['guide.js', { from: new URL('guide.js', import.meta.url), type: 'js' }],
  ['trial-sequence.svg', { from: new URL('trial-sequence.svg', DOCS), type: 'svg' }],
  ['images/domain-ramp.png', { from: new URL('images/domain-ramp.png', DOCS), type: 'png' }],
  ['images/domain-records.png', { from: new URL('images/domain-records.png', DOCS), type: 'png' }],
  ['images/first-campaign.png', { from: new URL('images/first-campaign.png', DOCS), type: 'png' }],
]);

const UNDER = '/docs/';

/** A longer path is not told in full, and gets no page: each link of the page begins with the way back from there. */
const MAX_PATH = 200;

/** GET /docs/<page>: the pages of docs/. Each is rendered once, when somebody reads it first. */
export function guides(): Koa.Middleware {
  const ready = new Map<string, Promise<StaticFile>>();
  return async (ctx, next) => {
    if (!ctx.path.startsWith(UNDER)) return next();
    const name = ctx.path.slice(UNDER.length);
    const make = makerOf(name);
    const unslashed = withoutSlash(name);
    if (!make && unslashed === undefined) return refusePage(ctx);
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw methodNotAllowed(ctx.method, ['GET', 'HEAD']);
    if (!make) return leadOn(ctx, `../${unslashed}`, `This page is at <a href="../${unslashed}">${unslashed}</a>.`);
    const file = ready.get(name) ?? make();
    ready.set(name, file);
    sendStatic(ctx, await file);
  };
}

/**
 * The address that a person meant who typed a slash at its end, seen from the folder above. Relative, so that it is right below a proxy's
 * prefix too, and only of what there is, so that it leads nowhere else.
 */
function withoutSlash(name: string): string | undefined {
  if (name === '') return 'docs';
  const page = name.slice(0, -1);
  return name.endsWith('/') && PAGE_NAMES.includes(page) ? page : undefined;
}

/** 404: a page to who asks for HTML before JSON, which browsers do; to others in the words of the API. */
async function refusePage(ctx: Koa.Context): Promise<void> {
  const { path } = ctx;
  ctx.set('Vary', 'Accept');
  if (path.length > MAX_PATH || ctx.accepts('json', 'html') !== 'html') {
    throw new Refusal('not_found', `no page ${path.slice(0, MAX_PATH)}; /docs/${PAGE_NAMES[0]} lists them all`);
  }
  const folder = '../'.repeat(path.split('/').length - UNDER.split('/').length);
  ctx.status = 404;
  ctx.set({ ...PAGE_HEADERS });
  ctx.body = layout({ folder }, missingPage(folder), await listedGroups());
}

function missingPage(folder: string): RenderedPage {
  const [first] = PAGE_NAMES;
  const title = 'No such page';
  const html = `<h1>${title}</h1>
<p>Nothing is at this address. The list of pages has all that there are; <a href="${folder}${first}">the first of them</a> sends a mail in five minutes.</p>
`;
  return { title, html, sections: [] };
}

function makerOf(name: string): (() => Promise<StaticFile>) | undefined {
  const asset = ASSETS.get(name);
  if (asset) return async () => staticFile(await readFile(asset.from), TYPES[asset.type]);
  return PAGE_NAMES.includes(name) ? () => guidePage(name) : undefined;
}

async function guidePage(name: string): Promise<StaticFile> {
  // Loaded with the first page: a process that nobody asks for one does without.
  const { renderPage } = await import('./markdown.ts');
  return staticFile(layout({ name }, renderPage(await textOf(name)), await listedGroups()), PAGE_HEADERS);
}

async function listedGroups(): Promise<ListedGroup[]> {
  return Promise.all(
    PAGE_GROUPS.map(async ({ title, pages }) => ({
      title,
      pages: await Promise.all(pages.map(async (name) => ({ name, title: titleOf(await textOf(name)) }))),
    })),
  );
}

function textOf(name: string): Promise<string> {
  return readFile(new URL(`${name}.md`, DOCS), 'utf8');
}

function titleOf(markdown: string): string {
  return /^# (.+)$/m.exec(markdown)?.[1] ?? '';
}
