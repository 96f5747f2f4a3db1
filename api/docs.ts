import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type Koa from 'koa';
import { pageHeaders } from './page-headers.ts';
import { methodNotAllowed } from './unrouted.ts';

/** Addresses are relative, so that the page works below a proxy's prefix too. */
const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Everpost API</title>
<link rel="icon" href="data:,">
</head>
<body>
<main id="reference"></main>
<noscript>This page needs JavaScript. The description itself is at <a href="api/v1/openapi.json">api/v1/openapi.json</a>.</noscript>
<script src="docs/scalar.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
`;

/** In a file of its own, so that the policy needs no inline scripts. Nothing is asked of any other host. */
const START = `Scalar.createApiReference('#reference', {
  url: 'api/v1/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  persistAuth: false,
});
`;

/** Scalar sets styles from scripts, which no nonce covers. */
const PAGE_HEADERS = pageHeaders([
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
]);

const zipped = promisify(gzip);

interface Script {
  readonly plain: Buffer;
  readonly gzip: Buffer;
  readonly etag: string;
}

/** GET /docs: the API's description as a page, with its scripts beside it. Nothing is loaded from anywhere else. */
export function docsPage(): Koa.Middleware {
  let scalar: Promise<Script> | undefined;
  const start = toScript(Buffer.from(START));
  return async (ctx, next) => {
    if (ctx.path !== '/docs' && ctx.path !== '/docs/start.js' && ctx.path !== '/docs/scalar.js') return next();
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw methodNotAllowed(ctx.method, ['GET', 'HEAD']);
    if (ctx.path === '/docs') {
      ctx.set({ ...PAGE_HEADERS });
      ctx.body = PAGE;
      return;
    }
    scalar ??= scalarBundle();
    sendScript(ctx, await (ctx.path === '/docs/start.js' ? start : scalar));
  };
}

/** The package's bundle for browsers, which holds everything that it needs. */
async function scalarBundle(): Promise<Script> {
  return toScript(await readFile(new URL('./browser/standalone.js', import.meta.resolve('@scalar/api-reference'))));
}

async function toScript(plain: Buffer): Promise<Script> {
  const etag = `"${createHash('sha256').update(plain).digest('base64url')}"`;
  return { plain, gzip: (await zipped(plain)) as Buffer, etag };
}

function sendScript(ctx: Koa.Context, { plain, gzip: small, etag }: Script): void {
  ctx.set({
    'Content-Type': 'text/javascript; charset=utf-8',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-cache',
    Vary: 'Accept-Encoding',
  });
  ctx.status = 200;
  ctx.etag = etag;
  if (ctx.fresh) {
    ctx.status = 304;
    return;
  }
  const takesGzip = ctx.acceptsEncodings('gzip', 'identity') === 'gzip';
  if (takesGzip) ctx.set('Content-Encoding', 'gzip');
  ctx.body = takesGzip ? small : plain;
}
