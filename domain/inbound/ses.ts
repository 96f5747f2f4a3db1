import * as z from 'zod';
import { NotAnEvent, type ProviderEventType, type ReportedEvent } from './event.ts';
import { about, Instant, parseEvent, parseJson } from './parse.ts';
import { BadSignature, type SettableProviderKind, textOf } from './proof.ts';
import { isSnsSigned, readSnsMessage, type SnsMessage } from './sns.ts';

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
const Recipient = z.object({ emailAddress: z.string().nullish(), status: z.string().nullish() });
const Event = z
  .object({
    eventType: z.string().nullish(),
    notificationType: z.string().nullish(),
    mail: z.object({ messageId: z.string().min(1), timestamp: Instant }),
    delivery: z.object({ timestamp: Instant.nullish(), recipients: z.array(z.string()).nullish() }).nullish(),
    deliveryDelay: At,
    complaint: z.object({ timestamp: Instant.nullish(), complainedRecipients: z.array(Recipient).nullish() }).nullish(),
    open: At,
    bounce: z
      .object({
        timestamp: Instant.nullish(),
        bounceType: z.string(),
        bouncedRecipients: z.array(Recipient).nullish(),
      })
      .nullish(),
    click: z.object({ timestamp: Instant.nullish(), link: z.string().nullish() }).nullish(),
  })
  .refine(({ eventType, notificationType }) => Boolean(eventType ?? notificationType), { path: ['eventType'], error: 'missing' });
type Event = z.output<typeof Event>;

/** What SES publishes to a topic when a destination is made. */
const GREETING = /^Successfully validated SNS topic/;

/** Throws NotAnEvent. */
function readSes({ Message: text, MessageId }: SnsMessage): ReportedEvent[] {
  if (GREETING.test(text)) return [];
  const event = parseEvent(Event, parseJson(text));
  const type = TYPES.get(event.eventType ?? event.notificationType ?? '');
  if (!type) return [];
  const { delivery, deliveryDelay, complaint, open, bounce, click, mail } = event;
  const parts: Partial<Record<ProviderEventType, { readonly timestamp?: Date | null | undefined } | null | undefined>> = {
    ...{ queued: deliveryDelay, delivered: delivery, bounced: bounce, complained: complaint, opened: open, clicked: click },
  };
  const occurredAt = parts[type]?.timestamp ?? mail.timestamp;
  const told = { type, providerIds: [mail.messageId], occurredAt, body: text };
  // One that is about several recipients is an event for each.
  return recipientsOf(type, event).map((recipient, place) => ({
    ...told,
    key: place === 0 ? MessageId : `${MessageId}/${place}`,
    details: detailsOf(type, event, recipient),
    ...about(recipient.emailAddress),
  }));
}

type Recipient = z.output<typeof Recipient>;

/** Whom the event is about; one of nobody when it does not say. */
function recipientsOf(type: ProviderEventType, { delivery, complaint, bounce }: Event): readonly Recipient[] {
  const named: Partial<Record<ProviderEventType, readonly Recipient[] | null | undefined>> = {
    delivered: delivery?.recipients?.map((emailAddress) => ({ emailAddress })),
    complained: complaint?.complainedRecipients,
    bounced: bounce?.bouncedRecipients,
  };
  const found = named[type] ?? [];
  return found.length > 0 ? found : [{}];
}

function detailsOf(
  type: ProviderEventType,
  { eventType, notificationType, bounce, click }: Event,
  { status: code }: Recipient,
): ReportedEvent['details'] {
  if (type === 'clicked') return click?.link ? { url: click.link } : {};
  if (type === 'queued') return (eventType ?? notificationType) === 'DeliveryDelay' ? { isDelay: true } : {};
  if (type !== 'bounced') return {};
  const kind = bounce?.bounceType === 'Permanent' ? 'hard' : 'soft';
  return { bounce: code ? { kind, code } : { kind } };
}

/** The topics of a stored value. */
function topicsOf(value: string): string[] {
  return value
    .split(',')
    .map((arn) => arn.trim())
    .filter(Boolean);
}

/** Its setting are the ARNs of the allowed topics, separated by commas. */
export const ses: SettableProviderKind = {
  proof:
    'SNS over https; signature, certificate and topic are checked, the topic against those stored for the project, and a ' +
    'subscription of such a topic is confirmed',
  untilStored: 'nothing',
  settingProblem: (value) =>
    topicsOf(value).length > 0 && topicsOf(value).every((arn) => /^arn:aws[\w-]*:sns:[\w-]+:\d{12}:[\w.-]+$/.test(arn))
      ? undefined
      : 'should be ARNs of SNS topics, separated by commas',
  /** Confirms a subscription on the way. The topic must be an allowed one: anybody can have SNS sign messages of a topic of their own. */
  async read(request, { setting }, { sns }) {
    const message = readSnsMessage(textOf(request));
    if (!message) throw new BadSignature('not a message that SNS has signed');
    if (!topicsOf(setting ?? '').includes(message.TopicArn))
      throw new BadSignature('the topic is not allowed for this project; an operator allows it with `inbound set`');
    const key = await sns.signingKey(message.SigningCertURL);
    if (!key || !isSnsSigned(message, key)) throw new BadSignature('the signature or its certificate is wrong');
    if (message.Type === 'Notification') return readSes(message);
    if (message.Type === 'SubscriptionConfirmation' && !(await sns.confirm(message.SubscribeURL ?? ''))) {
      throw new NotAnEvent([{ path: 'SubscribeURL', message: 'not an address of SNS' }]);
    }
    return [];
  },
};
