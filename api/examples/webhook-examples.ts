import { ADA, HOOK_URL, IDS, NOW } from './shown-records.ts';

const ENDPOINT = { id: IDS.webhook, url: HOOK_URL, events: ['contact.subscribed', 'contact.unsubscribed'], enabled: true, created_at: NOW };
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';

export const list = [{ answer: { webhooks: [ENDPOINT] } }] as const;

export const create = [{ body: { url: HOOK_URL, events: ENDPOINT.events }, answer: { endpoint: ENDPOINT, secret: SECRET } }] as const;

export const change = [
  { params: { id: IDS.webhook }, body: { enabled: false }, answer: { endpoint: { ...ENDPOINT, enabled: false } } },
] as const;

export const remove = [{ params: { id: IDS.webhook }, answer: { id: IDS.webhook, deleted: true } }] as const;

export const rotate = [
  {
    params: { id: IDS.webhook },
    body: { overlapHours: 24 },
    answer: { endpoint: ENDPOINT, secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDC2FVsBQIhrs=' },
  },
] as const;

export const ping = [
  { title: 'A ping', params: { id: IDS.webhook }, answer: { delivered: true, responseStatus: 200 } },
  {
    title: 'An event to try out',
    params: { id: IDS.webhook },
    body: { type: 'contact.subscribed', data: { ...ADA, first_name: '' } },
    answer: {
      ...{ delivered: true, responseStatus: 200, milliseconds: 48, error: null },
      response: { headers: {}, body: 'ok', body_cut: false },
    },
  },
] as const;

const LISTENER = { id: IDS.webhook, events: ['contact.subscribed'], created_at: NOW };

export const listen = [{ body: { events: LISTENER.events }, answer: { listener: LISTENER, secret: SECRET } }] as const;

export const nextEvents = [
  {
    params: { id: IDS.webhook },
    body: { waitSeconds: 10, limit: 1 },
    answer: {
      deliveries: [
        {
          id: IDS.event,
          event_type: 'contact.subscribed',
          headers: {
            'content-type': 'application/json',
            'webhook-id': IDS.event,
            'webhook-timestamp': '1780000000',
            'webhook-signature': 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
          },
          body: '{"id":"…","type":"contact.subscribed","timestamp":"…","data":{}}',
        },
      ],
    },
  },
] as const;

export const listenerDeliveries = [{ params: { id: IDS.webhook }, query: { limit: 10 }, answer: { deliveries: [] } }] as const;

export const removeListener = [{ params: { id: IDS.webhook }, answer: { id: IDS.webhook, deleted: true } }] as const;

const RETRY = {
  id: IDS.event,
  status: 'running',
  event_type: null,
  from: null,
  to: null,
  total: 1204,
  retried: 0,
  delivered: 0,
  failed_again: 0,
  created_at: NOW,
  ended_at: null,
  workflow_id: `webhook-retry/${IDS.event}`,
} as const;

export const beginRetry = [{ params: { id: IDS.webhook }, body: {}, answer: { retry: RETRY } }] as const;

export const latestRetry = [
  {
    params: { id: IDS.webhook },
    answer: {
      failed: 4,
      waiting: 0,
      retry: { ...RETRY, ...{ status: 'completed', retried: 1204, delivered: 1200, failed_again: 4, ended_at: NOW } },
    },
  },
] as const;

const DELIVERY = {
  id: IDS.delivery,
  event_type: 'contact.subscribed',
  payload: { id: IDS.event, type: 'contact.subscribed', timestamp: NOW, data: ADA },
  status: 'delivered',
  attempts: 1,
  response_status: 200,
  next_attempt_at: '2026-06-01T12:00:00.130Z',
  created_at: NOW,
  attempt_log: [{ series: 1, number: 1, at: '2026-06-01T12:00:00.130Z', status: 200, error: null, milliseconds: 212 }],
  workflow_id: null,
};

export const listDeliveries = [
  { params: { id: IDS.webhook }, query: { status: 'delivered', limit: 50 }, answer: { deliveries: [DELIVERY], nextCursor: null } },
] as const;

export const read = [
  {
    params: { id: IDS.webhook, deliveryId: IDS.delivery },
    answer: { delivery: { ...DELIVERY, attempt_log: DELIVERY.attempt_log.map((attempt) => ({ ...attempt, response: null })) } },
  },
] as const;

export const retry = [
  {
    params: { id: IDS.webhook, deliveryId: IDS.delivery },
    answer: {
      delivery: {
        ...DELIVERY,
        status: 'pending',
        attempts: 0,
        response_status: null,
        next_attempt_at: '2026-06-01T13:00:00.000Z',
        workflow_id: `webhook/${IDS.delivery}`,
      },
    },
  },
] as const;

export const attempt = [
  { params: { id: IDS.webhook, deliveryId: IDS.delivery }, answer: { outcome: 'settled', delivery: DELIVERY } },
] as const;

export const attemptAll = [{ params: { id: IDS.webhook }, answer: { due: 214, hasMore: false } }] as const;
