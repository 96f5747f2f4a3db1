import * as z from 'zod';
import { listDeliveries, retryDelivery, type ShownDelivery } from '../../db/queries/webhook-deliveries.ts';
import { findEndpoint } from '../../db/queries/webhook-endpoints.ts';
import { notFound } from '../../domain/errors.ts';
import { eventBody, MOST_ATTEMPTS, MOST_LOGGED } from '../../domain/webhook/delivery.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import * as examples from '../examples/webhook-examples.ts';
import { defineRoute } from '../route.ts';
import { CreatedAt, Cursor, Limit, NextCursor, PathId, Timestamp } from '../schemas.ts';

const EndpointId = PathId.meta({ description: "The endpoint's id" });

const DeliveryStatusName = z.enum(['pending', 'delivered', 'failed']).meta({
  id: 'WebhookDeliveryStatus',
  description: '`delivered`: the endpoint answered 2xx; `failed`: no attempt is left',
});

const AttemptRecord = z
  .object({
    series: z.int().meta({ description: 'A retry by hand begins another' }),
    number: z.int().meta({ description: 'Within its series, from 1 on' }),
    at: z.iso.datetime().meta({ description: 'When it began' }),
    status: z.int().nullable().meta({ description: 'null: there was no answer' }),
    error: z.string().nullable().meta({ description: 'Why there was no answer; null when there was one' }),
    milliseconds: z.int().nullable().meta({ description: 'null: not known' }),
  })
  .meta({
    id: 'WebhookAttempt',
    description: 'One call of the endpoint',
  });

const Payload = z
  .object({
    id: z.uuid().meta({ description: 'Of the event: the same for all endpoints' }),
    type: z.string().meta({ description: 'What happened' }),
    timestamp: z.iso.datetime().meta({ description: 'When it happened' }),
    data: z.unknown().meta({
      type: 'object',
      additionalProperties: { $ref: '#/components/schemas/JsonValue' },
      description: 'The record that it happened to',
    }),
  })
  .meta({
    id: 'WebhookPayload',
    description: 'The body as it is sent, the same at every attempt',
  });

const DeliveryRecord = z
  .object({
    id: z.uuid().meta({ description: 'What `webhook-id` says' }),
    event_type: z.string().meta({ description: 'What happened' }),
    payload: Payload,
    status: DeliveryStatusName,
    attempts: z.int().meta({ description: `Of the present series, at most ${MOST_ATTEMPTS}` }),
    response_status: z.int().nullable().meta({ description: 'Of the last attempt; null when that had no answer' }),
    next_attempt_at: Timestamp.meta({ description: 'The planned instant; once settled, that of the last attempt' }),
    created_at: CreatedAt,
    attempt_log: z
      .array(AttemptRecord)
      .meta({ description: `Every attempt that has ended, of all series, the oldest first; the latest ${MOST_LOGGED}` }),
  })
  .meta({ id: 'WebhookDelivery', description: 'One event on its way to one endpoint' });

export const list = defineRoute({
  method: 'get',
  path: '/webhooks/:id/deliveries',
  scope: 'any key',
  summary: "List an endpoint's deliveries, newest first",
  description: 'Kept as long as they are pending, and for 30 days from the last attempt on.',
  params: z.object({ id: EndpointId }),
  query: z.object({ status: DeliveryStatusName.optional(), limit: Limit, cursor: Cursor.optional() }),
  status: 200,
  reply: z.object({ deliveries: z.array(DeliveryRecord).meta({ description: 'This page' }), nextCursor: NextCursor }),
  errors: ['invalid_cursor', 'not_found'],
  examples: examples.listDeliveries,
  async handle({ em, project, vault }, { params, query }) {
    const { limit, cursor, status } = query;
    const scope = { projectId: project.id, list: `webhooks/${params.id}/deliveries`, filter: { status } };
    const from = readCursor(vault, scope, cursor);
    if (!(await findEndpoint(em, project.id, params.id))) notFound('webhook');
    const { deliveries, hasMore } = await listDeliveries(em, params.id, { limit, status, before: from && Number(from.id) });
    const last = hasMore ? deliveries.at(-1) : undefined;
    // By its place: several deliveries are created in one instant.
    const next = last && { createdAt: last.created_at, id: String(last.place) };
    return { deliveries: deliveries.map(recordOf), nextCursor: writeCursor(vault, scope, next) };
  },
});

export const retry = defineRoute({
  method: 'post',
  path: '/webhooks/:id/deliveries/:deliveryId/retry',
  scope: 'webhooks:write',
  summary: 'Attempt a settled delivery again',
  description: `With the same \`webhook-id\` and a fresh set of ${MOST_ATTEMPTS} attempts, the first at once. \`delivery_pending\`: it is not settled yet.`,
  params: z.object({ id: EndpointId, deliveryId: PathId.meta({ description: "The delivery's id" }) }),
  status: 200,
  reply: z.object({ delivery: DeliveryRecord }),
  errors: ['not_found', 'delivery_pending'],
  examples: examples.retry,
  async handle({ em, project }, { params }) {
    if (!(await findEndpoint(em, project.id, params.id))) notFound('webhook');
    const which = { projectId: project.id, endpointId: params.id, id: params.deliveryId };
    return { delivery: recordOf((await em.transactional((tx) => retryDelivery(tx, which))) ?? notFound('delivery')) };
  },
});

function recordOf(delivery: ShownDelivery): z.output<typeof DeliveryRecord> {
  const { id, event_id, event_type, event_data, event_at, status, attempts, response_status, next_attempt_at, created_at } = delivery;
  const payload = eventBody({ id: event_id, type: event_type, at: event_at, data: event_data });
  const attempt_log = [...delivery.attempt_log];
  return { id, event_type, payload, status, attempts, response_status, next_attempt_at, created_at, attempt_log };
}
