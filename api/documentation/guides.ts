import { readFile } from 'node:fs/promises';
import type Koa from 'koa';
import { Refusal } from '../../domain/errors.ts';
import { pageHeaders } from '../page-headers.ts';
import { type StaticFile, sendStatic, staticFile } from '../static-file.ts';
import { methodNotAllowed } from '../unrouted.ts';
import { PAGE_GROUPS, PAGE_NAMES } from './contents.ts';
import { type ListedGroup, layout } from './layout.ts';

const DOCS = new URL('../../docs/', import.meta.url);

const PAGE_HEADERS = pageHeaders(["script-src 'self'", "style-src 'self'", "img-src 'self' data:", "form-action 'none'"]);

const TYPES = {
  css: { 'Content-Type': 'text/css; charset=utf-8' },
  js: { 'Content-Type': 'text/javascript; charset=utf-8' },
  // Opened by itself a picture is a document: it has styles of its own and nothing else.
  svg: { 'Content-Type': 'image/svg+xml', 'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'" },
} as const;

/** What the pages are made of beside their text. */
const ASSETS: ReadonlyMap<string, { readonly from: URL; readonly type: keyof typeof TYPES }> = new Map([
  ['bar.css', { from: new URL('bar.css', import.meta.url), type: 'css' }],
  ['guide.css', { from: new URL('guide.css', import.meta.url), type: 'css' }],
  ['guide.js', { from: new URL('guide.js', import.meta.url), type: 'js' }],
  ['trial-sequence.svg', { from: new URL('trial-sequence.svg', DOCS), type: 'svg' }],
]);

/** GET /docs/<page>: the pages of docs/. Each is rendered once, when somebody reads it first. */
export function guides(): Koa.Middleware {
  const ready = new Map<string, Promise<StaticFile>>();
  return async (ctx, next) => {
    const name = /^\/docs\/([^/]+)$/.exec(ctx.path)?.[1];
    if (name === undefined) return next();
    const make = makerOf(name);
    if (!make) throw new Refusal('not_found', `no page ${ctx.path.slice(0, 200)}; /docs/${PAGE_NAMES[0]} lists them all`);
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw methodNotAllowed(ctx.method, ['GET', 'HEAD']);
    const file = ready.get(name) ?? make();
    ready.set(name, file);
    sendStatic(ctx, await file);
  };
}

function makerOf(name: string): (() => Promise<StaticFile>) | undefined {
  const asset = ASSETS.get(name);
  if (asset) return async () => staticFile(await readFile(asset.from), TYPES[asset.type]);
  return PAGE_NAMES.includes(name) ? () => guidePage(name) : undefined;
}

async function guidePage(name: string): Promise<StaticFile> {
  // Loaded with the first page: a process that nobody asks for one does without.
  const { renderPage } = await import('./markdown.ts');
  return staticFile(layout(name, renderPage(await textOf(name)), await listedGroups()), PAGE_HEADERS);
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
