import { NotAnEvent, type ReportedEvent } from '../../domain/inbound/event.ts';
import { readGeneric } from '../../domain/inbound/generic.ts';
import { readPostmark } from '../../domain/inbound/postmark.ts';
import { type InboundProvider, sendgridKey, topicsOf } from '../../domain/inbound/provider.ts';
import { readResend } from '../../domain/inbound/resend.ts';
import { isSendgridSigned, readSendgrid } from '../../domain/inbound/sendgrid.ts';
import { readSes } from '../../domain/inbound/ses.ts';
import { isSnsSigned, readSnsMessage } from '../../domain/inbound/sns.ts';
import { equalInConstantTime } from '../../domain/projects/crypto.ts';
import { standardKey, standardSignatureProblem } from '../../domain/webhooks/standard-webhooks.ts';
import type { SnsClient } from './sns-client.ts';

/** A request as it came: its signature is over the exact bytes. */
export interface RawRequest {
  readonly body: Buffer;
  /** undefined when missing. */
  header(name: string): string | undefined;
}

/** What proves that an event is the provider's: inboundSettingProblem() says what `setting` is. */
export interface InboundSecrets {
  readonly inboundSecret: string;
  readonly setting: string | undefined;
}

/** The request is not proven to be the provider's. The message is public. */
export class BadSignature extends Error {
  override readonly name = 'BadSignature';
}

/** Checks who sent the request, then reads its events. Throws BadSignature, and NotAnEvent for a proven body that is none. */
export async function readReport(
  provider: InboundProvider,
  request: RawRequest,
  secrets: InboundSecrets,
  deps: { readonly sns: SnsClient; readonly now: () => Date },
): Promise<ReportedEvent[]> {
  const { inboundSecret, setting } = secrets;
  switch (provider) {
    case 'generic':
      return readGeneric(text(request), standardSigned(request, inboundSecret, deps.now()));
    case 'resend':
      return readResend(text(request), standardSigned(request, setting ?? inboundSecret, deps.now()));
    case 'postmark':
      basicAuthorized(request, secrets);
      return readPostmark(text(request));
    case 'sendgrid':
      ecdsaSigned(request, setting);
      return readSendgrid(text(request));
    case 'ses':
      return readFromSns(request, setting, deps.sns);
    default:
      return provider satisfies never;
  }
}

/** The signed id. Resend's service writes the names of Standard Webhooks with a prefix of its own. */
function standardSigned(request: RawRequest, secret: string, now: Date): string {
  const header = (name: string): string => request.header(`webhook-${name}`) ?? request.header(`svix-${name}`) ?? '';
  const headers = { id: header('id'), timestamp: header('timestamp'), signature: header('signature') };
  const problem = standardSignatureProblem(standardKey(secret), headers, request.body, now);
  if (problem) throw new BadSignature(problem);
  return headers.id;
}

function basicAuthorized(request: RawRequest, { setting, inboundSecret }: InboundSecrets): void {
  if (!request.header('authorization'))
    throw new BadSignature('no user and password came with the request: send them as basic authentication');
  const given = /^Basic +([A-Za-z0-9+/=_-]+) *$/i.exec(request.header('authorization') ?? '')?.[1];
  const credentials = Buffer.from(given ?? '', 'base64').toString();
  const isRight =
    setting === undefined
      ? equalInConstantTime(credentials.slice(credentials.indexOf(':') + 1), inboundSecret)
      : equalInConstantTime(credentials, setting);
  if (!isRight) throw new BadSignature('user or password is wrong');
}

function ecdsaSigned(request: RawRequest, setting: string | undefined): void {
  const key = setting === undefined ? undefined : sendgridKey(setting);
  const signature = request.header('x-twilio-email-event-webhook-signature') ?? '';
  const timestamp = request.header('x-twilio-email-event-webhook-timestamp') ?? '';
  if (!key) throw new BadSignature('no verification key of SendGrid is stored for this project; an operator stores it with `inbound set`');
  if (!signature || !timestamp) {
    throw new BadSignature('X-Twilio-Email-Event-Webhook-Signature and -Timestamp are missing: switch the signed event webhook on');
  }
  if (!isSendgridSigned(key, timestamp, signature, request.body)) throw new BadSignature('the signature is wrong');
}

/** Confirms a subscription on the way. The topic must be an allowed one: anybody can have SNS sign messages of a topic of their own. */
async function readFromSns(request: RawRequest, setting: string | undefined, sns: SnsClient): Promise<ReportedEvent[]> {
  const message = readSnsMessage(text(request));
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
}

function text({ body }: RawRequest): string {
  return body.toString('utf8');
}
