import * as z from 'zod';
import type { WebhookEndpointRow, WebhookRetryRow } from '../db/entities/index.ts';
import type { ShownDelivery } from '../db/queries/webhooks/webhook-deliveries.ts';
import type { RetryOutcome } from '../db/queries/webhooks/webhook-retries.ts';
import { boundedArray } from '../domain/bounded-array.ts';
import { MAX_URL_LENGTH } from '../domain/text-lengths.ts';
import { eventBody, MOST_ATTEMPTS, MOST_LOGGED } from '../domain/webhooks/delivery.ts';
import { MOST_OVERLAP_HOURS, MOST_TRIED_KB, PING_TYPE } from '../domain/webhooks/endpoint.ts';
import { WEBHOOK_EVENT_TYPES, type WebhookEventType } from '../domain/webhooks/event-types.ts';
import { RETRY_STATUSES } from '../domain/webhooks/retry.ts';
import { ANSWER_BYTES, type ShownAnswer } from '../domain/webhooks/shown-answer.ts';
import { parseSecret, SECRET_RULE } from '../domain/webhooks/signature.ts';
import { burstWorkflowId, deliveryWorkflowId, retryWorkflowId } from '../workflows/contracts.ts';
import { CreatedAt, FilterText, jsonObject, Timestamp } from './schemas.ts';

const Url = z
  .string()
  .min(1, { error: 'not a valid URL' })
  .max(MAX_URL_LENGTH, { error: `at most ${MAX_URL_LENGTH} characters` })
  // The URL parser drops or escapes them, so another URL would be called than the record shows.
  .regex(/^[^\s\p{Cc}]*$/u, { error: 'no spaces or control characters' })
  .meta({
    format: 'uri',
    // The same rule, for readers whose patterns know no Unicode properties.
    pattern: '^[^\\s\\x00-\\x1f\\x7f-\\x9f]*$',
    description:
      'https, without a user name or password. A literal address must be public; a name is looked up at every call, and then each of its ' +
      'addresses must be. Redirects are not followed.',
  });

export const EventTypeName = z
  .enum(WEBHOOK_EVENT_TYPES, { error: `not a subscribable event: one of ${WEBHOOK_EVENT_TYPES.join(', ')}` })
  .meta({ id: 'WebhookEventType', description: 'What an endpoint can be told of' });

export const Events = boundedArray(EventTypeName, 100, { error: 'at most 100 events' })
  .nullish()
  .meta({ description: 'null or empty: all of them, those of later versions too' });

export const Secret = z
  .string()
  .min(16, { error: SECRET_RULE, abort: true })
  .max(128, { error: SECRET_RULE, abort: true })
  .refine((text) => parseSecret(text) !== undefined, { error: SECRET_RULE })
  .meta({
    description:
      `Your own signing secret: ${SECRET_RULE}. Of another text than whsec_… the UTF-8 bytes are the key: libraries of Standard Webhooks take ` +
      'it as raw (`new Webhook(secret, { format: "raw" })`). Made when omitted',
  });

export const EndpointRecord = z
  .object({
    id: z.uuid().meta({ description: 'Stays the same for good' }),
    url: z.string().meta({ description: 'Where events go' }),
    events: z.array(EventTypeName).nullable().meta({ description: 'null: all' }),
    enabled: z.boolean().meta({ description: 'false: nothing is written for it or sent to it' }),
    keep_answers: z.literal(true).optional().meta({ description: 'Bodies of its answers are kept; omitted where they are not' }),
    created_at: CreatedAt,
  })
  .meta({
    id: 'WebhookEndpoint',
    description: 'An address of yours that is told of what happens',
  });

/** An endpoint as the API shows it: without its secret. */
export function endpointRecord(endpoint: WebhookEndpointRow): z.output<typeof EndpointRecord> {
  const { id, url, events, enabled, keep_answers, created_at } = endpoint;
  const kept = keep_answers ? { keep_answers: true as const } : {};
  return { id, url, events: events as WebhookEventType[] | null, enabled, ...kept, created_at };
}

export const EndpointWithSecret = z.object({
  endpoint: EndpointRecord,
  secret: z.string().meta({
    description: 'Told here only. It signs every call; a receiver verifies against the raw body',
  }),
});

const KeepAnswers = z
  .boolean()
  .nullish()
  .meta({
    description:
      `true: the first ${ANSWER_BYTES / 1024} KB of the body of each answer are kept with its delivery, and of answers of 2xx the headers too. ` +
      'A receiver may repeat what it was sent: an erased contact takes such answers along',
  });

export const EndpointBody = z.object({ url: Url, events: Events, secret: Secret.nullish(), keepAnswers: KeepAnswers }).meta({
  id: 'WebhookInput',
  description: 'Where events go, and which',
});

export const EndpointChanges = z
  .object({
    url: Url.nullish(),
    events: Events,
    enabled: z.boolean().nullish().meta({ description: 'false holds what is pending and writes nothing new' }),
    keepAnswers: KeepAnswers,
  })
  .meta({ id: 'WebhookChange', description: 'What is omitted stays as it is' });

export const RotationBody = z
  .object({
    overlapHours: z
      .number()
      .min(0, { error: `0 to ${MOST_OVERLAP_HOURS}` })
      .max(MOST_OVERLAP_HOURS, { error: `0 to ${MOST_OVERLAP_HOURS}` })
      .nullish()
      .meta({ description: 'For so long the old secret signs, too; 0 when omitted, fractions are possible' }),
  })
  .meta({ id: 'WebhookRotation', description: 'How the old secret ends' });

export const TriedBody = z
  .object({
    type: z
      .enum([PING_TYPE, ...WEBHOOK_EVENT_TYPES], { error: 'not an event: one of those that can be subscribed to, or webhook.ping' })
      .nullish()
      .meta({ description: `\`${PING_TYPE}\` when omitted` }),
    data: jsonObject(MOST_TRIED_KB, 'The `data` of the event, as the receiver is to see it').nullish(),
  })
  .meta({ id: 'WebhookTrial', description: 'An event that is tried out; a bare ping without both' });

export const ReceiverAnswer = z
  .object({
    headers: z.record(z.string(), z.string()).meta({
      description:
        'Those that tell what kind of answer it is, who gave it, and how to find it in the logs of the receiver; none that carries secrets',
    }),
    body: z
      .string()
      .nullable()
      .meta({
        description:
          `At most the first ${ANSWER_BYTES / 1024} KB, as UTF-8: other bytes are U+FFFD, control characters the pictures of them. ` +
          'null: not kept, since the endpoint has no `keep_answers`',
      }),
    body_cut: z.boolean().meta({ description: 'The body went on' }),
  })
  .meta({ id: 'WebhookAnswer', description: 'What the receiver answered beside its status' });

const FromFilter = Timestamp.nullish().meta({ description: 'Made then or later' });
const ToFilter = Timestamp.nullish().meta({ description: 'Made before' });

export const RetryBody = z
  .object({
    eventType: FilterText.nullish().meta({ description: 'What happened, like `email.bounced`' }),
    from: FromFilter,
    to: ToFilter,
  })
  .meta({ id: 'WebhookRetryInput', description: 'Which of the failed deliveries; all without it' });

export const RetryRecord = z
  .object({
    id: z.uuid().meta({ description: 'Stays the same for good' }),
    status: z.enum(RETRY_STATUSES).meta({ description: '`cancelled`: an operator ended it; what it had not begun again stays failed' }),
    event_type: z.string().nullable().meta({ description: 'null: whatever happened' }),
    from: Timestamp.nullable().meta({ description: 'null: from the first on' }),
    to: Timestamp.nullable().meta({ description: 'null: to the last' }),
    total: z.int().meta({ description: 'Had failed when it was asked for' }),
    retried: z.int().meta({ description: 'Begun again so far' }),
    delivered: z.int().nullable().meta({ description: 'Of these, by now; null: not known of what was retried before it was counted' }),
    failed_again: z.int().nullable().meta({ description: 'Of these, with no attempt left; the others are pending. null as `delivered`' }),
    created_at: CreatedAt,
    ended_at: Timestamp.nullable().meta({ description: 'null: it runs' }),
    workflow_id: z.string().meta({ description: 'The workflow id in Temporal' }),
  })
  .meta({ id: 'WebhookRetry', description: 'A retry of all deliveries of an endpoint that have failed' });

const NOTHING_RETRIED = { delivered: 0, failed: 0 };
const NOT_KNOWN = { delivered: null, failed: null };

/** A retry of all that has failed as the API shows it. */
export function retryRecord(retry: WebhookRetryRow, outcome: RetryOutcome | undefined): z.output<typeof RetryRecord> {
  const { id, status, event_type, made_from: from, made_to: to, total, retried, created_at, ended_at } = retry;
  const { delivered, failed: failed_again } = outcome ?? (retried === 0 ? NOTHING_RETRIED : NOT_KNOWN);
  const counts = { total, retried, delivered, failed_again };
  return { id, status, event_type, from, to, ...counts, created_at, ended_at, workflow_id: retryWorkflowId(id) };
}

export const DeliveryStatusName = z.enum(['pending', 'delivered', 'failed']).meta({
  id: 'WebhookDeliveryStatus',
  description: '`delivered`: the endpoint answered 2xx; `failed`: no attempt is left',
});

export const AttemptRecord = z
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

export const Payload = z
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

export const DeliveryRecord = z
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
    workflow_id: z
      .string()
      .nullable()
      .meta({
        description:
          'The workflow id in Temporal: its own, or while its first attempt waits among many that of its endpoint, which makes them; of ' +
          'one refused there it begins with the second. null: it was settled with its first attempt, so it may have had none of its own',
      }),
  })
  .meta({ id: 'WebhookDelivery', description: 'One event on its way to one endpoint' });

const AnsweredAttempt = AttemptRecord.extend({
  response: ReceiverAnswer.nullable().meta({ description: 'null: there was none, or nothing of it is kept' }),
}).meta({ id: 'WebhookAnsweredAttempt', description: 'One call of the endpoint, with what it answered' });

export const AnsweredDelivery = DeliveryRecord.extend({
  attempt_log: z
    .array(AnsweredAttempt)
    .meta({ description: `Every attempt that has ended, of all series, the oldest first; the latest ${MOST_LOGGED}` }),
}).meta({ id: 'WebhookAnsweredDelivery', description: 'One event on its way to one endpoint, with what was answered to each attempt' });

/** The same with what is kept of answers, by the instant at which their attempts began. */
export function answeredDelivery(delivery: ShownDelivery, answers: ReadonlyMap<string, ShownAnswer>): z.output<typeof AnsweredDelivery> {
  const record = deliveryRecord(delivery);
  return { ...record, attempt_log: record.attempt_log.map((attempt) => ({ ...attempt, response: answers.get(attempt.at) ?? null })) };
}

/** A delivery as the API shows it. */
export function deliveryRecord(delivery: ShownDelivery): z.output<typeof DeliveryRecord> {
  const { id, event_id, event_type, event_data, event_at, status, attempts, response_status, next_attempt_at, created_at } = delivery;
  const payload = eventBody({ id: event_id, type: event_type, at: event_at, data: event_data });
  const attempt_log = [...delivery.attempt_log];
  const workflow_id = workflowIdOf(delivery);
  return { id, event_type, payload, status, attempts, response_status, next_attempt_at, created_at, attempt_log, workflow_id };
}

/** A first attempt that its burst has made is no workflow's own, and nothing tells it from others afterwards. */
function workflowIdOf({ id, endpoint_id, in_lane, status, attempt_log }: ShownDelivery): string | null {
  if (in_lane) return burstWorkflowId(endpoint_id);
  return status === 'pending' || attempt_log.length > 1 ? deliveryWorkflowId(id) : null;
}
