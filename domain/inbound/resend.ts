import * as z from 'zod';
import { NotAnEvent, type ProviderEventType, type ReportedEvent } from './event.ts';
import { about, Instant, parseEvent, parseJson } from './parse.ts';
import { type SettableProviderKind, standardSigned, textOf } from './proof.ts';

/** resend.com/docs/webhooks: what is not named here is an event too, but none about a delivery. */
const TYPES: ReadonlyMap<string, ProviderEventType> = new Map(
  Object.entries({
    'email.sent': 'queued',
    'email.delivery_delayed': 'queued',
    'email.delivered': 'delivered',
    'email.bounced': 'bounced',
    'email.complained': 'complained',
    'email.opened': 'opened',
    'email.clicked': 'clicked',
  } as const),
);

const Event = z.object({
  type: z.string().min(1),
  created_at: Instant,
  data: z.object({
    email_id: z.string().min(1).nullish(),
    /** All recipients of the mail, or the one that it is about. */
    to: z.array(z.string()).nullish().catch(undefined),
    bounce: z.object({ type: z.string().nullish(), subType: z.string().nullish() }).nullish(),
    click: z.object({ link: z.string().nullish() }).nullish(),
  }),
});

/** messageId: the signed svix-id or webhook-id. Throws NotAnEvent. */
function readResend(body: string, messageId: string): ReportedEvent[] {
  const { type: name, created_at: occurredAt, data } = parseEvent(Event, parseJson(body));
  const type = TYPES.get(name);
  if (!type) return [];
  if (!data.email_id) throw new NotAnEvent([{ path: 'data.email_id', message: 'missing' }]);
  return [
    {
      key: messageId,
      type,
      providerIds: [data.email_id],
      occurredAt,
      details: name === 'email.delivery_delayed' ? { isDelay: true } : detailsOf(type, data),
      ...about(data.to?.length === 1 ? data.to[0] : undefined),
      body,
    },
  ];
}

function detailsOf(type: ProviderEventType, { bounce, click }: z.output<typeof Event>['data']): ReportedEvent['details'] {
  if (type === 'clicked') return click?.link ? { url: click.link } : {};
  if (type !== 'bounced') return {};
  // Sent when the address "permanently rejected" a mail, unless it says otherwise.
  const kind = bounce?.type && bounce.type !== 'Permanent' ? 'soft' : 'hard';
  return { bounce: bounce?.subType ? { kind, code: bounce.subType } : { kind } };
}

/** Its setting is the signing secret that it shows. */
export const resend: SettableProviderKind = {
  proof: 'the same headers (svix-… too) with the signing secret that is stored for the project',
  untilStored: "the project's inbound secret",
  settingProblem: (value) =>
    /^whsec_[A-Za-z0-9+/]{22,}={0,2}$/.test(value) ? undefined : 'should be the signing secret, whsec_ and base64',
  read: (request, { setting, inboundSecret }, { now }) =>
    readResend(textOf(request), standardSigned(request, setting ?? inboundSecret, now())),
};
