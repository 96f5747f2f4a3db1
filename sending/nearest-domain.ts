import { LRUCache } from 'lru-cache';
import { upwardsFrom } from '../domain/contacts/domain-name.ts';

/** What was found of a domain counts for mails so much later at most. */
const KEPT_MS = 30_000;
export const MOST_PROJECTS = 5_000;

/** What domains of a project have, by their name. */
export type ByDomain<T> = ReadonlyMap<string, T>;

/** What a domain has, or else the nearest above it that has any; read once in half a minute for each project. */
export function createNearestDomain<T>(
  read: (projectId: string) => Promise<ByDomain<T>>,
): (projectId: string, domain: string) => Promise<T | undefined> {
  const kept = new LRUCache<string, Promise<ByDomain<T>>>({ max: MOST_PROJECTS, ttl: KEPT_MS });
  return async (projectId, domain) => {
    let found = kept.get(projectId);
    if (!found) {
      found = read(projectId);
      kept.set(projectId, found);
      // What could not be read is asked for again.
      found.catch(() => kept.delete(projectId));
    }
    const known = await found;
    const nearest = known.size === 0 ? undefined : upwardsFrom(domain).find((name) => known.has(name));
    return nearest === undefined ? undefined : known.get(nearest);
  };
}
