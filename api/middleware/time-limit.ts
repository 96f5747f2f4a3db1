import type Koa from 'koa';
import { Refusal } from '../../domain/errors.ts';
import type { RequestState } from '../app-options.ts';

/** docs/contract/limits.md 4. The database's own statement limit ends the work behind it. */
export const REQUEST_SECONDS = 30;

/** The answer of what took longer. */
export function notDoneWithin(seconds: number): Refusal {
  return new Refusal('unavailable', `not done within ${seconds} s`, { retryAfterSeconds: 5 });
}

/**
 * Answers 503 when a request takes longer than its limit. `ctx.state.deadline` is aborted then, with the refusal as its reason: what was
 * answered so must neither commit nor submit any more.
 */
export function timeLimit(seconds: number): Koa.Middleware<RequestState> {
  return async (ctx, next) => {
    const controller = new AbortController();
    ctx.state.deadline = controller.signal;
    let timer: NodeJS.Timeout | undefined;
    const expired = new Promise<never>((_resolve, reject) => {
      ctx.state.mayTake = (allowed) => {
        clearTimeout(timer);
        timer = setTimeout(() => {
          const late = notDoneWithin(allowed);
          controller.abort(late);
          reject(late);
        }, allowed * 1000);
      };
    });
    ctx.state.mayTake(seconds);
    try {
      await Promise.race([next(), expired]);
    } finally {
      clearTimeout(timer);
    }
  };
}
