import { Refusal } from '../../domain/errors.ts';

export interface RateLimit {
  /** Takes one token of the project's bucket; the headers go on every keyed answer. Throws 429 when it is empty. */
  take(projectId: string): Readonly<Record<string, string>>;
}

interface Bucket {
  tokens: number;
  filledAt: number;
}

/** How many idle buckets are kept before full ones are forgotten; a forgotten bucket is a full one. */
const SWEEP_ABOVE = 10_000;

/** A token bucket per project, kept per server instance (docs/contract/limits.md 1). Undefined when the limit is off. */
export function createRateLimit(burst: number, perSecond: number, now: () => number = Date.now): RateLimit | undefined {
  if (burst === 0 || perSecond === 0) return undefined;
  const buckets = new Map<string, Bucket>();
  const windowSeconds = Math.max(1, Math.ceil(burst / perSecond));
  const policy = `"default";q=${burst};w=${windowSeconds}`;

  const sweep = (at: number): void => {
    for (const [id, bucket] of buckets) if (at - bucket.filledAt > windowSeconds * 1000) buckets.delete(id);
  };

  return {
    take(projectId) {
      const at = now();
      let bucket = buckets.get(projectId);
      if (!bucket) {
        if (buckets.size > SWEEP_ABOVE) sweep(at);
        bucket = { tokens: burst, filledAt: at };
        buckets.set(projectId, bucket);
      }
      bucket.tokens = Math.min(burst, bucket.tokens + ((at - bucket.filledAt) / 1000) * perSecond);
      bucket.filledAt = at;
      const allowed = bucket.tokens >= 1;
      if (allowed) bucket.tokens -= 1;
      const secondsToNext = Math.max(1, Math.ceil((1 - bucket.tokens) / perSecond));
      const secondsToFull = Math.ceil((burst - bucket.tokens) / perSecond);
      const headers = {
        'RateLimit-Policy': policy,
        RateLimit: `"default";r=${Math.floor(bucket.tokens)};t=${allowed ? secondsToFull : secondsToNext}`,
      };
      if (!allowed) {
        throw new Refusal('rate_limited', `too many requests; try again in ${secondsToNext} s`, {
          retryAfterSeconds: secondsToNext,
          headers,
        });
      }
      return headers;
    },
  };
}
