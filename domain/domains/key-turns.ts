import type { Finding } from './finding.ts';

export const DKIM_ALGORITHMS = ['rsa', 'ed25519'] as const;
/** RSA is what every receiver verifies; Ed25519 (RFC 8463) stands beside it and never in its place. */
export type DkimAlgorithm = (typeof DKIM_ALGORITHMS)[number];

/** So long the record of a key is to stand after the key signed last: mail that waits somewhere on its way is verified days later. */
export const OVERLAP_MS = 7 * 24 * 3_600_000;

/** A key of a domain, and where it stands in its turn: it waits for its record, signs, has signed, and is a record that can be taken away. */
export interface DomainKey {
  readonly id: string;
  readonly algorithm: DkimAlgorithm;
  readonly selector: string;
  /** The value of its TXT record. */
  readonly record: string;
  /** null: it was deleted. */
  readonly sealed_private_key: Uint8Array | null;
  readonly signs: boolean;
  /** When it signed first; null: never. */
  readonly signed_at: Date | null;
  /** Since when another one signs in its place, or none of its algorithm is to. */
  readonly retired_at: Date | null;
  readonly created_at: Date;
}

/** What is to become of a key. `isGone`: nothing of it is known any more. */
export type KeyTurn =
  | { readonly id: string; readonly isGone: true }
  | (Pick<DomainKey, 'id' | 'signs' | 'signed_at' | 'retired_at'> & { readonly isForgotten: boolean });

/** The key of this algorithm that has yet to sign for the first time: one more is not made beside it. `keys`: the oldest first, here and below. */
export function waitingKey(keys: readonly DomainKey[], algorithm: DkimAlgorithm): DomainKey | undefined {
  const newest = keys.findLast((key) => key.algorithm === algorithm && key.sealed_private_key);
  return newest && newest.signed_at === null && newest.retired_at === null ? newest : undefined;
}

/** Those whose newest key signs and is as old as this. */
export function agedAlgorithms(keys: readonly DomainKey[], ageMs: number, now: Date): DkimAlgorithm[] {
  return DKIM_ALGORITHMS.filter((algorithm) => {
    const newest = keys.findLast((key) => key.algorithm === algorithm && key.sealed_private_key);
    return newest?.signs && now.getTime() - newest.created_at.getTime() >= ageMs;
  });
}

/**
 * What a check makes of the keys: of each algorithm the newest whose record is found signs, so an older one goes on until then, and takes over again when
 * the record of the newer one is lost before the older one is forgotten. A private key is deleted when the overlap is over, and the rest of it when its
 * record is gone, too.
 */
export function turnsAfter(
  keys: readonly DomainKey[],
  findingOf: (key: DomainKey) => Finding | undefined,
  { ed25519, now }: { readonly ed25519: boolean; readonly now: Date },
): KeyTurn[] {
  // A key that signs does so until DNS says otherwise.
  const isFound = (key: DomainKey): boolean => (findingOf(key)?.state ?? (key.signs ? 'found' : 'missing')) === 'found';
  const leading = (algorithm: DkimAlgorithm): DomainKey | undefined =>
    algorithm === 'rsa' || ed25519
      ? keys.findLast((key) => key.algorithm === algorithm && key.sealed_private_key && isFound(key))
      : undefined;
  const rsa = leading('rsa');
  return DKIM_ALGORITHMS.flatMap((algorithm) => {
    const chain = keys.filter((key) => key.algorithm === algorithm);
    const isWanted = algorithm === 'rsa' || ed25519;
    const leader = leading(algorithm);
    const at = leader ? chain.indexOf(leader) : -1;
    return chain.map((key, index): KeyTurn => {
      const finding = findingOf(key);
      // Only what DNS has just said ends anything for good.
      const isGone = !key.sealed_private_key && finding?.state !== 'found' && finding?.checkedAt !== undefined && !finding.unavailable;
      if (isGone) return { id: key.id, isGone };
      const retiredAt = isWanted ? retiredSince(key, index, at, now) : (key.retired_at ?? now);
      const known = leader && findingOf(leader);
      const isReplaced = !isWanted || (known?.state === 'found' && !known.unavailable);
      const signs = key === leader && rsa !== undefined;
      return {
        id: key.id,
        signs,
        signed_at: key.signed_at ?? (signs ? now : null),
        retired_at: retiredAt,
        isForgotten: !key.sealed_private_key || (retiredAt !== null && isReplaced && now.getTime() >= overlapEnd(retiredAt).getTime()),
      };
    });
  });
}

/** `at`: the index of the one that leads; -1: none does, so nothing changes. */
function retiredSince({ retired_at }: DomainKey, index: number, at: number, now: Date): Date | null {
  if (at < 0) return retired_at;
  return index < at ? (retired_at ?? now) : null;
}

function overlapEnd(retiredAt: Date): Date {
  return new Date(retiredAt.getTime() + OVERLAP_MS);
}

/** `set`: the record is to stand. `keep`: its key signs no more, but mail is under way that it has signed. `remove`: nobody needs it. */
export const RECORD_ACTIONS = ['set', 'keep', 'remove'] as const;
export type RecordAction = (typeof RECORD_ACTIONS)[number];

/** What its owner is to do with the record of a key, and until when. */
export function actionFor({ sealed_private_key, retired_at }: DomainKey): { readonly action: RecordAction; readonly keepUntil?: Date } {
  if (!sealed_private_key) return { action: 'remove' };
  return retired_at ? { action: 'keep', keepUntil: overlapEnd(retired_at) } : { action: 'set' };
}

/** The key without whose record nothing is signed: the one that signs, or else the newest that is to. */
export function neededKey(keys: readonly DomainKey[]): DomainKey | undefined {
  const rsa = keys.filter(({ algorithm }) => algorithm === 'rsa');
  return rsa.findLast(({ signs }) => signs) ?? rsa.findLast((key) => actionFor(key).action === 'set');
}
