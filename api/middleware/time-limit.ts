import type Koa from 'koa';
import { Refusal } from '../../domain/errors.ts';

/** decisions.md 15. The database's own statement limit ends the work behind it. */
export const REQUEST_SECONDS = 30;

/** Answers 503 when a request takes longer than its limit. */
export function timeLimit(seconds: number = REQUEST_SECONDS): Koa.Middleware {
  return async (_ctx, next) => {
    let timer: NodeJS.Timeout | undefined;
    const expired = new Promise<never>((_resolve, reject) => {
      const late = (): void => reject(new Refusal('unavailable', `not done within ${seconds} s`, { retryAfterSeconds: 5 }));
      timer = setTimeout(late, seconds * 1000);
    });
    try {
      await Promise.race([next(), expired]);
    } finally {
      clearTimeout(timer);
    }
  };
}
