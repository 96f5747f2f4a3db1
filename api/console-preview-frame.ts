import type Koa from 'koa';
import { methodNotAllowed } from './unrouted.ts';

const PATH = '/console/preview-frame';
const PAGE = '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Email</title>\n</head>\n<body></body>\n</html>\n';

/**
 * An empty page in which the console shows what a template makes: with its styles, which the console's own policy does not allow, and without any
 * script. Pictures of other hosts are asked for only where somebody wants to see them: who has written them may count who looks.
 */
const headers = (pictures: string): Readonly<Record<string, string>> => ({
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': [
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    `img-src 'self' data:${pictures}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'SAMEORIGIN',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-cache',
});
const OWN = headers('');
const ALL = headers(' https: http:');

/** GET /console/preview-frame; with `?pictures=all` those of other hosts are shown. */
export function consolePreviewFrame(): Koa.Middleware {
  return async (ctx, next) => {
    if (ctx.path !== PATH) return next();
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw methodNotAllowed(ctx.method, ['GET', 'HEAD']);
    ctx.set(ctx.query.pictures === 'all' ? ALL : OWN);
    ctx.body = PAGE;
  };
}
