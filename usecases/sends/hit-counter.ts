import { LRUCache } from 'lru-cache';
import type { MikroORM } from '../../db/orm.ts';
import { sha256 } from '../../domain/projects/crypto.ts';
import { addHits, type Hits, linkKey } from '../../domain/sends/hits.ts';
import type { Tracked } from '../../domain/sends/tracking.ts';
import { inBatches } from '../../platform/batches.ts';
import type { Logger } from '../../platform/logger.ts';
import { createSlots } from '../../platform/slots.ts';
import { type CountedHit, countHits } from './record-hits.ts';

export interface HitCounter {
  /** Resolves when the hit is recorded, is known to be a repeat, or cannot be recorded. Never rejects. */
  count(tracked: Tracked, hit: { readonly at: Date; readonly isBot: boolean }): Promise<void>;
  /** Writes the repeats that are still to be written. */
  stop(): Promise<void>;
}

export interface HitCounterDeps {
  readonly orm: MikroORM;
  readonly log: Logger;
  /** How often repeats are written, in milliseconds. */
  readonly everyMs?: number;
}

/** Transactions at the same time, so that no flood of hits takes the connections of the API. */
const CONNECTIONS = 2;
const AT_ONCE = 100;
/** More are not waited for: they lead on uncounted. */
const MOST_WAITING = 5_000;
/** Links that this process knows to have been hit. */
const MOST_KNOWN = 50_000;
const EVERY_MS = 5_000;

/**
 * Counts opens and clicks of tracked mail: what may be the first of its link is written at once, with whatever else comes at the time;
 * repeats are added up here and written now and then. A process that is killed takes the repeats of some seconds with it.
 */
export function createHitCounter({ orm, log, everyMs = EVERY_MS }: HitCounterDeps): HitCounter {
  const known = new LRUCache<string, true>({ max: MOST_KNOWN });
  let repeats = new Map<string, Hits>();
  const places = createSlots(MOST_WAITING);
  let writing: Promise<unknown> = Promise.resolve();

  const writeBatch = async (batch: readonly Hits[]): Promise<readonly CountedHit[]> => {
    try {
      return await countHits(orm.em.fork({ clear: true }), batch);
    } catch (error) {
      log.warn('tracking.not_counted', { hits: batch.reduce((sum, { count }) => sum + count, 0), error });
      throw error;
    }
  };
  const write = inBatches(writeBatch, { most: AT_ONCE, atOnce: CONNECTIONS, mayBeOnesAlone: () => false });

  const writeRepeats = (): void => {
    const due = [...repeats.values()];
    repeats = new Map();
    if (due.length > 0) writing = Promise.allSettled([writing, write(due)]);
  };
  const timer = setInterval(writeRepeats, everyMs);
  const addRepeat = (key: string, hit: Hits): void => {
    const before = repeats.get(key);
    repeats.set(key, before ? addHits(before, hit) : hit);
  };

  return {
    async count(tracked, { at, isBot }) {
      const { kind, sendId } = tracked;
      const url = tracked.kind === 'clicked' ? tracked.url : undefined;
      const hit: Hits = { sendId, kind, url, isBot, count: 1, firstAt: at, lastAt: at };
      const key = sha256(linkKey(hit)).toString('base64');
      if (known.get(key)) {
        addRepeat(key, hit);
        return;
      }
      const release = places.tryTake();
      if (!release) return;
      try {
        const [counted] = await write([hit]);
        if (counted === 'counted') known.set(key, true);
        // The rows of a campaign's mails are written with their outcome, a moment after the mail is there.
        if (counted === 'unknown') addRepeat(key, hit);
      } catch {
        // The batch has told why. The next hit is tried again.
      } finally {
        release();
      }
    },
    async stop() {
      clearInterval(timer);
      writeRepeats();
      await writing;
    },
  };
}
