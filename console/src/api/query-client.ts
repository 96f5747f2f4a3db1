import { QueryClient } from '@tanstack/react-query';
import { asFailure } from './failure.ts';

const MOST_TRIES = 4;

/** What may succeed a little later is read again by itself; what writes is tried again only where nothing was done (429). */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        networkMode: 'always',
        staleTime: 10_000,
        retry: (failures, error) => asFailure(error).passes && failures < MOST_TRIES,
        retryDelay,
      },
      mutations: {
        networkMode: 'always',
        retry: (failures, error) => asFailure(error).kind === 'rate' && failures < MOST_TRIES,
        retryDelay,
      },
    },
  });
}

function retryDelay(failures: number, error: unknown): number {
  const { retryAfterSeconds } = asFailure(error).details;
  return retryAfterSeconds === undefined ? Math.min(500 * 2 ** failures, 5_000) : retryAfterSeconds * 1000;
}
