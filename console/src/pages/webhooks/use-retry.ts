import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Schemas } from '../../api/client.ts';
import { type Endpoint, PENDING_AGAIN_MS, retryQuery, successQuery, WEBHOOKS } from './webhook-queries.ts';

/** How many deliveries of an endpoint have failed for good and how many wait for their next attempt, and the latest retry. */
export interface Retried {
  readonly failed: number;
  readonly waiting: number;
  readonly retry: Schemas['WebhookRetry'] | null;
}

/**
 * What is to be retried. While a retry runs, and until what it began has been attempted, all that is shown of endpoints is read again together, so
 * that no part contradicts another.
 */
export function useRetry({ id, enabled }: Endpoint): Retried | undefined {
  const queries = useQueryClient();
  const { data } = useQuery(retryQuery(id));
  const { data: success } = useQuery(successQuery(id));
  const { retry } = data ?? {};
  const isFollowed = retry?.status === 'running' || (enabled && success !== undefined && success.due > 0);
  useEffect(() => {
    if (!isFollowed) return;
    // One that is still being read goes on: broken off each time, a slow one would never end.
    const readAgain = () => void queries.invalidateQueries({ queryKey: WEBHOOKS }, { cancelRefetch: false });
    const timer = setInterval(readAgain, PENDING_AGAIN_MS);
    return () => {
      clearInterval(timer);
      readAgain();
    };
  }, [isFollowed, queries]);
  return data;
}
