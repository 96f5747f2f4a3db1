import { createHmac, type KeyObject, randomBytes } from 'node:crypto';
import { equalInConstantTime } from '../crypto.ts';

/** What Standard Webhooks 1.0 signs with a body. */
export interface StandardHeaders {
  readonly id: string;
  /** Unix seconds, as text. */
  readonly timestamp: string;
  /** `v1,<base64>`, several separated by spaces while secrets are rotated. */
  readonly signature: string;
}

const PREFIX = 'whsec_';
const TOLERANCE_SECONDS = 300;
const SECRET_BYTES = 32;

/** A new signing secret: `whsec_` and the base64 of 32 bytes. */
export function newStandardSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/** The key that a secret stands for: the base64 after `whsec_`, or the UTF-8 bytes of any other text. */
export function standardKey(secret: string): Buffer {
  return secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), 'base64') : Buffer.from(secret, 'utf8');
}

/** One signature, as the header carries it. A key object costs a fifth of what the octets of a key do. */
export function standardSignature(key: Uint8Array | KeyObject, id: string, timestamp: string, body: string | Uint8Array): string {
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
}

/** Whether one of the signatures is right and the signed time within five minutes of now, either way. */
export function isStandardSigned(key: Uint8Array, headers: StandardHeaders, body: Uint8Array, now: Date): boolean {
  const { id, timestamp, signature } = headers;
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now.getTime() / 1000 - Number(timestamp)) > TOLERANCE_SECONDS) return false;
  const expected = standardSignature(key, id, timestamp, body);
  return signature.split(' ').filter((given) => equalInConstantTime(given, expected)).length > 0;
}
