import { type KeyObject, verify } from 'node:crypto';
import * as z from 'zod';

const SnsMessage = z.object({
  Type: z.enum(['Notification', 'SubscriptionConfirmation', 'UnsubscribeConfirmation']),
  MessageId: z.string().min(1),
  TopicArn: z.string().min(1),
  Subject: z.string().nullish(),
  Message: z.string(),
  Timestamp: z.string().min(1),
  SignatureVersion: z.enum(['1', '2']),
  Signature: z.string().min(1),
  SigningCertURL: z.string(),
  Token: z.string().nullish(),
  SubscribeURL: z.string().nullish(),
});
export type SnsMessage = z.output<typeof SnsMessage>;

/** undefined for what SNS would never send: without the fields that are signed there is nothing to prove it. */
export function readSnsMessage(body: string): SnsMessage | undefined {
  try {
    return SnsMessage.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
}

const HOST = /^sns\.[a-z0-9-]{3,}\.amazonaws\.com(\.cn)?$/;

/** An https address of SNS itself, where certificates lie and subscriptions are confirmed; undefined for any other. */
export function snsUrl(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isPlain = url.protocol === 'https:' && url.port === '' && url.username === '' && url.password === '';
  return isPlain && HOST.test(url.hostname) ? url : undefined;
}

/** docs.aws.amazon.com/sns, "Verifying the signatures of Amazon SNS messages": version 1 is SHA-1, version 2 SHA-256. */
export function isSnsSigned(message: SnsMessage, key: KeyObject): boolean {
  const algorithm = message.SignatureVersion === '1' ? 'RSA-SHA1' : 'RSA-SHA256';
  return verify(algorithm, Buffer.from(signedText(message)), key, Buffer.from(message.Signature, 'base64'));
}

/** Name and value of each signed field on lines of their own, in the order of the names; a Subject only when there is one. */
export function signedText(message: Omit<SnsMessage, 'Signature'>): string {
  const fields =
    message.Type === 'Notification'
      ? (['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'] as const)
      : (['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'] as const);
  return fields.map((name) => (message[name] == null ? '' : `${name}\n${message[name]}\n`)).join('');
}
