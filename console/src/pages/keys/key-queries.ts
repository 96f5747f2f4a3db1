import { queryOptions } from '@tanstack/react-query';
import { answerOf, api, type Schemas } from '../../api/client.ts';

export type ApiKey = Schemas['ApiKey'];

/** Newest first, revoked ones among them. */
export function keysQuery() {
  return queryOptions({
    queryKey: ['keys'],
    queryFn: async ({ signal }) => (await answerOf(api.GET('/keys', { signal }))).keys,
  });
}
