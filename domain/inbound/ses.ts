import * as z from 'zod';
import type { ProviderEventType, ReportedEvent } from './event.ts';
import { Instant, parseEvent, parseJson } from './parse.ts';
import type { SnsMessage } from './sns.ts';

/** docs.aws.amazon.com/ses: event publishing says eventType, the older notifications notificationType. */
const TYPES: ReadonlyMap<string, ProviderEventType> = new Map(
  Object.entries({
    Send: 'queued',
    DeliveryDelay: 'queued',
    Delivery: 'delivered',
    Bounce: 'bounced',
    Complaint: 'complained',
    Open: 'opened',
    Click: 'clicked',
  } as const),
);

const At = z.object({ timestamp: Instant.nullish() }).nullish();
const Event = z
  .object({
    eventType: z.string().nullish(),
    notificationType: z.string().nullish(),
    mail: z.object({ messageId: z.string().min(1), timestamp: Instant }),
    delivery: At,
    deliveryDelay: At,
    complaint: At,
    open: At,
    bounce: z
      .object({
        timestamp: Instant.nullish(),
        bounceType: z.string(),
        bouncedRecipients: z.array(z.object({ status: z.string().nullish() })).nullish(),
      })
      .nullish(),
    click: z.object({ timestamp: Instant.nullish(), link: z.string().nullish() }).nullish(),
  })
  .refine(({ eventType, notificationType }) => Boolean(eventType ?? notificationType), { path: ['eventType'], error: 'missing' });
type Event = z.output<typeof Event>;

/** What SES publishes to a topic when a destination is made. */
const GREETING = /^Successfully validated SNS topic/;

/** Throws NotAnEvent. */
export function readSes({ Message: text, MessageId }: SnsMessage): ReportedEvent[] {
  if (GREETING.test(text)) return [];
  const event = parseEvent(Event, parseJson(text));
  const type = TYPES.get(event.eventType ?? event.notificationType ?? '');
  if (!type) return [];
  const { delivery, deliveryDelay, complaint, open, bounce, click, mail } = event;
  const part = { queued: deliveryDelay, delivered: delivery, bounced: bounce, complained: complaint, opened: open, clicked: click }[type];
  const occurredAt = part?.timestamp ?? mail.timestamp;
  return [{ key: MessageId, type, providerIds: [mail.messageId], occurredAt, details: detailsOf(type, event), body: text }];
}

function detailsOf(type: ProviderEventType, { bounce, click }: Event): ReportedEvent['details'] {
  if (type === 'clicked') return click?.link ? { url: click.link } : {};
  if (type !== 'bounced') return {};
  const kind = bounce?.bounceType === 'Permanent' ? 'hard' : 'soft';
  const code = bounce?.bouncedRecipients?.[0]?.status;
  return { bounce: code ? { kind, code } : { kind } };
}
