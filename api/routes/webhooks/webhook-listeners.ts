import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import type { WebhookListenerRow } from '../../../db/entities/index.ts';
import {
  createListener,
  deleteListener,
  dropDone,
  findListener,
  type HandedOut,
  handOut,
  keepAnswers,
  type ListenerDeliveryRow,
  listListenerDeliveries,
  noteHeard,
} from '../../../db/queries/webhooks/webhook-listeners.ts';
import { boundedArray } from '../../../domain/bounded-array.ts';
import { notFound, Refusal } from '../../../domain/errors.ts';
import { sealedOf } from '../../../domain/projects/sealed.ts';
import { eventBody, isTaken } from '../../../domain/webhooks/delivery.ts';
import type { WebhookEventType } from '../../../domain/webhooks/event-types.ts';
import {
  HANDED_OUT_SECONDS,
  LISTENER_SECONDS,
  MOST_ANSWERED,
  MOST_HANDED_OUT,
  MOST_LISTENERS,
  MOST_WAIT_SECONDS,
} from '../../../domain/webhooks/listener.ts';
import { webhookHeaders } from '../../../domain/webhooks/signature.ts';
import { newStandardSecret, standardKey } from '../../../domain/webhooks/standard-webhooks.ts';
import * as examples from '../../examples/webhook-examples.ts';
import { defineRoute, type Route } from '../../route.ts';
import { CreatedAt, Id, Limit, PathId } from '../../schemas.ts';
import { AttemptRecord, DeliveryStatusName, Events, EventTypeName, Payload, Secret } from '../../webhook-schemas.ts';

/** Between two looks of a call that waits. */
const LOOK_EVERY_MS = 500;

const ListenerPath = z.object({ id: PathId.meta({ description: "The listener's id" }) });

const ListenerRecord = z
  .object({
    id: z.uuid().meta({ description: 'Stays the same while it is there' }),
    events: z.array(EventTypeName).nullable().meta({ description: 'null: all' }),
    created_at: CreatedAt,
  })
  .meta({ id: 'WebhookListener', description: 'Somebody who fetches events for a while' });

function listenerRecord({ id, events, created_at }: WebhookListenerRow): z.output<typeof ListenerRecord> {
  return { id, events: events as WebhookEventType[] | null, created_at };
}

const create = defineRoute({
  method: 'post',
  path: '/webhooks/listeners',
  scope: 'webhooks:write',
  summary: 'Listen to events for a while, without an address of your own',
  description:
    'For a machine that nobody can call, like that of a developer: what happens from now on is fetched with POST /webhooks/listeners/:id/next, ' +
    `signed as it would be sent. It ends by itself when nobody has asked for ${LISTENER_SECONDS} seconds: what happens after that is not kept ` +
    `for it. A project has at most ${MOST_LISTENERS} at once (\`too_many_webhooks\`). Endpoints get what they get, whoever listens.`,
  body: z
    .object({ events: Events, secret: Secret.nullish() })
    .meta({ id: 'WebhookListenerInput', description: 'What to listen to, and by which secret it is signed' }),
  status: 201,
  reply: z.object({
    listener: ListenerRecord,
    secret: z.string().meta({ description: 'What events are signed with. Told here only' }),
  }),
  errors: ['invalid_request', 'too_many_webhooks'],
  examples: examples.listen,
  async handle({ em, project, vault, newId }, { body }) {
    const id = newId();
    const secret = body.secret ?? newStandardSecret();
    const sealed_secret = vault.seal(Buffer.from(secret), sealedOf.listenerSecret(id));
    const events = body.events?.length ? [...new Set(body.events)] : null;
    const created = await em.transactional((tx) => createListener(tx, { id, project_id: project.id, events, sealed_secret }));
    if (!created) throw new Refusal('too_many_webhooks', `a project has at most ${MOST_LISTENERS} listeners at once`);
    return { listener: listenerRecord(created), secret };
  },
});

const Answered = z
  .object({
    id: Id.meta({ description: 'The `id` of the delivery' }),
    status: z.int().min(100).max(999).nullable().meta({ description: 'What was answered; null: nothing was' }),
    error: z.string().max(500).nullish().meta({ description: 'Why nothing was' }),
    milliseconds: z.int().min(0).max(86_400_000).nullish().meta({ description: 'How long it took' }),
  })
  .meta({ id: 'ListenerAnswer', description: 'What a receiver of yours answered to an event' });

const WAIT = `0 to ${MOST_WAIT_SECONDS} seconds`;
const LIMIT = `1 to ${MOST_HANDED_OUT}`;

const next = defineRoute({
  method: 'post',
  path: '/webhooks/listeners/:id/next',
  scope: 'webhooks:write',
  summary: 'Fetch what has happened, or wait for it',
  description:
    'The oldest first, each with the headers and the exact body of a call of an endpoint. Name what you are done with in `done` of the next ' +
    `call: what is not named within ${HANDED_OUT_SECONDS} seconds comes again, with the same \`webhook-id\`. Where nothing has happened the ` +
    'call waits for it, and answers with an empty list when its time is over.',
  params: ListenerPath,
  body: z
    .object({
      done: boundedArray(Id, 1000, { error: 'at most 1000' })
        .nullish()
        .meta({ description: 'The `id` of each delivery that you are done with' }),
      answers: boundedArray(Answered, 1000, { error: 'at most 1000' })
        .nullish()
        .meta({
          description: `What your receiver answered, which GET /webhooks/listeners/:id/deliveries then shows. You are done with these, too; the latest ${MOST_ANSWERED} are kept`,
        }),
      waitSeconds: z
        .number()
        .min(0, { error: WAIT })
        .max(MOST_WAIT_SECONDS, { error: WAIT })
        .nullish()
        .meta({ description: `How long to wait where nothing has happened: ${MOST_WAIT_SECONDS} when omitted` }),
      limit: z
        .int({ error: LIMIT })
        .min(1, { error: LIMIT })
        .max(MOST_HANDED_OUT, { error: LIMIT })
        .nullish()
        .meta({ description: `How many at most: ${MOST_HANDED_OUT} when omitted` }),
    })
    .meta({ id: 'ListenerTurn', description: 'What is done, and how long to wait for more' }),
  isBodyOptional: true,
  seconds: MOST_WAIT_SECONDS + 10,
  status: 200,
  reply: z.object({
    deliveries: z
      .array(
        z
          .object({
            id: z.uuid().meta({ description: 'What `webhook-id` says' }),
            event_type: z.string().meta({ description: 'What happened' }),
            headers: z.record(z.string(), z.string()).meta({ description: 'As they would be sent, signed now' }),
            body: z.string().meta({ description: 'Exactly as it would be sent, which the signature is over' }),
          })
          .meta({ id: 'ListenerDelivery', description: 'One event, as it would be sent to an endpoint' }),
      )
      .meta({ description: 'The oldest first; empty: nothing has happened' }),
  }),
  errors: ['invalid_request', 'not_found'],
  examples: examples.nextEvents,
  async handle({ em, project, vault, now, caller }, { params, body }) {
    const { id, sealed_secret } = (await findListener(em, project.id, params.id)) ?? notFound('listener');
    const key = standardKey(vault.open(sealed_secret, sealedOf.listenerSecret(id)).toString());
    if (body.answers?.length) await keepAnswers(em, id, body.answers.map(answerOf));
    if (body.done?.length) await dropDone(em, id, body.done);
    await noteHeard(em, id);
    const until = performance.now() + (body.waitSeconds ?? MOST_WAIT_SECONDS) * 1000;
    let found: HandedOut[] = [];
    for (;;) {
      found = await handOut(em, id, body.limit ?? MOST_HANDED_OUT);
      const left = until - performance.now();
      if (found.length > 0 || left <= 0) break;
      // Nothing is held meanwhile: neither a connection nor a transaction.
      await sleep(Math.min(LOOK_EVERY_MS, left), undefined, { signal: caller.deadline });
      // Nobody waits for one that was ended meanwhile.
      if (!(await findListener(em, project.id, id))) notFound('listener');
    }
    await noteHeard(em, id);
    const timestampSeconds = Math.floor(now().getTime() / 1000);
    return { deliveries: found.map((one) => handedOut(one, key, timestampSeconds)) };
  },
});

function answerOf({ id, status, error = null, milliseconds = null }: z.output<typeof Answered>) {
  return { id, status, error: status === null ? error : null, milliseconds };
}

function handedOut({ id, event_id, event_type, event_data, event_at }: HandedOut, key: Buffer, timestampSeconds: number) {
  const body = JSON.stringify(eventBody({ id: event_id, type: event_type, at: event_at, data: event_data }));
  return {
    id,
    event_type,
    headers: { 'content-type': 'application/json', ...webhookHeaders([key], { id, timestampSeconds, body }) },
    body,
  };
}

const deliveries = defineRoute({
  method: 'get',
  path: '/webhooks/listeners/:id/deliveries',
  scope: 'webhooks:read',
  summary: 'List what waits for a listener, and what its receiver answered, newest first',
  description: `Of what was told in \`answers\` the latest ${MOST_ANSWERED}, while the listener is there. What is done without an answer is not kept.`,
  params: ListenerPath,
  query: z.object({ limit: Limit }),
  status: 200,
  reply: z.object({
    deliveries: z
      .array(
        z
          .object({
            id: z.uuid().meta({ description: 'What `webhook-id` says' }),
            event_type: z.string().meta({ description: 'What happened' }),
            payload: Payload,
            status: DeliveryStatusName,
            created_at: CreatedAt,
            attempt_log: z.array(AttemptRecord).meta({ description: 'What was answered; empty: nothing is known of it yet' }),
          })
          .meta({ id: 'ListenerDeliveryState', description: 'One event on its way by a listener' }),
      )
      .meta({ description: 'The newest first' }),
  }),
  errors: ['not_found'],
  examples: examples.listenerDeliveries,
  async handle({ em, project }, { params, query }) {
    const { id } = (await findListener(em, project.id, params.id)) ?? notFound('listener');
    return { deliveries: (await listListenerDeliveries(em, id, query.limit)).map(shown) };
  },
});

function shown({ id, event_id, event_type, event_data, event_at, created_at, attempt }: ListenerDeliveryRow) {
  const payload = eventBody({ id: event_id, type: event_type, at: event_at, data: event_data });
  const isDelivered = attempt !== null && attempt.status !== null && isTaken({ status: attempt.status });
  const status = attempt === null ? ('pending' as const) : isDelivered ? ('delivered' as const) : ('failed' as const);
  return { id, event_type, payload, status, created_at, attempt_log: attempt ? [attempt] : [] };
}

const remove = defineRoute({
  method: 'delete',
  path: '/webhooks/listeners/:id',
  scope: 'webhooks:write',
  summary: 'Listen no longer; what was not fetched is dropped',
  params: ListenerPath,
  status: 200,
  reply: z.object({ id: z.uuid().meta({ description: 'What it was' }), deleted: z.literal(true).meta({ description: 'It is gone' }) }),
  errors: ['not_found'],
  examples: examples.removeListener,
  async handle({ em, project }, { params }) {
    if (!(await deleteListener(em, project.id, params.id))) notFound('listener');
    return { id: params.id, deleted: true as const };
  },
});

export const routes: readonly Route[] = [create, next, deliveries, remove];
