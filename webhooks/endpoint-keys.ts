import { createSecretKey, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { WebhookEndpointRow } from '../db/entities/index.ts';
import type { Vault } from '../domain/projects/crypto.ts';
import { sealedOf } from '../domain/projects/sealed.ts';
import { parseSecret } from '../domain/webhooks/signature.ts';

export interface EndpointSecrets extends Pick<WebhookEndpointRow, 'sealed_secret' | 'sealed_previous_secret' | 'previous_secret_until'> {
  readonly endpoint_id: string;
}

/** Opens what endpoints sign with. */
export type EndpointKeys = (secrets: EndpointSecrets, now: Date) => readonly KeyObject[];

/** Of so many secrets the keys are kept open. */
const KEPT = 1_000;

/** The keys that sign for an endpoint now, the present one first; during the overlap of a rotation the one before it too: docs/contract/webhooks.md 12. */
export function createEndpointKeys(vault: Vault): EndpointKeys {
  const opened = new LRUCache<string, KeyObject>({ max: KEPT });
  const open = (sealed: Uint8Array, endpointId: string): KeyObject => {
    const name = `${endpointId} ${Buffer.from(sealed).toString('base64')}`;
    const known = opened.get(name);
    if (known) return known;
    const octets = parseSecret(vault.open(sealed, sealedOf.endpointSecret(endpointId)).toString());
    if (!octets) throw new Error('the secret of a webhook endpoint cannot be used');
    const key = createSecretKey(octets);
    opened.set(name, key);
    return key;
  };
  return ({ endpoint_id, sealed_secret, sealed_previous_secret: previous, previous_secret_until: until }, now) => [
    open(sealed_secret, endpoint_id),
    ...(previous && until && until > now ? [open(previous, endpoint_id)] : []),
  ];
}
