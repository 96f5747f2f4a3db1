import * as z from 'zod';
import { createEndpoint, findEndpoint, listEndpoints, rotateSecret } from '../../../db/queries/webhooks/webhook-endpoints.ts';
import { invalidRequest, notFound, Refusal } from '../../../domain/errors.ts';
import { sealedOf } from '../../../domain/projects/sealed.ts';
import { MOST_ENDPOINTS, PING_SECONDS, TEST_HEADER } from '../../../domain/webhooks/endpoint.ts';
import type { WebhookEventType } from '../../../domain/webhooks/event-types.ts';
import { newStandardSecret } from '../../../domain/webhooks/standard-webhooks.ts';
import { changeEndpoint } from '../../../usecases/webhooks/change-endpoint.ts';
import { deleteEndpoint } from '../../../usecases/webhooks/delete-endpoint.ts';
import * as examples from '../../examples/webhook-examples.ts';
import { defineRoute, type KeyContext, type Route } from '../../route.ts';
import { PathId } from '../../schemas.ts';
import {
  EndpointBody,
  EndpointChanges,
  EndpointRecord,
  EndpointWithSecret,
  endpointRecord,
  ReceiverAnswer,
  RotationBody,
  TriedBody,
} from '../../webhook-schemas.ts';

const WebhookPath = z.object({ id: PathId.meta({ description: "The endpoint's id" }) });

const HOUR_MS = 3_600_000;
/** What a project that pings in a loop is told to wait. */
const PING_AGAIN_SECONDS = 5;

const list = defineRoute({
  method: 'get',
  path: '/webhooks',
  scope: 'webhooks:read',
  summary: 'List webhook endpoints, newest first',
  status: 200,
  reply: z.object({ webhooks: z.array(EndpointRecord).meta({ description: 'All of them' }) }),
  examples: examples.list,
  async handle({ em, project }) {
    return { webhooks: (await listEndpoints(em, project.id)).map(endpointRecord) };
  },
});

const create = defineRoute({
  method: 'post',
  path: '/webhooks',
  scope: 'webhooks:write',
  summary: 'Have events sent to an address of yours',
  description:
    `What happens from now on is sent, signed by Standard Webhooks 1.0. A project has at most ${MOST_ENDPOINTS} endpoints ` +
    '(`too_many_webhooks`). The URL is checked as far as its form tells; a name is looked up when it is called.',
  body: EndpointBody,
  status: 201,
  reply: EndpointWithSecret,
  errors: ['invalid_request', 'too_many_webhooks'],
  examples: examples.create,
  async handle(context, { body }) {
    const { em, project, vault, newId } = context;
    refuseBadUrl(context, body.url);
    const id = newId();
    const secret = body.secret ?? newStandardSecret();
    const sealed_secret = vault.seal(Buffer.from(secret), sealedOf.endpointSecret(id));
    const endpoint = {
      id,
      project_id: project.id,
      url: body.url,
      events: namesOf(body.events),
      keep_answers: body.keepAnswers ?? false,
      sealed_secret,
    };
    const created = await em.transactional((tx) => createEndpoint(tx, endpoint));
    if (!created) throw new Refusal('too_many_webhooks', `a project has at most ${MOST_ENDPOINTS} webhook endpoints`);
    return { endpoint: endpointRecord(created), secret };
  },
});

const change = defineRoute({
  method: 'patch',
  path: '/webhooks/:id',
  scope: 'webhooks:write',
  summary: 'Change an endpoint, or switch it off and on',
  description:
    'Only what is given changes; `events: null` or `[]` subscribes to all. While `enabled` is false nothing is written for the endpoint or sent ' +
    'to it; deliveries that are pending hold and go on when it is true again. The next attempt of each pending delivery goes to the changed URL.',
  params: WebhookPath,
  body: EndpointChanges,
  status: 200,
  reply: z.object({ endpoint: EndpointRecord }),
  errors: ['invalid_request', 'not_found'],
  examples: examples.change,
  async handle(context, { params, body }) {
    const { em, project } = context;
    const { url, events, enabled, keepAnswers } = body;
    if (url != null) refuseBadUrl(context, url);
    const given = {
      ...(url == null ? {} : { url }),
      ...(events === undefined ? {} : { events: namesOf(events) }),
      ...(enabled == null ? {} : { enabled }),
      ...(keepAnswers == null ? {} : { keep_answers: keepAnswers }),
    };
    const changed = await em.transactional((tx) => changeEndpoint(tx, project.id, params.id, given));
    return { endpoint: endpointRecord(changed ?? notFound('webhook')) };
  },
});

const remove = defineRoute({
  method: 'delete',
  path: '/webhooks/:id',
  scope: 'webhooks:write',
  summary: 'Delete an endpoint; what is queued for it is dropped',
  description: 'Nothing is sent to it any more, except for calls that are under way at this moment.',
  params: WebhookPath,
  status: 200,
  reply: z.object({ id: z.uuid().meta({ description: 'What it was' }), deleted: z.literal(true).meta({ description: 'It is gone' }) }),
  errors: ['not_found'],
  examples: examples.remove,
  async handle({ em, project }, { params }) {
    if (!(await em.transactional((tx) => deleteEndpoint(tx, project.id, params.id)))) notFound('webhook');
    return { id: params.id, deleted: true as const };
  },
});

const rotate = defineRoute({
  method: 'post',
  path: '/webhooks/:id/rotate',
  scope: 'webhooks:write',
  summary: 'Make a new signing secret',
  description:
    'It signs from now on, retries of earlier events too. The old one stops working at once, unless `overlapHours` says that both sign for so ' +
    'long: `webhook-signature` then carries two signatures, and a receiver takes whichever it knows.',
  params: WebhookPath,
  isBodyOptional: true,
  body: RotationBody,
  status: 200,
  reply: EndpointWithSecret,
  errors: ['not_found'],
  examples: examples.rotate,
  async handle({ em, project, vault, now }, { params, body }) {
    const secret = newStandardSecret();
    const overlapMs = (body.overlapHours ?? 0) * HOUR_MS;
    const rotated = await rotateSecret(em, project.id, params.id, {
      sealed: vault.seal(Buffer.from(secret), sealedOf.endpointSecret(params.id)),
      previousUntil: overlapMs > 0 ? new Date(now().getTime() + overlapMs) : null,
    });
    return { endpoint: endpointRecord(rotated ?? notFound('webhook')), secret };
  },
});

const ping = defineRoute({
  method: 'post',
  path: '/webhooks/:id/ping',
  scope: 'webhooks:write',
  summary: 'Send a webhook.ping, or an event of your own to try out, at once',
  description:
    `Signed like every event, also while the endpoint is disabled, within ${PING_SECONDS} s, once, and not recorded. \`delivered\`: the answer was ` +
    '2xx. `responseStatus: null`: there was no answer, because of DNS, TLS, the time, or an address that is not public. A few pings to one ' +
    'endpoint may be under way at once; one more is `rate_limited`. With `type` or `data` that event is sent instead, marked by the header ' +
    `\`${TEST_HEADER}\`, and the answer has what came back; neither changes deliveries or is tried again.`,
  params: WebhookPath,
  isBodyOptional: true,
  body: TriedBody,
  status: 200,
  reply: z.object({
    delivered: z.boolean().meta({ description: 'The answer was 2xx' }),
    responseStatus: z.int().nullable().meta({ description: 'What the endpoint answered; null: nothing' }),
    milliseconds: z.int().optional().meta({ description: 'Of an event that is tried out: until the status, or the failure' }),
    error: z.string().nullable().optional().meta({ description: 'Likewise: why there was no answer' }),
    response: ReceiverAnswer.nullable().optional().meta({ description: 'Likewise: what came back, which is not kept' }),
  }),
  errors: ['not_found'],
  examples: examples.ping,
  async handle({ em, project, pingWebhook }, { params, body }) {
    const endpoint = (await findEndpoint(em, project.id, params.id)) ?? notFound('webhook');
    const isTrial = body.type != null || body.data != null;
    const answer = await pingWebhook(endpoint, isTrial ? { type: body.type ?? undefined, data: body.data ?? undefined } : undefined);
    if (answer && isTrial) return answer;
    if (answer) return { delivered: answer.delivered, responseStatus: answer.responseStatus };
    throw new Refusal('rate_limited', 'too many pings are under way', { retryAfterSeconds: PING_AGAIN_SECONDS });
  },
});

function refuseBadUrl({ checkWebhookUrl }: KeyContext, url: string): void {
  const message = checkWebhookUrl(url);
  if (message !== undefined) throw invalidRequest([{ path: 'url', message }]);
}

/** Each once; null: all. */
function namesOf(events: readonly WebhookEventType[] | null | undefined): string[] | null {
  return events?.length ? [...new Set(events)] : null;
}

export const routes: readonly Route[] = [list, create, change, remove, rotate, ping];
