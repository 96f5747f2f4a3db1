import { inParallel } from './in-parallel.ts';

interface Waiting<I, O> {
  readonly item: I;
  readonly resolve: (result: O) => void;
  readonly reject: (error: unknown) => void;
}

export interface BatchLimits {
  /** Items of one batch. */
  readonly most: number;
  /** Batches under way at the same time. */
  readonly atOnce: number;
  /** Whether an error of a batch may be one item's alone: its items are then tried by themselves. */
  readonly mayBeOnesAlone: (error: unknown) => boolean;
  /** Whether an error of an item by itself says nothing of the others: each of them is tried, however many fail so. None is, when omitted. */
  readonly isOnesOwn?: (error: unknown) => boolean;
  /** How many of them at the same time; 1 when omitted. */
  readonly aloneAtOnce?: number;
}

/**
 * When so many items failed by themselves for what may be the fault of all, like a lock on the table, the rest of the batch is told the same
 * without a try: each would wait as long.
 */
const MOST_FAILING_ALONE = 4;

/**
 * Joins calls as a group commit does: what comes while nothing is under way goes at once, with whatever else came in the same turn of the
 * event loop; what arrives meanwhile goes together in the next batch. An item that spoils its batch fails alone. A call of several items is
 * rejected only when each of them has ended.
 */
export function inBatches<I, O>(
  work: (batch: readonly I[]) => Promise<readonly O[]>,
  { most, atOnce, mayBeOnesAlone, isOnesOwn, aloneAtOnce = 1 }: BatchLimits,
): (items: readonly I[]) => Promise<O[]> {
  const waiting: Waiting<I, O>[] = [];
  let underWay = 0;
  let isDue = false;

  const carryOut = async (batch: readonly Waiting<I, O>[]): Promise<void> => {
    try {
      const results = await work(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as O);
    } catch (error) {
      if (batch.length > 1 && mayBeOnesAlone(error)) await carryOutAlone(batch);
      else for (const { reject } of batch) reject(error);
    }
  };
  const carryOutAlone = async (batch: readonly Waiting<I, O>[]): Promise<void> => {
    const failures: unknown[] = [];
    await inParallel(aloneAtOnce, batch, async ({ item, resolve, reject }) => {
      if (failures.length >= MOST_FAILING_ALONE) return reject(failures.at(-1));
      try {
        const [result] = await work([item]);
        resolve(result as O);
      } catch (error) {
        if (!isOnesOwn?.(error)) failures.push(error);
        reject(error);
      }
    });
  };

  const begin = (): void => {
    isDue = false;
    while (underWay < atOnce && waiting.length > 0) {
      underWay++;
      void carryOut(waiting.splice(0, most)).then(() => {
        underWay--;
        beginSoon();
      });
    }
  };
  const beginSoon = (): void => {
    if (isDue || underWay >= atOnce || waiting.length === 0) return;
    isDue = true;
    setImmediate(begin);
  };

  return async (items) => {
    const asked = items.map((item) => new Promise<O>((resolve, reject) => waiting.push({ item, resolve, reject })));
    beginSoon();
    await Promise.allSettled(asked);
    return Promise.all(asked);
  };
}

/** The same for calls of many kinds: those of one kind go together, and kinds wait for each other in nothing. */
export function inKeyedBatches<I, O>(
  work: (batch: readonly I[]) => Promise<readonly O[]>,
  keyOf: (item: I) => string,
  limits: BatchLimits,
): (item: I) => Promise<O> {
  const lines = new Map<string, { readonly ask: (items: readonly I[]) => Promise<O[]>; users: number }>();
  return async (item) => {
    const key = keyOf(item);
    const line = lines.get(key) ?? { ask: inBatches(work, limits), users: 0 };
    lines.set(key, line);
    line.users++;
    try {
      const [result] = await line.ask([item]);
      return result as O;
    } finally {
      if (--line.users === 0) lines.delete(key);
    }
  };
}
