import type Koa from 'koa';
import { pageHeaders } from './page-headers.ts';
import { methodNotAllowed } from './unrouted.ts';

/** No redirect (decisions.md 1.6): a browser goes on by itself, and who reads the answer sees where. The address is relative, as in docs.ts. */
const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="0; url=docs">
<title>Everpost</title>
<link rel="icon" href="data:,">
</head>
<body>
<p>This is Everpost. The documentation is at <a href="docs">/docs</a>, the API below /api/v1.</p>
</body>
</html>
`;

/** GET /: leads to the documentation. */
export function frontPage(): Koa.Middleware {
  return async (ctx, next) => {
    if (ctx.path !== '/') return next();
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw methodNotAllowed(ctx.method, ['GET', 'HEAD']);
    ctx.set({ ...pageHeaders(['img-src data:']) });
    ctx.body = PAGE;
  };
}
