import { LRUCache } from 'lru-cache';
import type { EntityManager } from '../../db/orm.ts';
import { noteEventType } from '../../db/queries/projects/vocabulary.ts';

const HOUR_MS = 3_600_000;

/** When this process last noted each type, by its start of the hour: an event that comes every moment is noted once an hour. */
const noted = new LRUCache<string, number>({ max: 10_000 });

/** For GET /vocabulary: a type is known from its first event on, and the time of its latest to the hour. */
export async function noteSeenType(em: EntityManager, projectId: string, type: string, now: Date): Promise<void> {
  const name = `${projectId} ${type}`;
  const hour = Math.floor(now.getTime() / HOUR_MS);
  if (noted.get(name) === hour) return;
  await noteEventType(em, projectId, type, now);
  noted.set(name, hour);
}
