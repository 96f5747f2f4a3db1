import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type Koa from 'koa';
import { Refusal } from '../domain/errors.ts';
import { sha256 } from '../domain/projects/crypto.ts';
import { escapeHtml } from '../domain/templates/escape.ts';
import { CONSOLE_DIST, type ConsoleState, readConsoleState } from './console-state.ts';
import { pageHeaders } from './page-headers.ts';
import { methodNotAllowed } from './unrouted.ts';

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

/** What is beside a file, the smallest first. */
const ENCODINGS = [
  { name: 'br', ending: '.br' },
  { name: 'gzip', ending: '.gz' },
] as const;

/** One build, as it lies on the disk. */
interface Build {
  readonly name: string;
  readonly index: string;
  readonly assets: ReadonlySet<string>;
}

/**
 * GET /console and all below it: the page that `npm run build:console` makes, and its files under names that change with what is in them.
 * It speaks with /api/v1 as any client does. While there is no build, a page says so and asks again. `dist`: where builds lie.
 */
export function consolePage(dist: string = CONSOLE_DIST): Koa.Middleware {
  let known: Promise<Build> | undefined;
  const buildOf = async (name: string): Promise<Build> => {
    if ((await known?.catch(() => undefined))?.name !== name) known = readBuild(dist, name);
    return known as Promise<Build>;
  };
  return async (ctx, next) => {
    if (ctx.path !== '/console' && !ctx.path.startsWith('/console/')) return next();
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw methodNotAllowed(ctx.method, ['GET', 'HEAD']);
    const state = await readConsoleState(dist);
    const asset = ctx.path.startsWith('/console/assets/') ? ctx.path.slice('/console/assets/'.length) : undefined;
    if (asset !== undefined) {
      const build = state.state === 'ready' ? await buildOf(state.build) : undefined;
      if (!build?.assets.has(asset)) throw new Refusal('not_found', 'no such file of the console');
      return sendAsset(ctx, join(dist, build.name, 'assets'), asset, build);
    }
    if (state.state === 'ready') sendIndex(ctx, await buildOf(state.build));
    else sendNotice(ctx, state);
  };
}

async function readBuild(dist: string, name: string): Promise<Build> {
  const folder = join(dist, name);
  return { name, index: await readFile(join(folder, 'index.html'), 'utf8'), assets: new Set(await readdir(join(folder, 'assets'))) };
}

/** Mantine writes its colors into a style element: it has the nonce of this answer, so an answer is for one time. */
function sendIndex(ctx: Koa.Context, { index }: Build): void {
  const nonce = randomBytes(16).toString('base64');
  ctx.set({
    ...pageHeaders([
      "script-src 'self'",
      `style-src 'self' 'nonce-${nonce}'`,
      "img-src 'self' data:",
      "connect-src 'self'",
      "frame-src 'self'",
      "form-action 'none'",
    ]),
    'Cache-Control': 'no-cache',
  });
  ctx.body = index.replaceAll('="./', `="${consoleFrom(ctx.path)}`).replace('<head>', `<head>\n<meta name="style-nonce" nonce="${nonce}">`);
}

/** The way from an address below /console to /console/, relative: a proxy may have put a prefix before it. */
function consoleFrom(path: string): string {
  if (path === '/console') return 'console/';
  return '../'.repeat(path.split('/').length - 3) || './';
}

async function sendAsset(ctx: Koa.Context, folder: string, name: string, { assets }: Build): Promise<void> {
  const made = ENCODINGS.filter(({ ending }) => assets.has(name + ending));
  const accepted = ctx.acceptsEncodings(...made.map((encoding) => encoding.name), 'identity');
  const encoding = made.find((one) => one.name === accepted);
  ctx.set({
    'Content-Type': MEDIA_TYPES[extname(name)] ?? 'application/octet-stream',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'public, max-age=31536000, immutable',
    Vary: 'Accept-Encoding',
    ...(encoding ? { 'Content-Encoding': encoding.name } : {}),
  });
  ctx.body = await readFile(join(folder, name + (encoding?.ending ?? '')));
}

const NOTICE_STYLE =
  'body{font:14px/1.5 system-ui,sans-serif;max-width:44rem;margin:15vh auto;padding:0 1rem}h1{font-size:1.25rem}pre{white-space:pre-wrap;font-size:12px}';
/** At an address with a fragment, as the link with the key has it, a refresh fetches nothing; a reload does, and keeps the fragment. */
const LOOK_AGAIN = 'setTimeout(()=>location.reload(),2000)';
const allowed = (text: string): string => `'sha256-${sha256(text).toString('base64')}'`;

/** Why there is no console yet; asked again by itself, so that the console follows as soon as it is there. */
function sendNotice(ctx: Koa.Context, state: Exclude<ConsoleState, { readonly state: 'ready' }>): void {
  const [title, text] = wordsOf(state);
  const details = state.state === 'failed' ? `<pre>${escapeHtml(state.message)}</pre>\n` : '';
  ctx.set({
    ...pageHeaders(['img-src data:', `style-src ${allowed(NOTICE_STYLE)}`, `script-src ${allowed(LOOK_AGAIN)}`]),
    'Cache-Control': 'no-store',
    'Retry-After': '2',
  });
  ctx.status = 503;
  ctx.body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<noscript><meta http-equiv="refresh" content="2"></noscript>
<script>${LOOK_AGAIN}</script>
<title>Everpost</title>
<link rel="icon" href="data:,">
<style>${NOTICE_STYLE}</style>
</head>
<body>
<h1>${title}</h1>
<p>${text} This page looks again by itself.</p>
${details}</body>
</html>
`;
}

function wordsOf({ state }: ConsoleState): readonly [title: string, text: string] {
  if (state === 'building') return ['The console is being built', 'It takes some seconds; the API works meanwhile.'];
  if (state === 'failed') {
    return ['The console could not be built', 'All else works. Mend what is told below, then run <code>npm run build:console</code>.'];
  }
  return ['The console is not built', 'Run <code>npm run build:console</code>; <code>npm start</code> does it by itself.'];
}
