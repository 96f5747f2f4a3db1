import * as z from 'zod';
import { isStorableTime, TIME_RANGE } from '../instant.ts';
import { MAX_URL_LENGTH } from '../text-lengths.ts';
import type { ReportedEvent } from './event.ts';
import { about, parseEvent, parseJson, plainMessageId } from './parse.ts';
import { type InboundProviderKind, standardSigned, textOf } from './proof.ts';

/** The body of a generic event: docs/contract/inbound.md 3. */
export const GenericEvent = z
  .object({
    type: z.enum(['delivered', 'bounced', 'complained', 'opened', 'clicked']).meta({ description: 'What happened to the email' }),
    providerId: z.string().min(1).max(1000).meta({ description: "The id that POST /send returned, which is the send log's provider_id" }),
    timestamp: z.iso
      .datetime({ offset: true, abort: true })
      .refine((text) => isStorableTime(new Date(text)), { error: `not ${TIME_RANGE}` })
      .meta({ description: 'When it happened' }),
    bounce: z
      .object({
        kind: z.enum(['hard', 'soft']).meta({ description: 'hard: the address will never take email; soft: it may pass' }),
        code: z.string().max(100).nullish().meta({ description: 'RFC 3463, like 5.1.1' }),
      })
      .nullish()
      .meta({ description: 'Of a bounce; hard when omitted' }),
    email: z.string().max(1000).nullish().meta({ description: 'Of an email with copies: which recipient it is about; `to` when omitted' }),
    url: z.string().max(MAX_URL_LENGTH).nullish().meta({ description: 'The link of a click' }),
  })
  .meta({ id: 'GenericProviderEvent', description: 'One event about one email' });

/** messageId: the signed webhook-id. Throws NotAnEvent. */
function readGeneric(body: string, messageId: string): ReportedEvent[] {
  const { type, providerId, timestamp, bounce, url, email } = parseEvent(GenericEvent, parseJson(body));
  const kind = bounce?.kind ?? 'hard';
  return [
    {
      key: messageId,
      type,
      providerIds: [plainMessageId(providerId)],
      occurredAt: new Date(timestamp),
      details: {
        ...(type === 'bounced' ? { bounce: bounce?.code ? { kind, code: bounce.code } : { kind } } : {}),
        ...(type === 'clicked' && url ? { url } : {}),
      },
      ...about(email),
      body,
    },
  ];
}

export const generic: InboundProviderKind = {
  proof: "Standard Webhooks headers with the project's inbound secret, 5 minutes of tolerance",
  read: (request, { inboundSecret }, { now }) => readGeneric(textOf(request), standardSigned(request, inboundSecret, now())),
};
