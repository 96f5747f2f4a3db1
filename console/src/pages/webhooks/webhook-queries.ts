import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answerOf, api, type ListQuery, type Schemas } from '../../api/client.ts';

export type Endpoint = Schemas['WebhookEndpoint'];
export type Delivery = Schemas['WebhookDelivery'];
export type EventType = Schemas['WebhookEventType'];
export type AnsweredDelivery = Schemas['WebhookAnsweredDelivery'];
export type Answer = Schemas['WebhookAnswer'];

/** All webhook queries begin with it. */
export const WEBHOOKS = ['webhooks'] as const;

/** What a success rate is of. */
const LATEST = 100;
export const PENDING_AGAIN_MS = 1_500;
/** Of each endpoint of the list. */
const DUE_AGAIN_MS = 2_000;
const AGAIN_MS = 15_000;
const SOON_MS = 5_000;

export function endpointsQuery() {
  return queryOptions({
    queryKey: [...WEBHOOKS, 'list'],
    queryFn: async ({ signal }) => (await answerOf(api.GET('/webhooks', { signal }))).webhooks,
  });
}

export type DeliveryFilter = ListQuery<'/webhooks/{id}/deliveries'>;

/** Newest first. Those that are pending are followed. */
export function deliveriesQuery(id: string, query: DeliveryFilter) {
  return queryOptions({
    queryKey: [...WEBHOOKS, id, 'deliveries', query],
    queryFn: ({ signal }) => answerOf(api.GET('/webhooks/{id}/deliveries', { params: { path: { id }, query }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.deliveries.some(({ status }) => status === 'pending') ? PENDING_AGAIN_MS : AGAIN_MS),
  });
}

/** One delivery, with what was answered to its attempts. `attempts`: so many are known already; with another one it is read again. */
export function deliveryQuery(id: string, deliveryId: string, attempts: number) {
  return queryOptions({
    queryKey: [...WEBHOOKS, id, 'delivery', deliveryId, attempts],
    queryFn: async ({ signal }) =>
      (await answerOf(api.GET('/webhooks/{id}/deliveries/{deliveryId}', { params: { path: { id, deliveryId } }, signal }))).delivery,
    placeholderData: keepPreviousData,
  });
}

/** How many deliveries have failed for good and how many wait for an attempt, and how far the latest retry is; what goes on is followed. */
export function retryQuery(id: string) {
  return queryOptions({
    queryKey: [...WEBHOOKS, id, 'retry'],
    queryFn: ({ signal }) => answerOf(api.GET('/webhooks/{id}/retries/latest', { params: { path: { id } }, signal })),
    refetchInterval: ({ state }) => {
      if (state.data?.retry?.status === 'running') return PENDING_AGAIN_MS;
      return state.data && state.data.waiting > 0 ? SOON_MS : AGAIN_MS;
    },
  });
}

/** How the latest deliveries of an endpoint fared. */
interface Success {
  readonly taken: number;
  /** Those with an attempt that has ended, pending ones too. */
  readonly tried: number;
  readonly pending: number;
  /** Of those tried: pending again. */
  readonly retrying: number;
  /** Pending, and attempted now or in a moment. */
  readonly due: number;
  /** The last answer of an endpoint that takes nothing at present; its status is null where there was none. */
  readonly refusal: Pick<Attempt, 'status'> | undefined;
}

type Attempt = Delivery['attempt_log'][number];

export function successQuery(id: string) {
  return queryOptions({
    queryKey: [...WEBHOOKS, id, 'success'],
    queryFn: async ({ signal }): Promise<Success> => {
      const { deliveries } = await answerOf(
        api.GET('/webhooks/{id}/deliveries', { params: { path: { id }, query: { limit: LATEST } }, signal }),
      );
      const count = (isMeant: (delivery: Delivery) => boolean): number => deliveries.filter(isMeant).length;
      return {
        taken: count(({ status }) => status === 'delivered'),
        tried: count(({ status, attempt_log: log }) => status !== 'pending' || log.length > 0),
        pending: count(({ status }) => status === 'pending'),
        retrying: count(({ status, attempt_log: log }) => status === 'pending' && log.length > 0),
        due: count(({ status, next_attempt_at: next }) => status === 'pending' && Date.parse(next) < Date.now() + SOON_MS),
        refusal: refusalOf(deliveries),
      };
    },
    refetchInterval: ({ state }) => (state.data && state.data.due > 0 ? DUE_AGAIN_MS : AGAIN_MS),
  });
}

/** So many attempts in a row, or all that are known where they are fewer: among answers that are taken, one refusal says little. */
const REFUSED_IN_A_ROW = 5;

function refusalOf(deliveries: readonly Delivery[]): Attempt | undefined {
  const attempts = deliveries.flatMap(({ attempt_log: log }) => log).sort((one, other) => Date.parse(other.at) - Date.parse(one.at));
  const latest = attempts.slice(0, REFUSED_IN_A_ROW);
  return latest.every(({ status }) => status === null || status < 200 || status > 299) ? latest[0] : undefined;
}
