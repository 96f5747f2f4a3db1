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
/** Hits of mails whose rows are not there are looked at again for so long: until then a process that died while it sent has been replaced, and its rows are written. */
const UNKNOWN_KEPT_MS = 10 * 60_000;
/** Of them, at once. */
const MOST_UNKNOWN = 5_000;

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

  const addRepeat = (key: string, hit: Hits): void => {
    const before = repeats.get(key);
    repeats.set(key, before ? addHits(before, hit) : hit);
  };
  // The rows of a campaign's mails are written with their outcome, a moment after the mail is there: whoever opens it in that moment counts.
  const keepUnknown = (key: string, hit: Hits): void => {
    if (repeats.size < MOST_UNKNOWN && Date.now() - hit.firstAt.getTime() < UNKNOWN_KEPT_MS) addRepeat(key, hit);
  };
  const writeRepeat = async ([key, hit]: readonly [string, Hits]): Promise<void> => {
    const [counted] = await write([hit]);
    if (counted === 'unknown') keepUnknown(key, hit);
  };
  const writeRepeats = (): void => {
    const due = [...repeats];
    repeats = new Map();
    if (due.length > 0) writing = Promise.allSettled([writing, ...due.map(writeRepeat)]);
  };
  const timer = setInterval(writeRepeats, everyMs);

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
        if (counted === 'unknown') keepUnknown(key, hit);
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
