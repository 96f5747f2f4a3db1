import * as z from 'zod';
import { boundedArray } from '../domain/bounded-array.ts';
import { MOST_OVERLAP_HOURS } from '../domain/webhooks/endpoint.ts';
import { WEBHOOK_EVENT_TYPES } from '../domain/webhooks/event-types.ts';
import { parseSecret, SECRET_RULE } from '../domain/webhooks/signature.ts';
import { CreatedAt } from './schemas.ts';

const Url = z
  .string()
  .min(1, { error: 'not a valid URL' })
  .max(2048, { error: 'at most 2048 characters' })
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

const EventTypeName = z
  .enum(WEBHOOK_EVENT_TYPES, { error: `not a subscribable event: one of ${WEBHOOK_EVENT_TYPES.join(', ')}` })
  .meta({ id: 'WebhookEventType', description: 'What an endpoint can be told of' });

const Events = boundedArray(EventTypeName, 100, { error: 'at most 100 events' })
  .nullish()
  .meta({ description: 'null or empty: all of them, those of later versions too' });

const Secret = z
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
    created_at: CreatedAt,
  })
  .meta({
    id: 'WebhookEndpoint',
    description: 'An address of yours that is told of what happens',
  });

export const EndpointWithSecret = z.object({
  endpoint: EndpointRecord,
  secret: z.string().meta({
    description: 'Told here only. It signs every call; a receiver verifies against the raw body',
  }),
});

export const EndpointBody = z.object({ url: Url, events: Events, secret: Secret.nullish() }).meta({
  id: 'WebhookInput',
  description: 'Where events go, and which',
});

export const EndpointChanges = z
  .object({
    url: Url.nullish(),
    events: Events,
    enabled: z.boolean().nullish().meta({ description: 'false holds what is pending and writes nothing new' }),
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
