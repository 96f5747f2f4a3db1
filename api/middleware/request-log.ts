import type Koa from 'koa';
import type { Logger } from '../../platform/logger.ts';
import type { RequestState } from '../app-options.ts';

/** One line a request, at debug: refusals are answers, not errors. The query string may hold addresses and stays out. */
export function requestLog(log: Logger): Koa.Middleware<RequestState> {
  return async (ctx, next) => {
    const startedAt = performance.now();
    await next();
    log.debug('request.answered', {
      requestId: ctx.state.requestId,
      method: ctx.method,
      route: ctx._matchedRoute,
      status: ctx.status,
      milliseconds: Math.round(performance.now() - startedAt),
    });
  };
}
