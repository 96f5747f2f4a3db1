import * as z from 'zod';
import { answersTo } from '../../../db/queries/webhooks/webhook-answers.ts';
import { findDelivery, listDeliveries, retryDeliveryNow, retryWaitingNow } from '../../../db/queries/webhooks/webhook-deliveries.ts';
import { findEndpoint } from '../../../db/queries/webhooks/webhook-endpoints.ts';
import { notFound } from '../../../domain/errors.ts';
import { DELIVERIES_KEPT_MS } from '../../../domain/operations/retention.ts';
import { grouped, shownPeriod } from '../../../domain/shown-text.ts';
import { MOST_ATTEMPTS } from '../../../domain/webhooks/delivery.ts';
import { retryDelivery } from '../../../usecases/webhooks/retry-delivery.ts';
import { readCursor, writeCursor } from '../../cursor.ts';
import * as examples from '../../examples/webhook-examples.ts';
import { defineRoute, type Route } from '../../route.ts';
import { Cursor, FilterText, Limit, NextCursor, PathId, Timestamp } from '../../schemas.ts';
import { AnsweredDelivery, answeredDelivery, DeliveryRecord, DeliveryStatusName, deliveryRecord } from '../../webhook-schemas.ts';

const EndpointId = PathId.meta({ description: "The endpoint's id" });

const DeliveryPath = z.object({ id: EndpointId, deliveryId: PathId.meta({ description: "The delivery's id" }) });

const list = defineRoute({
  method: 'get',
  path: '/webhooks/:id/deliveries',
  scope: 'webhooks:read',
  summary: "List an endpoint's deliveries, newest first",
  description: `Kept as long as they are pending, and for ${shownPeriod(DELIVERIES_KEPT_MS)} from the last attempt on.`,
  params: z.object({ id: EndpointId }),
  query: z.object({
    status: DeliveryStatusName.optional(),
    eventType: FilterText.optional().meta({
      description:
        'What happened, like `email.bounced`. Of a rare one a page may be short, or empty, while `nextCursor` leads to older ones',
    }),
    from: Timestamp.optional().meta({ description: 'Made then or later' }),
    to: Timestamp.optional().meta({ description: 'Made before' }),
    q: FilterText.optional().meta({ description: 'The whole `webhook-id`, or the whole `id` of the body' }),
    limit: Limit,
    cursor: Cursor.optional(),
  }),
  status: 200,
  reply: z.object({ deliveries: z.array(DeliveryRecord).meta({ description: 'This page' }), nextCursor: NextCursor }),
  errors: ['invalid_cursor', 'not_found'],
  examples: examples.listDeliveries,
  async handle({ em, project, vault }, { params, query }) {
    const { limit, cursor, ...filter } = query;
    const scope = { projectId: project.id, list: `webhooks/${params.id}/deliveries`, filter };
    const from = readCursor(vault, scope, cursor);
    if (!(await findEndpoint(em, project.id, params.id))) notFound('webhook');
    const before = from && { created_at: from.createdAt, place: Number(from.id) };
    const { deliveries, next } = await listDeliveries(em, { projectId: project.id, endpointId: params.id }, { limit, filter, before });
    // By its place: several deliveries are created in one instant.
    const place = next && { createdAt: next.created_at, id: String(next.place) };
    return { deliveries: deliveries.map(deliveryRecord), nextCursor: writeCursor(vault, scope, place) };
  },
});

const read = defineRoute({
  method: 'get',
  path: '/webhooks/:id/deliveries/:deliveryId',
  scope: 'webhooks:read',
  summary: 'Read one delivery, with what was answered to each attempt',
  description:
    'Of an answer that is no 2xx the headers are kept for as long as the delivery, and of every answer its body, too, where the endpoint has `keep_answers`.',
  params: DeliveryPath,
  status: 200,
  reply: z.object({ delivery: AnsweredDelivery }),
  errors: ['not_found'],
  examples: examples.read,
  async handle({ em, project }, { params }) {
    const { id, deliveryId } = params;
    if (!(await findEndpoint(em, project.id, id))) notFound('webhook');
    const delivery = (await findDelivery(em, id, deliveryId)) ?? notFound('delivery');
    return { delivery: answeredDelivery(delivery, await answersTo(em, deliveryId)) };
  },
});

const retry = defineRoute({
  method: 'post',
  path: '/webhooks/:id/deliveries/:deliveryId/retry',
  scope: 'webhooks:write',
  summary: 'Attempt a settled delivery again',
  description: `With the same \`webhook-id\` and a fresh set of ${MOST_ATTEMPTS} attempts, the first at once. \`delivery_pending\`: it is not settled yet.`,
  params: DeliveryPath,
  status: 200,
  reply: z.object({ delivery: DeliveryRecord }),
  errors: ['not_found', 'delivery_pending'],
  examples: examples.retry,
  async handle({ em, project }, { params }) {
    if (!(await findEndpoint(em, project.id, params.id))) notFound('webhook');
    const which = { projectId: project.id, endpointId: params.id, id: params.deliveryId };
    return { delivery: deliveryRecord((await em.transactional((tx) => retryDelivery(tx, which))) ?? notFound('delivery')) };
  },
});

const AttemptOutcome = z.enum(['due', 'under_way', 'held', 'settled']).meta({
  id: 'WebhookAttemptOutcome',
  description:
    '`due`: the attempt is made as soon as the endpoint has a place for it. Nothing changed for the others. `under_way`: an attempt is being ' +
    'made just now, or the first is in line; `held`: the endpoint is disabled; `settled`: nothing is left to be attempted',
});

/** Of one call for all that waits: one statement, also where a hundred thousand wait. */
const MOST_RETRIED_NOW = 5_000;

const attempt = defineRoute({
  method: 'post',
  path: '/webhooks/:id/deliveries/:deliveryId/attempt',
  scope: 'webhooks:write',
  summary: 'Make the next attempt of a pending delivery now',
  description:
    'For a receiver that is mended: what is planned for later is due now. It is one of its ' +
    `${MOST_ATTEMPTS} attempts. What was settled meanwhile is begun again by /retry.`,
  params: DeliveryPath,
  status: 200,
  reply: z.object({ outcome: AttemptOutcome, delivery: DeliveryRecord }),
  errors: ['not_found'],
  examples: examples.attempt,
  async handle({ em, project }, { params }) {
    const endpoint = (await findEndpoint(em, project.id, params.id)) ?? notFound('webhook');
    const retried = await em.transactional((tx) => retryDeliveryNow(tx, endpoint, params.deliveryId));
    const { isRetriedNow, delivery } = retried ?? notFound('delivery');
    const outcome: z.output<typeof AttemptOutcome> = isRetriedNow
      ? 'due'
      : delivery.status !== 'pending'
        ? 'settled'
        : endpoint.enabled
          ? 'under_way'
          : 'held';
    return { outcome, delivery: deliveryRecord(delivery) };
  },
});

const attemptAll = defineRoute({
  method: 'post',
  path: '/webhooks/:id/deliveries/attempt',
  scope: 'webhooks:write',
  summary: 'Make the next attempts of all pending deliveries of an endpoint now',
  description:
    `The oldest first, at most ${grouped(MOST_RETRIED_NOW)} by one call: call again while \`hasMore\`. The endpoint is called no more often at once ` +
    'than ever: of its places half stay for what happens meanwhile. Attempts that are due already, or under way, are left as they are.',
  params: z.object({ id: EndpointId }),
  status: 200,
  reply: z.object({
    due: z.int().meta({ description: 'So many that were planned for later are due now. 0 while the endpoint is disabled' }),
    hasMore: z.boolean().meta({ description: 'More may be planned for later' }),
  }),
  errors: ['not_found'],
  examples: examples.attemptAll,
  async handle({ em, project }, { params }) {
    const { id, enabled } = (await findEndpoint(em, project.id, params.id)) ?? notFound('webhook');
    const due = enabled ? await em.transactional((tx) => retryWaitingNow(tx, id, MOST_RETRIED_NOW)) : 0;
    return { due, hasMore: due === MOST_RETRIED_NOW };
  },
});

export const routes: readonly Route[] = [list, read, retry, attempt, attemptAll];
