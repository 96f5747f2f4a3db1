import type Koa from 'koa';
import type { RequestState } from './app-options.ts';
import { SESSION_HEADER } from './console-session-cookie.ts';

/** Below the page, so that the cookie of the console, which is of its path, comes with them; `/api/v1` itself never sees one. */
const CONSOLE = '/console';
const SESSION_QUERY = 'everpost-session';

/**
 * A download is a link, which has no headers: it names its session in the address. Only a GET may, which changes nothing; whoever has somebody follow
 * such a link from elsewhere would have to know the session's id, and sees nothing of the answer.
 */
function nameSessionOfLink(ctx: Koa.ParameterizedContext<RequestState>): void {
  const { [SESSION_QUERY]: named, ...query } = ctx.query;
  if (ctx.method !== 'GET' || typeof named !== 'string') return;
  ctx.query = query;
  ctx.req.headers[SESSION_HEADER] ??= named;
}

/** /console/api/v1/…: each route of the API, for the page. A session stands for the key there (console-session-cookie.ts); all else is the same. */
export function consoleCalls(api: string): Koa.Middleware<RequestState> {
  return (ctx, next) => {
    if (ctx.path.startsWith(`${CONSOLE}${api}/`)) {
      ctx.state.isOfConsole = true;
      ctx.path = ctx.path.slice(CONSOLE.length);
      nameSessionOfLink(ctx);
    }
    return next();
  };
}
