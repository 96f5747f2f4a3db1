import type { WebhookEvent } from './generated/operations.js';

/** A request as frameworks have it: one of the web's, or headers and the raw body. */
export type ReceivedWebhook =
  | Request
  | {
      readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
      /** Exactly as it came: a body that was parsed and written again has another signature. */
      readonly body: string | Uint8Array | ArrayBuffer;
    };

export interface VerifyOptions {
  /** How old or how far ahead a call may be: 300 when omitted. */
  readonly toleranceSeconds?: number;
  /** In place of the clock: for tests. */
  readonly now?: Date;
}

/** A call that is not from Everpost, is too old, or has another secret. Answer 400. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

const TOLERANCE_SECONDS = 300;
const PREFIX = 'whsec_';
const NO_SECRET =
  "verifyWebhook: the secret is missing: give the endpoint's, whsec_…, which webhooks.create has answered, " +
  'as verifyWebhook(request, process.env.EVERPOST_WEBHOOK_SECRET)';

/**
 * The event of a webhook call, after its signature was checked (Standard Webhooks 1.0). Takes the secret of the endpoint, or several while one
 * is rotated. Keep the header `webhook-id`, which is the same when a call is repeated.
 */
export async function verifyWebhook(
  received: ReceivedWebhook,
  secret: string | readonly string[],
  { toleranceSeconds = TOLERANCE_SECONDS, now = new Date() }: VerifyOptions = {},
): Promise<WebhookEvent> {
  if (typeof toleranceSeconds !== 'number' || !(toleranceSeconds >= 0))
    throw new TypeError(`verifyWebhook: toleranceSeconds is ${toleranceSeconds}: give seconds, 0 or more`);
  if (Number.isNaN(now.getTime())) throw new TypeError('verifyWebhook: now is an invalid Date: give one that is an instant');
  const secrets = typeof secret === 'string' ? [secret] : [...(secret ?? [])];
  if (secrets.length === 0 || secrets.some((one) => !one)) throw new TypeError(NO_SECRET);
  const keys = secrets.map(keyOf);
  const header = (name: string) => headerOf(received.headers, name) ?? refuse(`the header ${name} is missing`);
  const id = header('webhook-id');
  const timestamp = header('webhook-timestamp');
  const signatures = header('webhook-signature').split(' ');
  if (!/^\d{1,15}$/.test(timestamp)) refuse('webhook-timestamp is no time');
  if (Math.abs(now.getTime() / 1000 - Number(timestamp)) > toleranceSeconds)
    refuse(`it was signed more than ${toleranceSeconds} seconds before or after now`);
  const body = await bytesOf(received);
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), body);
  for (const raw of keys) {
    const key = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
    for (const signature of signatures) {
      const [version, value = ''] = signature.split(',');
      const bytes = version === 'v1' ? fromBase64(value) : undefined;
      // Compares in constant time.
      if (bytes && (await crypto.subtle.verify('HMAC', key, bytes, signed)))
        return JSON.parse(new TextDecoder().decode(body)) as WebhookEvent;
    }
  }
  return refuse('no signature is by this secret');
}

function refuse(why: string): never {
  throw new WebhookVerificationError(`not a webhook call to trust: ${why}`);
}

function headerOf(headers: ReceivedWebhook['headers'], name: string): string | undefined {
  if (typeof (headers as Headers).get === 'function') return (headers as Headers).get(name) ?? undefined;
  const [, value] =
    Object.entries(headers as Record<string, string | readonly string[]>).find(([given]) => given.toLowerCase() === name) ?? [];
  return typeof value === 'string' ? value : value?.[0];
}

async function bytesOf(received: ReceivedWebhook): Promise<Uint8Array<ArrayBuffer>> {
  // Not by its class: frameworks have their own.
  if ('arrayBuffer' in received) {
    if (received.bodyUsed)
      throw new TypeError(
        'verifyWebhook: the body of the request was read already: verify it first, or give request.clone(), made before it is read',
      );
    return new Uint8Array(await received.arrayBuffer());
  }
  const { body } = received;
  if (typeof body === 'string') return new TextEncoder().encode(body);
  if (body instanceof Uint8Array) return new Uint8Array(body);
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  throw new TypeError('verifyWebhook: the body has to be raw, as it came: a string or bytes, not what was parsed of it');
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}

/** A secret of one's own that is not `whsec_…` counts by its bytes. */
function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  if (!secret.startsWith(PREFIX)) return new TextEncoder().encode(secret);
  const key = fromBase64(secret.slice(PREFIX.length));
  if (!key) throw new TypeError('verifyWebhook: what stands behind whsec_ in the secret is no base64');
  if (key.length === 0)
    throw new TypeError('verifyWebhook: nothing stands behind whsec_ in the secret: give all of it, as webhooks.create has answered it');
  return key;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
