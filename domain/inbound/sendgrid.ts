import { type KeyObject, verify } from 'node:crypto';
import * as z from 'zod';
import { isStorableTime, TIME_RANGE } from '../instant.ts';
import type { ProviderEventType, ReportedEvent } from './event.ts';
import { parseEvent, parseJson, plainMessageId } from './parse.ts';

/** Twilio SendGrid, Event Webhook Reference. Others, like `dropped` or `group_unsubscribe`, say nothing about a delivery. */
const TYPES: ReadonlyMap<string, ProviderEventType> = new Map(
  Object.entries({
    processed: 'queued',
    deferred: 'queued',
    delivered: 'delivered',
    bounce: 'bounced',
    spamreport: 'complained',
    open: 'opened',
    click: 'clicked',
  } as const),
);

const Events = z.array(
  z.looseObject({
    event: z.string().min(1),
    timestamp: z
      .number()
      .positive()
      .refine((seconds) => isStorableTime(new Date(seconds * 1000)), { error: `not ${TIME_RANGE}` }),
    sg_event_id: z.string().min(1),
    sg_message_id: z.string().nullish(),
    'smtp-id': z.string().nullish(),
    /** Of a bounce: `bounce` for good, `blocked` for now. */
    type: z.string().nullish(),
    status: z.string().nullish(),
    url: z.string().nullish(),
  }),
);
type Event = z.output<typeof Events>[number];

/** ECDSA over the timestamp and the exact body. */
export function isSendgridSigned(key: KeyObject, timestamp: string, signature: string, body: Uint8Array): boolean {
  return verify('sha256', Buffer.concat([Buffer.from(timestamp), body]), key, Buffer.from(signature, 'base64'));
}

/** A batch. Throws NotAnEvent. */
export function readSendgrid(body: string): ReportedEvent[] {
  return parseEvent(Events, parseJson(body)).flatMap((event) => {
    const type = TYPES.get(event.event);
    if (!type) return [];
    return {
      key: event.sg_event_id,
      type,
      // Mail that came by SMTP keeps its Message-ID in smtp-id.
      providerIds: [event['smtp-id'], event.sg_message_id].flatMap((id) => (id ? plainMessageId(id) : [])),
      occurredAt: new Date(event.timestamp * 1000),
      details: detailsOf(type, event),
      body: JSON.stringify(event),
    };
  });
}

function detailsOf(type: ProviderEventType, { type: bounceType, status, url }: Event): ReportedEvent['details'] {
  if (type === 'clicked') return url ? { url } : {};
  if (type !== 'bounced') return {};
  const kind = bounceType === 'blocked' ? 'soft' : 'hard';
  return { bounce: status ? { kind, code: status } : { kind } };
}
