import { createPublicKey, verify } from 'node:crypto';
import * as z from 'zod';
import { isStorableTime, TIME_RANGE } from '../instant.ts';
import type { ProviderEventType, ReportedEvent } from './event.ts';
import { about, parseEvent, parseJson, plainMessageId } from './parse.ts';
import { BadSignature, type RawRequest, type SettableProviderKind, textOf } from './proof.ts';
import { namedSend } from './send-id-field.ts';

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
    email: z.string().nullish(),
  }),
);
type Event = z.output<typeof Events>[number];

/** A batch. Throws NotAnEvent. */
export function readSendgrid(body: string): ReportedEvent[] {
  return parseEvent(Events, parseJson(body)).flatMap((event) => {
    const type = TYPES.get(event.event);
    if (!type) return [];
    return {
      key: event.sg_event_id,
      type,
      // Mail that came by SMTP keeps its Message-ID in smtp-id.
      providerIds: [...submissionIdsOf(event.sg_message_id ?? ''), ...(event['smtp-id'] ? [plainMessageId(event['smtp-id'])] : [])],
      ...namedSend(event),
      occurredAt: new Date(event.timestamp * 1000),
      details: detailsOf(type, event),
      ...about(event.email),
      body: JSON.stringify(event),
    };
  });
}

/**
 * What may be the id of the submission, which a call to Mail Send is answered in X-Message-Id, the likeliest first: sg_message_id is that id, which may
 * have dots, and a suffix behind a dot.
 */
function submissionIdsOf(id: string): string[] {
  const plain = plainMessageId(id);
  if (plain === '') return [];
  const parts = plain.split('.').slice(0, MOST_PARTS);
  const beginnings = parts.slice(0, -1).map((_, index) => parts.slice(0, index + 1).join('.'));
  return [...new Set([plain.replace(SUFFIX, ''), ...beginnings, plain])];
}

/** As it begins in all ids that SendGrid's documentation shows. */
const SUFFIX = /\.(?:filter|recvd).*$/;
/** None of them has more. */
const MOST_PARTS = 10;

function detailsOf(type: ProviderEventType, { event, type: bounceType, status, url }: Event): ReportedEvent['details'] {
  if (type === 'clicked') return url ? { url } : {};
  if (event === 'deferred') return { isDelay: true };
  if (type !== 'bounced') return {};
  const kind = bounceType === 'blocked' ? 'soft' : 'hard';
  return { bounce: status ? { kind, code: status } : { kind } };
}

/** The P-256 key of SendGrid's base64 text; undefined for anything else. */
function keyOf(value: string) {
  try {
    const key = createPublicKey({ key: Buffer.from(value, 'base64'), format: 'der', type: 'spki' });
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined;
  } catch {
    return undefined;
  }
}

/** ECDSA over the timestamp and the exact body. */
function checkSignature(request: RawRequest, setting: string | undefined): void {
  const key = setting === undefined ? undefined : keyOf(setting);
  const signature = request.header('x-twilio-email-event-webhook-signature') ?? '';
  const timestamp = request.header('x-twilio-email-event-webhook-timestamp') ?? '';
  if (!key) throw new BadSignature('no verification key of SendGrid is stored for this project; an operator stores it with `inbound set`');
  if (!signature || !timestamp) {
    throw new BadSignature('X-Twilio-Email-Event-Webhook-Signature and -Timestamp are missing: switch the signed event webhook on');
  }
  const signed = Buffer.concat([Buffer.from(timestamp), request.body]);
  if (!verify('sha256', signed, key, Buffer.from(signature, 'base64'))) throw new BadSignature('the signature is wrong');
}

/** Its setting is the verification key that it shows. */
export const sendgrid: SettableProviderKind = {
  proof: 'the signed event webhook with the verification key stored',
  untilStored: 'nothing',
  settingProblem: (value) => (keyOf(value) ? undefined : 'should be the verification key, base64'),
  read(request, { setting }) {
    checkSignature(request, setting);
    return readSendgrid(textOf(request));
  },
};
