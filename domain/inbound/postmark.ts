import * as z from 'zod';
import { NotAnEvent, type ProviderEventType, type ReportedEvent } from './event.ts';
import { about, Instant, parseEvent, parseJson } from './parse.ts';
import { checkBasic, type SettableProviderKind, textOf } from './proof.ts';
import { namedSend } from './send-id-field.ts';

const Event = z.object({
  RecordType: z.string().min(1),
  MessageID: z.string().min(1).nullish(),
  ID: z.number().nullish(),
  Type: z.string().nullish(),
  BouncedAt: Instant.nullish(),
  DeliveredAt: Instant.nullish(),
  ReceivedAt: Instant.nullish(),
  OriginalLink: z.string().nullish(),
  /** Of a bounce or a complaint; other types have Recipient. */
  Email: z.string().nullish(),
  Recipient: z.string().nullish(),
  Metadata: z.looseObject({}).nullish().catch(undefined),
});
type Event = z.output<typeof Event>;

/** postmarkapp.com/developer/api/bounce-api, bounce types. `Transient` is a delay; those left out are replies and refusals of other kinds. */
const BOUNCES: ReadonlyMap<string, 'hard' | 'soft'> = new Map(
  Object.entries({
    HardBounce: 'hard',
    BadEmailAddress: 'hard',
    SoftBounce: 'soft',
    Blocked: 'soft',
    DnsError: 'soft',
    SpamNotification: 'soft',
    DMARCPolicy: 'soft',
    Undeliverable: 'soft',
    Unknown: 'soft',
  } as const),
);

/** Where a type tells its time, if not in ReceivedAt. */
const TIME_OF: ReadonlyMap<string, keyof Event> = new Map([
  ['Delivery', 'DeliveredAt'],
  ['Bounce', 'BouncedAt'],
  ['SpamComplaint', 'BouncedAt'],
]);

/** Throws NotAnEvent. */
function readPostmark(body: string): ReportedEvent[] {
  const event = parseEvent(Event, parseJson(body));
  const type = typeOf(event);
  if (!type) return [];
  const occurredAt = event.BouncedAt ?? event.DeliveredAt ?? event.ReceivedAt;
  if (!event.MessageID || !occurredAt) {
    const missing = [...(event.MessageID ? [] : ['MessageID']), ...(occurredAt ? [] : [TIME_OF.get(event.RecordType) ?? 'ReceivedAt'])];
    throw new NotAnEvent(missing.map((path) => ({ path, message: 'missing' })));
  }
  // Postmark marks only bounces and complaints; the rest is one by what it says.
  const key = [event.RecordType, event.MessageID, event.ID ?? '', occurredAt.toISOString(), event.OriginalLink ?? ''].join('|');
  return [
    {
      key,
      type,
      providerIds: [event.MessageID],
      ...namedSend(event.Metadata),
      occurredAt,
      details: detailsOf(type, event),
      ...about(event.Email ?? event.Recipient),
      body,
    },
  ];
}

function typeOf({ RecordType, Type }: Event): ProviderEventType | undefined {
  switch (RecordType) {
    case 'Delivery':
      return 'delivered';
    case 'Bounce':
      if (Type === 'Transient') return 'queued';
      if (Type === 'SpamComplaint') return 'complained';
      return Type && BOUNCES.has(Type) ? 'bounced' : undefined;
    case 'SpamComplaint':
      return 'complained';
    case 'Open':
      return 'opened';
    case 'Click':
      return 'clicked';
    default:
      return undefined;
  }
}

function detailsOf(type: ProviderEventType, { Type, OriginalLink }: Event): ReportedEvent['details'] {
  if (type === 'clicked') return OriginalLink ? { url: OriginalLink } : {};
  if (type === 'queued') return { isDelay: true };
  return type === 'bounced' && Type ? { bounce: { kind: BOUNCES.get(Type) ?? 'soft', code: Type } } : {};
}

/** Its setting is `user:password` as in the webhook's URL. */
export const postmark: SettableProviderKind = {
  proof: 'basic authentication with what is stored',
  untilStored: "the project's inbound secret as the password of any user",
  settingProblem: (value) => (/^[^:]+:.{16,}$/.test(value) ? undefined : 'should be user:password, the password at least 16 characters'),
  read(request, { setting, inboundSecret }) {
    checkBasic(request, setting === undefined ? { password: inboundSecret } : { credentials: setting });
    return readPostmark(textOf(request));
  },
};
