import * as z from 'zod';
import { boundedArray } from '../domain/bounded-array.ts';
import { MOST_OVERLAP_HOURS } from '../domain/webhook/endpoint.ts';
import { WEBHOOK_EVENT_TYPES } from '../domain/webhook/event-types.ts';
import { parseSecret, SECRET_RULE } from '../domain/webhook/signature.ts';
import { Timestamp } from './schemas.ts';

const Url = z
  .string()
  .min(1, { error: 'not a valid URL' })
  .max(2048, { error: 'at most 2048 characters' })
  // The URL parser drops or escapes them, so another URL would be called than the record shows.
  .regex(/^[^\s\p{Cc}]*$/u, { error: 'no spaces or control characters' })
  .meta({
    format: 'uri',
    description:
      'https, without a user name or password. A literal address must be public; a name is looked up at every call, and then each of its ' +
      'addresses must be. Redirects are not followed.',
    examples: ['https://example.com/hooks/everpost'],
  });

const EventTypeName = z
  .enum(WEBHOOK_EVENT_TYPES, { error: `not a subscribable event: one of ${WEBHOOK_EVENT_TYPES.join(', ')}` })
  .meta({ id: 'WebhookEventType' });

const Events = boundedArray(EventTypeName, 100, { error: 'at most 100 events' })
  .nullish()
  .meta({ description: 'null or empty: all of them, those of later versions too', examples: [['email.delivered', 'email.bounced']] });

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
    id: z.uuid(),
    url: z.string(),
    events: z.array(EventTypeName).nullable().meta({ description: 'null: all' }),
    enabled: z.boolean(),
    created_at: Timestamp,
  })
  .meta({
    id: 'WebhookEndpoint',
    examples: [
      {
        id: '0199f7a0-0000-7000-8000-000000000003',
        url: 'https://example.com/hooks/everpost',
        events: ['email.delivered', 'email.bounced'],
        enabled: true,
        created_at: '2026-06-01T12:00:00.000Z',
      },
    ],
  });

export const EndpointWithSecret = z.object({
  endpoint: EndpointRecord,
  secret: z.string().meta({
    description: 'Told here only. It signs every call; a receiver verifies against the raw body',
    examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='],
  }),
});

export const EndpointBody = z.object({ url: Url, events: Events, secret: Secret.nullish() }).meta({
  id: 'WebhookInput',
  examples: [{ url: 'https://example.com/hooks/everpost' }, { url: 'https://example.com/hooks/bounces', events: ['email.bounced'] }],
});

export const EndpointChanges = z
  .object({ url: Url.nullish(), events: Events, enabled: z.boolean().nullish() })
  .meta({ id: 'WebhookChange', examples: [{ enabled: false }, { url: 'https://example.com/hooks/new', events: null }] });

export const RotationBody = z
  .object({
    overlapHours: z
      .number()
      .min(0, { error: `0 to ${MOST_OVERLAP_HOURS}` })
      .max(MOST_OVERLAP_HOURS, { error: `0 to ${MOST_OVERLAP_HOURS}` })
      .nullish()
      .meta({ description: 'For so long the old secret signs, too; 0 when omitted, fractions are possible' }),
  })
  .meta({ id: 'WebhookRotation', examples: [{}, { overlapHours: 24 }] });
