import * as z from 'zod';
import { countWaiting } from '../../../db/queries/webhooks/webhook-deliveries.ts';
import { findEndpoint } from '../../../db/queries/webhooks/webhook-endpoints.ts';
import { countFailed, latestRetry, type RetryFilter, retryOutcome } from '../../../db/queries/webhooks/webhook-retries.ts';
import { notFound } from '../../../domain/errors.ts';
import { grouped } from '../../../domain/shown-text.ts';
import { MOST_ATTEMPTS } from '../../../domain/webhooks/delivery.ts';
import { MOST_COUNTED } from '../../../domain/webhooks/retry.ts';
import { beginRetry } from '../../../usecases/webhooks/retry-failed.ts';
import * as examples from '../../examples/webhook-examples.ts';
import { defineRoute, type Route } from '../../route.ts';
import { FilterText, PathId, Timestamp } from '../../schemas.ts';
import { RetryBody, RetryRecord, retryRecord } from '../../webhook-schemas.ts';

const EndpointPath = z.object({ id: PathId.meta({ description: "The endpoint's id" }) });

type Asked = { readonly [Name in 'eventType' | 'from' | 'to']?: z.output<typeof RetryBody>[Name] };

function filterOf({ eventType, from, to }: Asked): RetryFilter {
  return { event_type: eventType ?? null, made_from: from ?? null, made_to: to ?? null };
}

const begin = defineRoute({
  method: 'post',
  path: '/webhooks/:id/retries',
  scope: 'webhooks:write',
  summary: 'Attempt all failed deliveries of an endpoint again',
  description:
    `What has failed by now, or of that what the body asks for, each with its \`webhook-id\` and a fresh set of ${MOST_ATTEMPTS} attempts. It is answered at ` +
    'once and goes on by itself, whatever process dies: the oldest first, and no more at a time than hold up nothing that happens meanwhile. ' +
    'One at a time for each endpoint, else `invalid_status`.',
  params: EndpointPath,
  isBodyOptional: true,
  body: RetryBody,
  status: 201,
  reply: z.object({ retry: RetryRecord }),
  errors: ['invalid_request', 'not_found', 'invalid_status'],
  examples: examples.beginRetry,
  async handle({ em, project, newId }, { params, body }) {
    if (!(await findEndpoint(em, project.id, params.id))) notFound('webhook');
    const asked = { id: newId(), project_id: project.id, endpoint_id: params.id, ...filterOf(body) };
    return { retry: retryRecord(await em.transactional((tx) => beginRetry(tx, asked)), undefined) };
  },
});

const latest = defineRoute({
  method: 'get',
  path: '/webhooks/:id/retries/latest',
  scope: 'webhooks:read',
  summary: 'How far the latest retry of all failed deliveries is, how many have failed, and how many wait for their next attempt',
  params: EndpointPath,
  query: z.object({
    eventType: FilterText.optional().meta({ description: 'Counts those of this type' }),
    from: Timestamp.optional().meta({ description: 'Counts those made then or later' }),
    to: Timestamp.optional().meta({ description: 'Counts those made before' }),
  }),
  status: 200,
  reply: z.object({
    failed: z.int().meta({ description: `Have failed at present, and would be begun again; counted to ${grouped(MOST_COUNTED)}` }),
    waiting: z.int().meta({
      description: `Are pending and have their next attempt planned for later, whatever the query; counted to ${grouped(MOST_COUNTED)}`,
    }),
    retry: RetryRecord.nullable().meta({ description: 'null: there was none' }),
  }),
  errors: ['not_found'],
  examples: examples.latestRetry,
  async handle({ em, project }, { params, query }) {
    if (!(await findEndpoint(em, project.id, params.id))) notFound('webhook');
    const retry = await latestRetry(em, params.id);
    const failed = await countFailed(em, params.id, filterOf(query), MOST_COUNTED);
    const waiting = await countWaiting(em, params.id, MOST_COUNTED);
    return { failed, waiting, retry: retry ? retryRecord(retry, await retryOutcome(em, retry.id)) : null };
  },
});

export const routes: readonly Route[] = [begin, latest];
