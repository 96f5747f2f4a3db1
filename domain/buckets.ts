import { createHash } from 'node:crypto';

/** Into so many a hash falls. */
export const BUCKETS = 2 ** 32;

/** The bucket of a text, the same for ever: the first four bytes of its MD5, which PostgreSQL counts by as well. */
export function bucketOf(text: string): number {
  return createHash('md5').update(text).digest().readUInt32BE(0);
}

/** For each of those that share them by weight the bucket at which the next one begins. */
export function bucketBounds(shares: readonly { readonly weight: number }[]): number[] {
  const total = shares.reduce((sum, { weight }) => sum + weight, 0);
  let upTo = 0;
  return shares.map(({ weight }, index) => {
    upTo += weight;
    return index === shares.length - 1 ? BUCKETS : Math.floor((upTo / total) * BUCKETS);
  });
}
