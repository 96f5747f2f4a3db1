import { queryOptions } from '@tanstack/react-query';
import { answerOf, api, type Schemas } from '../../api/client.ts';

/** What every query of keys begins with. */
export const KEYS = ['keys'];

export type ApiKey = Schemas['ApiKey'];

/** Newest first, revoked ones among them. */
export function keysQuery() {
  return queryOptions({
    queryKey: KEYS,
    queryFn: async ({ signal }) => (await answerOf(api.GET('/keys', { signal }))).keys,
  });
}
