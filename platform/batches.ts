import { inParallel } from './in-parallel.ts';

interface Waiting<I, O> {
  readonly item: I;
  readonly resolve: (result: O) => void;
  readonly reject: (error: unknown) => void;
}

/** What becomes of the items of a batch that fails. */
export interface Splitting {
  /** Whether an error of a batch may be one item's alone: its items are then tried by themselves. */
  readonly mayBeOnesAlone: (error: unknown) => boolean;
  /** Whether an error of an item by itself says nothing of the others: each of them is tried, however many fail so. None is, when omitted. */
  readonly isOnesOwn?: (error: unknown) => boolean;
  /** How many of them at the same time; 1 when omitted. */
  readonly aloneAtOnce?: number;
}

export interface BatchLimits extends Splitting {
  /** Items of one batch. */
  readonly most: number;
  /** Batches under way at the same time. */
  readonly atOnce: number;
  /** What comes first waits so long for others, unless so many have come. It goes at once when omitted. */
  readonly gathering?: { readonly ms: number; readonly enough: number };
}

/**
 * When so many items failed by themselves for what may be the fault of all, like a lock on the table, the rest of the batch is told the same
 * without a try: each would wait as long.
 */
const MOST_FAILING_ALONE = 4;

/** Does the work of a batch, and tells each result as soon as it is known: an item that spoils the batch fails alone. Never rejects. */
async function settleEach<I, O>(
  work: (batch: readonly I[]) => Promise<readonly O[]>,
  batch: readonly I[],
  { mayBeOnesAlone, isOnesOwn, aloneAtOnce = 1 }: Splitting,
  settled: (index: number, result: PromiseSettledResult<O>) => void,
): Promise<void> {
  try {
    const values = await work(batch);
    for (const index of batch.keys()) settled(index, { status: 'fulfilled', value: values[index] as O });
    return;
  } catch (reason) {
    if (batch.length === 1 || !mayBeOnesAlone(reason)) {
      for (const index of batch.keys()) settled(index, { status: 'rejected', reason });
      return;
    }
  }
  const failures: unknown[] = [];
  await inParallel(aloneAtOnce, [...batch.entries()], async ([index, item]) => {
    if (failures.length >= MOST_FAILING_ALONE) return settled(index, { status: 'rejected', reason: failures.at(-1) });
    try {
      const [value] = await work([item]);
      settled(index, { status: 'fulfilled', value: value as O });
    } catch (reason) {
      if (!isOnesOwn?.(reason)) failures.push(reason);
      settled(index, { status: 'rejected', reason });
    }
  });
}

/** The results of a batch whose items fail alone, in their order. Never rejects. */
export async function settledTogether<I, O>(
  work: (batch: readonly I[]) => Promise<readonly O[]>,
  batch: readonly I[],
  splitting: Splitting,
): Promise<PromiseSettledResult<O>[]> {
  const results: PromiseSettledResult<O>[] = [];
  await settleEach(work, batch, splitting, (index, result) => {
    results[index] = result;
  });
  return results;
}

/**
 * Joins calls as a group commit does: what comes while nothing is under way goes at once, or after a time of gathering, with whatever else came
 * by then; what arrives meanwhile goes together in the next batch. An item that spoils its batch fails alone. A call of several items is
 * rejected only when each of them has ended.
 */
export function inBatches<I, O>(
  work: (batch: readonly I[]) => Promise<readonly O[]>,
  limits: BatchLimits,
): (items: readonly I[]) => Promise<O[]> {
  const ask = createLine(work, limits);
  return async (items) => {
    const asked = items.map(ask);
    await Promise.allSettled(asked);
    return Promise.all(asked);
  };
}

/** The same for calls of one item. */
function createLine<I, O>(work: (batch: readonly I[]) => Promise<readonly O[]>, limits: BatchLimits): (item: I) => Promise<O> {
  const { most, atOnce, gathering } = limits;
  const waiting: Waiting<I, O>[] = [];
  let underWay = 0;
  let isDue = false;
  let gatherer: NodeJS.Timeout | undefined;

  const carryOut = async (batch: readonly Waiting<I, O>[]): Promise<void> => {
    const items = batch.map(({ item }) => item);
    await settleEach(work, items, limits, (index, result) => {
      const { resolve, reject } = batch[index] as Waiting<I, O>;
      if (result.status === 'fulfilled') resolve(result.value);
      else reject(result.reason);
    });
    underWay--;
    beginSoon();
  };

  const begin = (): void => {
    clearTimeout(gatherer);
    gatherer = undefined;
    isDue = false;
    while (underWay < atOnce && waiting.length > 0) {
      underWay++;
      void carryOut(waiting.splice(0, most));
    }
  };
  const beginSoon = (): void => {
    if (isDue || underWay >= atOnce || waiting.length === 0) return;
    if (gathering && waiting.length < gathering.enough) {
      gatherer ??= setTimeout(begin, gathering.ms);
      return;
    }
    isDue = true;
    setImmediate(begin);
  };

  return (item) => {
    const asked = new Promise<O>((resolve, reject) => waiting.push({ item, resolve, reject }));
    beginSoon();
    return asked;
  };
}

/** The same for calls of many kinds: those of one kind go together, and kinds wait for each other in nothing. */
export function inKeyedBatches<I, O>(
  work: (batch: readonly I[]) => Promise<readonly O[]>,
  keyOf: (item: I) => string,
  limits: BatchLimits,
): (item: I) => Promise<O> {
  const lines = new Map<string, { readonly ask: (item: I) => Promise<O>; users: number }>();
  return async (item) => {
    const key = keyOf(item);
    const line = lines.get(key) ?? { ask: createLine(work, limits), users: 0 };
    lines.set(key, line);
    line.users++;
    try {
      return await line.ask(item);
    } finally {
      if (--line.users === 0) lines.delete(key);
    }
  };
}
