import Router from '@koa/router';
import Koa from 'koa';
import { createKeyLookup } from './admission.ts';
import type { AppGiven, AppOptions, RequestState } from './app-options.ts';
import { consolePage } from './console.ts';
import { consoleCalls } from './console-calls.ts';
import { consolePreviewFrame } from './console-preview-frame.ts';
import { consoleSessions } from './console-sessions.ts';
import { docsPage } from './docs.ts';
import { guides } from './documentation/guides.ts';
import { fileSchemas } from './file-schemas.ts';
import { frontPage } from './front-page.ts';
import { mcpEndpoint } from './mcp/mcp-endpoint.ts';
import { requestIdOf } from './middleware/caller.ts';
import { errorEnvelope } from './middleware/error-envelope.ts';
import { plainRequest } from './middleware/plain-request.ts';
import { requestLog } from './middleware/request-log.ts';
import { requestMetrics } from './middleware/request-metrics.ts';
import { REQUEST_SECONDS, timeLimit } from './middleware/time-limit.ts';
import { publicImages } from './public-images.ts';
import { routes } from './routes/index.ts';
import { serveRoute } from './serve-route.ts';
import { tracking } from './tracking.ts';
import { ANSWER_HEADERS } from './unread-request.ts';
import { refuseOtherMethods, refuseUnrouted } from './unrouted.ts';

const API = '/api/v1';

/** The middleware in order, and the router built from the declarations. */
export function createApp(given: AppGiven): Koa<RequestState> {
  const { orm, services } = given;
  const options: AppOptions = { ...given, authenticate: createKeyLookup(orm, services.now) };
  const app = new Koa<RequestState>();
  app.silent = true;
  const router = new Router<RequestState>({ prefix: API, sensitive: true, strict: true });
  for (const route of routes) router[route.method](route.path, serveRoute(route, options));

  app.use(async (ctx, next) => {
    ctx.state.requestId = requestIdOf(ctx.req);
    ctx.set({ 'X-Request-Id': ctx.state.requestId, ...ANSWER_HEADERS });
    await next();
    // What is still to come of a body that is answered already would be read for nothing.
    if (!ctx.req.complete) ctx.set('Connection', 'close');
  });
  const counted = [requestMetrics(options.metrics), requestLog(options.log), errorEnvelope(options.log)];
  for (const step of counted) app.use(step);
  app.use(plainRequest());
  app.use(timeLimit(given.requestSeconds ?? REQUEST_SECONDS));
  app.use(frontPage());
  app.use(docsPage());
  app.use(guides());
  app.use(fileSchemas());
  app.use(consolePreviewFrame());
  app.use(consoleSessions(options));
  app.use(consoleCalls(API));
  app.use(consolePage());
  app.use(tracking(options));
  app.use(publicImages(options));
  const answering = [refuseOtherMethods(routes, API), router.routes() as Koa.Middleware<RequestState>, refuseUnrouted(routes, API)];
  app.use(mcpEndpoint(options, API, [...counted, ...answering]));
  for (const step of answering) app.use(step);
  return app;
}
