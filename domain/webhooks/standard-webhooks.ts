import { createHmac, type KeyObject, randomBytes } from 'node:crypto';
import { equalInConstantTime } from '../projects/crypto.ts';

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

/**
 * Why a body counts as not signed, undefined when it is: one of the signatures has to be right, and the signed time within five minutes of
 * now, either way. That a time is too old is told only of what is signed.
 */
export function standardSignatureProblem(key: Uint8Array, headers: StandardHeaders, body: Uint8Array, now: Date): string | undefined {
  const { id, timestamp, signature } = headers;
  if (!id || !timestamp || !signature) return 'webhook-id, webhook-timestamp and webhook-signature are required';
  if (!/^\d{1,12}$/.test(timestamp)) return 'webhook-timestamp is not a time in Unix seconds';
  const expected = standardSignature(key, id, timestamp, body);
  const isSigned = signature.split(' ').filter((given) => equalInConstantTime(given, expected)).length > 0;
  if (!isSigned) return 'the signature is wrong: it is v1, and the base64 of the HMAC-SHA256 over id.timestamp.body, of the exact body';
  const age = Math.round(now.getTime() / 1000 - Number(timestamp));
  if (Math.abs(age) <= TOLERANCE_SECONDS) return undefined;
  return `the signed time is ${Math.abs(age)} s ${age > 0 ? 'old' : 'ahead'}; ${TOLERANCE_SECONDS} s are tolerated`;
}
