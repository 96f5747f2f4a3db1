import { createHmac } from 'node:crypto';
import * as z from 'zod';
import { isStorableTime, TIME_RANGE } from '../instant.ts';
import { equalInConstantTime } from '../projects/crypto.ts';
import { bounceOf } from './bounce-kind.ts';
import type { ProviderEventType, ReportedEvent } from './event.ts';
import { about, parseEvent, parseJson, plainMessageId } from './parse.ts';
import { BadSignature, type SettableProviderKind, textOf } from './proof.ts';
import { namedSend } from './send-id-field.ts';

/**
 * documentation.mailgun.com/docs/mailgun/user-manual: events, webhooks. `failed` depends on its severity. Others, like `unsubscribed` or `rejected`, say
 * nothing about a delivery.
 */
const TYPES: ReadonlyMap<string, ProviderEventType> = new Map(
  Object.entries({
    accepted: 'queued',
    delivered: 'delivered',
    complained: 'complained',
    opened: 'opened',
    clicked: 'clicked',
  } as const),
);

/** Reasons of a failure for good that say by themselves that the address takes no mail. */
const HARD_REASONS: readonly string[] = ['bounce', 'suppress-bounce'];

/** Mailgun tries an event again for eight hours. What is signed is no event but a time and a token, so that a signature is worth nothing later. */
const SIGNED_WITHIN_MS = 24 * 3_600_000;

const Signed = z.object({
  signature: z.object({ timestamp: z.union([z.string(), z.number()]), token: z.string().min(1), signature: z.string() }),
});

const Event = z.object({
  'event-data': z.object({
    event: z.string().min(1),
    id: z.string().min(1),
    timestamp: z
      .number()
      .positive()
      .refine((seconds) => isStorableTime(new Date(seconds * 1000)), { error: `not ${TIME_RANGE}` }),
    severity: z.string().nullish(),
    reason: z.string().nullish(),
    'delivery-status': z
      .object({
        code: z.union([z.number(), z.string()]).nullish(),
        'enhanced-code': z.string().nullish(),
        message: z.string().nullish(),
        description: z.string().nullish(),
      })
      .nullish(),
    message: z.object({ headers: z.object({ 'message-id': z.string().min(1) }) }),
    recipient: z.string().nullish(),
    url: z.string().nullish(),
    'user-variables': z.looseObject({}).nullish().catch(undefined),
  }),
});
type Data = z.output<typeof Event>['event-data'];

/** Throws NotAnEvent. */
function readMailgun(body: string, value: unknown): ReportedEvent[] {
  const { 'event-data': data } = parseEvent(Event, value);
  const type = typeOf(data);
  if (!type) return [];
  const { id, timestamp, message, recipient } = data;
  return [
    {
      // Its id is unique within a day.
      key: `${id}|${timestamp}`,
      type,
      providerIds: [plainMessageId(message.headers['message-id'])],
      ...namedSend(data['user-variables']),
      occurredAt: new Date(timestamp * 1000),
      details: detailsOf(type, data),
      ...about(recipient),
      body,
    },
  ];
}

function typeOf({ event, severity }: Data): ProviderEventType | undefined {
  if (event !== 'failed') return TYPES.get(event);
  // For now, or until Mailgun says otherwise.
  return severity === 'permanent' ? 'bounced' : 'queued';
}

function detailsOf(type: ProviderEventType, { url, reason, 'delivery-status': status }: Data): ReportedEvent['details'] {
  if (type === 'clicked') return url ? { url } : {};
  if (type !== 'bounced') return {};
  const words = [status?.code, status?.message || status?.description].filter(Boolean).join(' ');
  const told = bounceOf({ status: status?.['enhanced-code'] || undefined, words });
  const code = told.code ?? status?.code;
  // Mail that is refused for its sender, or was tried for too long, fails for good as well.
  const kind = !reason || HARD_REASONS.includes(reason) ? 'hard' : told.kind;
  return { bounce: code ? { kind, code: String(code) } : { kind } };
}

/** HMAC-SHA256 over the time and the token. Throws BadSignature. */
function checkSignature(value: unknown, setting: string | undefined, now: Date): void {
  if (setting === undefined)
    throw new BadSignature('no signing key of Mailgun is stored for this project; an operator stores it with `inbound set`');
  const parsed = Signed.safeParse(value);
  if (!parsed.success) throw new BadSignature('no signature of Mailgun is in the body');
  const { timestamp, token, signature } = parsed.data.signature;
  const right = createHmac('sha256', setting).update(`${timestamp}${token}`).digest('hex');
  if (!equalInConstantTime(signature, right)) throw new BadSignature('the signature is wrong');
  // A time that is no number is none either.
  if (!(Math.abs(now.getTime() - Number(timestamp) * 1000) <= SIGNED_WITHIN_MS))
    throw new BadSignature('the signed time is more than 24 hours away');
}

/** The value of a body; undefined when it is no JSON, which nobody has signed then. */
function jsonOf(body: string): unknown {
  try {
    return parseJson(body);
  } catch {
    return undefined;
  }
}

/** Its setting is the HTTP webhook signing key that it shows. */
export const mailgun: SettableProviderKind = {
  proof: 'the signature in the body with the webhook signing key that is stored, 24 hours of tolerance',
  untilStored: 'nothing',
  settingProblem: (value) => (/^[!-~]{16,200}$/.test(value) ? undefined : 'should be the HTTP webhook signing key'),
  read(request, { setting }, { now }) {
    const body = textOf(request);
    const value = jsonOf(body);
    checkSignature(value, setting, now());
    return readMailgun(body, value);
  },
};
