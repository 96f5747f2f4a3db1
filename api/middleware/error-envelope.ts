import type Koa from 'koa';
import { isDatabaseUnavailable } from '../../db/errors.ts';
import { Refusal } from '../../domain/errors.ts';
import type { Logger } from '../../platform/logger.ts';
import { ObjectStoreFailure } from '../../platform/objects/object-store.ts';
import type { RequestState } from '../app-options.ts';

/** PostgreSQL is usually back within seconds: docs/contract/http.md 23. */
const DATABASE_RETRY_SECONDS = 5;
const FILES_RETRY_SECONDS = 10;

/** Turns everything thrown below it into the flat envelope; what is not a Refusal is told to the log only. */
export function errorEnvelope(log: Logger): Koa.Middleware<RequestState> {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const { requestId } = ctx.state;
      const refusal = refusalOf(error, log, { requestId, method: ctx.method, route: ctx._matchedRoute });
      ctx.status = refusal.status;
      ctx.set({ ...refusal.details.headers });
      if (refusal.details.retryAfterSeconds !== undefined) ctx.set('Retry-After', String(refusal.details.retryAfterSeconds));
      ctx.body = errorBody(refusal);
    }
  };
}

/** The flat envelope: docs/contract/http.md 6. */
export function errorBody({ message, code, details }: Refusal): Readonly<Record<string, unknown>> {
  return { ok: false, error: message, code, ...details.body };
}

/** What was asked for when it was thrown. */
interface ErrorTrace {
  readonly requestId: string;
  readonly method: string;
  readonly route: string | RegExp | undefined;
}

/** What is answered for something that was thrown; what is no Refusal is told to the log. */
export function refusalOf(error: unknown, log: Pick<Logger, 'warn' | 'error'>, { requestId, method, route }: ErrorTrace): Refusal {
  if (error instanceof Refusal) return error;
  if (isDatabaseUnavailable(error)) {
    log.warn('request.without_database', { requestId, error });
    return new Refusal('unavailable', 'the database cannot be reached; try again', { retryAfterSeconds: DATABASE_RETRY_SECONDS });
  }
  if (error instanceof ObjectStoreFailure) {
    log.warn('request.without_files', { requestId, error });
    return new Refusal('unavailable', 'the file store cannot be reached; try again', { retryAfterSeconds: FILES_RETRY_SECONDS });
  }
  if (error instanceof URIError || (error as { status?: unknown }).status === 400) {
    return new Refusal('malformed_request', 'the request is malformed');
  }
  log.error('request.failed', { requestId, method, route, error });
  return new Refusal('internal', 'internal error', { body: { requestId } });
}
