import type { DomainKey } from '../../../domain/domains/key-turns.ts';

/** A key of a domain that waits for its record. */
export function domainKey(part: Partial<DomainKey>): DomainKey {
  return {
    ...{
      id: part.selector ?? 's',
      algorithm: 'rsa',
      selector: 's',
      record: 'v=DKIM1; k=rsa; p=AAAA',
      sealed_private_key: Buffer.from('x'),
    },
    ...{ signs: false, signed_at: null, retired_at: null, created_at: new Date('2026-05-01T00:00:00Z') },
    ...part,
  };
}
