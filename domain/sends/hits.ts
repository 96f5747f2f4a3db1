/** Opens of a send, or clicks on one link of it, as many as came together. */
export interface Hits {
  readonly sendId: string;
  readonly kind: 'opened' | 'clicked';
  /** The link, for clicks. */
  readonly url: string | undefined;
  /** Recorded, and counted nowhere. */
  readonly isBot: boolean;
  readonly count: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
}

/** The same for all hits of one link. */
export function linkKey({ sendId, kind, url, isBot }: Pick<Hits, 'sendId' | 'kind' | 'url' | 'isBot'>): string {
  return JSON.stringify([sendId, kind, url, isBot]);
}

/** One entry a link. */
export function joinHits(hits: readonly Hits[]): Hits[] {
  const joined = new Map<string, Hits>();
  for (const hit of hits) {
    const key = linkKey(hit);
    const before = joined.get(key);
    joined.set(key, before ? addHits(before, hit) : hit);
  }
  return [...joined.values()];
}

/** Two entries for the same link as one. */
export function addHits(one: Hits, other: Hits): Hits {
  return {
    ...one,
    count: one.count + other.count,
    firstAt: new Date(Math.min(one.firstAt.getTime(), other.firstAt.getTime())),
    lastAt: new Date(Math.max(one.lastAt.getTime(), other.lastAt.getTime())),
  };
}
