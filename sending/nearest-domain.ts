import { LRUCache } from 'lru-cache';
import { upwardsFrom } from '../domain/contacts/domain-name.ts';

/** What was found of a domain counts for mails so much later at most. */
const KEPT_MS = 30_000;
export const MOST_PROJECTS = 5_000;

/** What domains of a project have, by their name. */
export type ByDomain<T> = ReadonlyMap<string, T>;

/** What domains have, as one process knows it. */
export interface NearestDomain<T> {
  /** What a domain has, or else the nearest above it that has any. */
  of(projectId: string, domain: string): Promise<T | undefined>;
  /** Whoever asks from now on gets what stands in the database by then. */
  forget(projectId: string): void;
}

/** What a project's domains have is read once in `keptMs`. */
export function createNearestDomain<T>(read: (projectId: string) => Promise<ByDomain<T>>, keptMs = KEPT_MS): NearestDomain<T> {
  const kept = new LRUCache<string, Promise<ByDomain<T>>>({ max: MOST_PROJECTS, ttl: keptMs });
  const of = async (projectId: string, domain: string): Promise<T | undefined> => {
    let found = kept.get(projectId);
    if (!found) {
      found = read(projectId);
      kept.set(projectId, found);
      // What could not be read is asked for again.
      found.catch(() => kept.get(projectId) === found && kept.delete(projectId));
    }
    const known = await found;
    const nearest = known.size === 0 ? undefined : upwardsFrom(domain).find((name) => known.has(name));
    return nearest === undefined ? undefined : known.get(nearest);
  };
  return { of, forget: (projectId) => void kept.delete(projectId) };
}
