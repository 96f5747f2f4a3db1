import type { KeyObject } from 'node:crypto';
import { standardKey, standardSignature } from './standard-webhooks.ts';

export type SigningKey = Uint8Array | KeyObject;

/** The header value `webhook-signature`: one signature for each key, the current one first while secrets are rotated. */
export function signWebhook(keys: readonly SigningKey[], id: string, timestampSeconds: number, body: string): string {
  return keys.map((key) => standardSignature(key, id, String(timestampSeconds), body)).join(' ');
}

/** The three headers of Standard Webhooks 1.0. `id` is the same on every attempt, the timestamp that of the attempt. */
export function webhookHeaders(
  keys: readonly SigningKey[],
  { id, timestampSeconds, body }: { readonly id: string; readonly timestampSeconds: number; readonly body: string },
): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': signWebhook(keys, id, timestampSeconds, body),
  };
}

/** What parseSecret accepts, for the caller whose secret it refused. */
export const SECRET_RULE = 'whsec_ and the base64 of 24 to 64 bytes, or any text of 16 to 128 characters';

/** The signing key that a caller's secret stands for; undefined when it breaks SECRET_RULE. docs/contract/webhooks.md 11. */
export function parseSecret(text: string): Buffer | undefined {
  const key = standardKey(text);
  if (!text.startsWith('whsec_')) return isBetween(text.length, 16, 128) ? key : undefined;
  // Decoding passes over what is no base64; only what encodes back is the same key for every receiver.
  const isBase64 = key.toString('base64') === text.slice('whsec_'.length);
  return isBase64 && isBetween(key.length, 24, 64) ? key : undefined;
}

function isBetween(length: number, least: number, most: number): boolean {
  return length >= least && length <= most;
}
