import type Koa from 'koa';
import { leadOn } from './leading-page.ts';
import { methodNotAllowed } from './unrouted.ts';

/** GET /: leads to the documentation. The address is relative, as in docs.ts. */
export function frontPage(): Koa.Middleware {
  return async (ctx, next) => {
    if (ctx.path !== '/') return next();
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw methodNotAllowed(ctx.method, ['GET', 'HEAD']);
    leadOn(ctx, 'docs', 'This is Everpost. The documentation is at <a href="docs">/docs</a>, the API below /api/v1.');
  };
}
