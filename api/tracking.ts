import { setTimeout as sleep } from 'node:timers/promises';
import type Koa from 'koa';
import { isScanner, isTrackingPath, readTrackedPath } from '../domain/sends/tracking.ts';
import type { AppOptions, RequestState } from './app-options.ts';
import { badLinkPage } from './pages/html-page.ts';
import { methodNotAllowed } from './unrouted.ts';

/** One transparent pixel. */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

/** Whoever clicks gets there: nobody waits longer for a count, and one that is missing hurts less than a link that is dead. */
const WAIT_MS = 1_000;

/** Links and images of mails under /t: counts the hit, then answers with the target or the pixel. Asks for no key. */
export function tracking({ services }: AppOptions): Koa.Middleware<RequestState> {
  const { vault, now, hits } = services;
  return async (ctx, next) => {
    if (!isTrackingPath(ctx.path)) return next();
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw methodNotAllowed(ctx.method, ['GET', 'HEAD']);
    const tracked = readTrackedPath(vault, ctx.path);
    if (!tracked) {
      const { status, headers, body } = badLinkPage();
      ctx.status = status;
      ctx.set({ ...headers });
      ctx.body = body;
      return;
    }
    const isBot = ctx.method === 'HEAD' || isScanner(ctx.get('user-agent'));
    const counted = new AbortController();
    const patience = sleep(WAIT_MS, undefined, { signal: counted.signal }).catch(() => {});
    await Promise.race([hits.count(tracked, { at: now(), isBot }), patience]);
    counted.abort();
    ctx.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer', 'X-Robots-Tag': 'noindex' });
    if (tracked.kind === 'opened') {
      ctx.type = 'image/gif';
      ctx.body = PIXEL;
      return;
    }
    ctx.status = 302;
    ctx.set('Location', new URL(tracked.url).href);
    ctx.body = '';
  };
}
