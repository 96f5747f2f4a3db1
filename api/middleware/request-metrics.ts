import type Koa from 'koa';
import { isTrackingPath } from '../../domain/sends/tracking.ts';
import type { Metrics } from '../../platform/metrics/metrics.ts';
import type { RequestState } from '../app-options.ts';

/** For people: all that lies below one of them is counted with it. */
const PAGES = ['/docs', '/console'];

/** Counts answers by the route that was declared. A path may hold anything, so one that has no route is counted with all of its kind. */
export function requestMetrics({ requestAnswered }: Pick<Metrics, 'requestAnswered'>): Koa.Middleware<RequestState> {
  return async (ctx, next) => {
    const startedAt = performance.now();
    await next();
    const seconds = (performance.now() - startedAt) / 1000;
    requestAnswered({ method: ctx.method, route: ctx._matchedRoute ?? unroutedKind(ctx.path), status: ctx.status, seconds });
  };
}

function unroutedKind(path: string): string {
  if (isTrackingPath(path)) return '/t';
  if (path === '/mcp') return path;
  return PAGES.find((page) => path === page || path.startsWith(`${page}/`)) ?? 'none';
}
