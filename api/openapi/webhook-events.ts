import * as z from 'zod';
import { STANDINGS } from '../../domain/domains/standing.ts';
import { SOURCE_TYPES } from '../../domain/sends/send.ts';
import { END_REASONS } from '../../domain/sequences/end-reason.ts';
import { PING_TYPE } from '../../domain/webhooks/endpoint.ts';
import type { WebhookEventType } from '../../domain/webhooks/event-types.ts';
import { CampaignRecord } from '../campaign-schemas.ts';
import { ContactRecord } from '../routes/contacts/contacts.ts';
import { SendTypeName, Timestamp } from '../schemas.ts';
import type { ComponentSchemas, JsonSchema } from './components.ts';

const sandboxed = z.literal(true).optional();

const OfEmail = z
  .object({
    send_id: z.uuid().meta({ description: 'Of the row in the send log' }),
    provider_id: z.string().meta({ description: 'The `id` that POST /send answered' }),
    contact_id: z.uuid().nullable().meta({ description: 'null: an address without a contact, or a copy' }),
    email: z.string().meta({ description: 'The recipient; of a copy whom that went to' }),
    template: z.string().nullable().meta({ description: 'The key of the template; null: the call brought the content itself' }),
    type: SendTypeName,
    subject: z.string().meta({ description: 'As it was sent' }),
    brand_id: z.string().meta({ description: "The brand's slug" }),
    source_type: z.enum(SOURCE_TYPES).meta({ description: 'What sent it' }),
    source_id: z.string().nullable().meta({ description: 'The id of that campaign or sequence' }),
    tags: z.array(z.string()).optional().meta({ description: 'As the call gave them; absent when it gave none' }),
    metadata: z.record(z.string(), z.string()).optional().meta({ description: 'As the call gave it; absent when it gave none' }),
    copy: z.literal(true).optional().meta({ description: 'It is about an address of `cc` or `bcc`, which `email` is' }),
    sandboxed: sandboxed.meta({ description: 'It never left; absent of all other email' }),
  })
  .meta({ id: 'EmailEvent', description: 'An email, as events tell of it' });

const OfClick = OfEmail.extend({ url: z.string().meta({ description: 'The link that was clicked' }) }).meta({
  id: 'EmailClickedEvent',
  description: 'An email, and the link that was clicked',
});

const OfBounce = OfEmail.extend({
  bounce: z
    .object({
      kind: z.enum(['hard', 'soft']).meta({ description: '`hard`: the address is suppressed' }),
      code: z.string().nullish().meta({ description: 'The status that the receiver gave, where the report has one' }),
    })
    .optional()
    .meta({ description: 'Absent where the report does not say' }),
}).meta({ id: 'EmailBouncedEvent', description: 'An email, and why it came back' });

const OfTopics = ContactRecord.extend({
  changed_topics: z.record(z.string(), z.boolean().nullable()).meta({ description: 'What changed, by the key of the topic' }),
}).meta({ id: 'ContactTopicsEvent', description: 'A contact, and which topics it chose anew' });

const OfConfirmation = ContactRecord.extend({
  confirmed_at: z.iso.datetime().meta({ description: 'When the person confirmed' }),
}).meta({ id: 'ContactConfirmedEvent', description: 'A contact, and when it was confirmed' });

const OfRun = z
  .object({
    enrollment_id: z.uuid().meta({ description: 'The run' }),
    sequence_key: z.string().meta({ description: 'Its sequence' }),
    contact_id: z.uuid().meta({ description: 'Who went through it' }),
    reason: z.enum(END_REASONS).meta({ description: 'How it ended' }),
    sandboxed: sandboxed.meta({ description: 'A test key asked for it; absent of all other runs' }),
  })
  .meta({ id: 'SequenceCompletedEvent', description: 'A run that has come to its end' });

const OfCampaign = CampaignRecord.meta({
  id: 'CampaignCompletedEvent',
  description: 'A campaign, with what is known of its emails by then',
});

const OfDomain = z
  .object({
    domain_id: z.uuid().meta({ description: 'The sending domain' }),
    domain: z.string().meta({ description: 'Its name' }),
    standing: z.enum(STANDINGS).meta({ description: 'By DNS alone' }),
    verified: z.boolean().meta({ description: 'Whether mail may be from it' }),
    failing_since: Timestamp.nullable().meta({ description: 'null unless it is failing' }),
    problems: z
      .array(
        z.object({
          purpose: z.string().meta({ description: 'What the record is for' }),
          problem: z.string().meta({ description: 'In words' }),
        }),
      )
      .meta({ description: 'What is wrong with its records' }),
  })
  .meta({ id: 'DomainEvent', description: 'A sending domain, and what DNS has of it' });

const OfPing = z.record(z.string(), z.unknown()).meta({ id: 'PingEvent', description: 'Whatever the caller of the ping gave' });

/** The `data` of each type of event, docs/contract/webhooks.md 9. A type that is missing here does not compile. */
const DATA_OF: Readonly<Record<WebhookEventType | typeof PING_TYPE, z.ZodType>> = {
  'contact.subscribed': ContactRecord,
  'contact.unsubscribed': ContactRecord,
  'contact.topics_changed': OfTopics,
  'contact.confirmed': OfConfirmation,
  'email.sent': OfEmail,
  'email.delivered': OfEmail,
  'email.opened': OfEmail,
  'email.clicked': OfClick,
  'email.bounced': OfBounce,
  'email.complained': OfEmail,
  'sequence.completed': OfRun,
  'campaign.completed': OfCampaign,
  'domain.verified': OfDomain,
  'domain.failing': OfDomain,
  [PING_TYPE]: OfPing,
};

/** The `webhooks` of the document: what arrives at endpoints, by type. */
export function webhookEvents(components: ComponentSchemas): JsonSchema {
  return Object.fromEntries(Object.entries(DATA_OF).map(([type, data]) => [type, { post: arrival(type, components.schemaOf(data)) }]));
}

function arrival(type: string, data: JsonSchema): JsonSchema {
  const body = {
    type: 'object',
    required: ['id', 'type', 'timestamp', 'data'],
    properties: {
      id: { type: 'string', format: 'uuid', description: 'Of the event: the same for all endpoints' },
      type: { const: type, description: 'What happened' },
      timestamp: { type: 'string', format: 'date-time', description: 'When it happened' },
      data,
    },
  };
  return {
    summary: `\`${type}\``,
    description: 'Signed by Standard Webhooks 1.0: `webhook-id`, `webhook-timestamp` and `webhook-signature` over the body as it came.',
    requestBody: { required: true, content: { 'application/json': { schema: body } } },
    responses: { '2XX': { description: 'It was taken; every other answer is tried again' } },
  };
}
