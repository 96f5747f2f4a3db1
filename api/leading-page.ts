import type Koa from 'koa';
import { pageHeaders } from './page-headers.ts';

/**
 * Answers a page that leads on to a relative address: no redirect (docs/contract/http.md 2), so a browser goes on by itself, and who reads the
 * answer sees where. `words` is HTML of ours.
 */
export function leadOn(ctx: Koa.Context, to: string, words: string): void {
  ctx.set({ ...pageHeaders(['img-src data:']) });
  ctx.body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="0; url=${to}">
<title>Everpost</title>
<link rel="icon" href="data:,">
</head>
<body>
<p>${words}</p>
</body>
</html>
`;
}
