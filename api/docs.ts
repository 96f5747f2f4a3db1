import { readFile } from 'node:fs/promises';
import type Koa from 'koa';
import { bar } from './documentation/layout.ts';
import { pageHeaders } from './page-headers.ts';
import { type StaticFile, sendStatic, staticFile } from './static-file.ts';
import { methodNotAllowed } from './unrouted.ts';

const SCRIPT = { 'Content-Type': 'text/javascript; charset=utf-8' };

/** Addresses are relative, so that the page works below a proxy's prefix too. */
const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Everpost API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/bar.css">
</head>
<body>
${bar('docs', 'reference')}
<section class="begin" aria-labelledby="begin">
<h1 id="begin">Build with Everpost</h1>
<p>Contacts, single mails, templates, sequences and campaigns over HTTP, none lost and none sent twice. New here? The quick start sends a first mail in five minutes. Every call is below.</p>
<ul>
<li><a href="docs/quick-start"><b>Quick start</b>A first mail and a first sequence with curl, Node or Python</a></li>
<li><a href="docs/templates"><b>Templates</b>Blocks, variables, a whole example, preview and publish</a></li>
<li><a href="docs/sequences"><b>Sequences</b>Every kind of node, a whole graph with its picture</a></li>
<li><a href="docs/webhooks"><b>Webhooks</b>What happens to your mail, signed; a receiver in ten lines</a></li>
</ul>
</section>
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
  authentication: { preferredSecurityScheme: 'apiKey' },
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

/** GET /docs: the API's description as a page, with its scripts beside it. Nothing is loaded from anywhere else. */
export function docsPage(): Koa.Middleware {
  let scalar: Promise<StaticFile> | undefined;
  const start = staticFile(START, SCRIPT);
  return async (ctx, next) => {
    if (ctx.path !== '/docs' && ctx.path !== '/docs/start.js' && ctx.path !== '/docs/scalar.js') return next();
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw methodNotAllowed(ctx.method, ['GET', 'HEAD']);
    if (ctx.path === '/docs') {
      ctx.set({ ...PAGE_HEADERS });
      ctx.body = PAGE;
      return;
    }
    scalar ??= scalarBundle();
    sendStatic(ctx, await (ctx.path === '/docs/start.js' ? start : scalar));
  };
}

/** The package's bundle for browsers, which holds everything that it needs. */
async function scalarBundle(): Promise<StaticFile> {
  return staticFile(await readFile(new URL('./browser/standalone.js', import.meta.resolve('@scalar/api-reference'))), SCRIPT);
}
