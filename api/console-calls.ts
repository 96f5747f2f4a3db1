import type Koa from 'koa';
import type { RequestState } from './app-options.ts';

/** Below the page, so that the cookie of the console, which is of its path, comes with them; `/api/v1` itself never sees one. */
const CONSOLE = '/console';

/** /console/api/v1/…: each route of the API, for the page. A session stands for the key there (console-session-cookie.ts); all else is the same. */
export function consoleCalls(api: string): Koa.Middleware<RequestState> {
  return (ctx, next) => {
    if (ctx.path.startsWith(`${CONSOLE}${api}/`)) {
      ctx.state.isOfConsole = true;
      ctx.path = ctx.path.slice(CONSOLE.length);
    }
    return next();
  };
}
