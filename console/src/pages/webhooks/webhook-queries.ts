import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answerOf, api, type Schemas } from '../../api/client.ts';

export type Endpoint = Schemas['WebhookEndpoint'];
export type Delivery = Schemas['WebhookDelivery'];
export type EventType = Schemas['WebhookEventType'];

/** All webhook queries begin with it. */
export const WEBHOOKS = ['webhooks'] as const;

/** What a success rate is of. */
const LATEST = 100;
const PENDING_AGAIN_MS = 1_500;
const AGAIN_MS = 15_000;

export function endpointsQuery() {
  return queryOptions({
    queryKey: [...WEBHOOKS, 'list'],
    queryFn: async ({ signal }) => (await answerOf(api.GET('/webhooks', { signal }))).webhooks,
  });
}

export interface DeliveryFilter {
  readonly status?: Delivery['status'];
  readonly cursor?: string;
}

/** Newest first. Those that are pending are followed. */
export function deliveriesQuery(id: string, query: DeliveryFilter) {
  return queryOptions({
    queryKey: [...WEBHOOKS, id, 'deliveries', query],
    queryFn: ({ signal }) => answerOf(api.GET('/webhooks/{id}/deliveries', { params: { path: { id }, query }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.deliveries.some(({ status }) => status === 'pending') ? PENDING_AGAIN_MS : AGAIN_MS),
  });
}

/** How the latest deliveries of an endpoint fared. */
interface Success {
  readonly delivered: number;
  readonly failed: number;
  readonly pending: number;
}

export function successQuery(id: string) {
  return queryOptions({
    queryKey: [...WEBHOOKS, id, 'success'],
    queryFn: async ({ signal }): Promise<Success> => {
      const { deliveries } = await answerOf(
        api.GET('/webhooks/{id}/deliveries', { params: { path: { id }, query: { limit: LATEST } }, signal }),
      );
      const count = (wanted: Delivery['status']): number => deliveries.filter(({ status }) => status === wanted).length;
      return { delivered: count('delivered'), failed: count('failed'), pending: count('pending') };
    },
    refetchInterval: AGAIN_MS,
  });
}
