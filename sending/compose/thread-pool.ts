import { EventEmitter } from 'node:events';
import { Piscina } from 'piscina';
import type { Logger } from '../../platform/logger.ts';
import type { ThreadUse } from '../../platform/metrics/watch-threads.ts';
import { SLOT_FIELDS, type ThreadStart } from './thread-task.ts';
import { createTurns } from './turns.ts';

export interface ThreadPoolOptions {
  /** A module that exports what `inThread` gives. */
  readonly file: URL;
  /** For every thread: `startedWith`. */
  readonly data: unknown;
  /** Threads that are always there, and at most. */
  readonly minThreads: number;
  readonly maxThreads: number;
  /** Of running, for each item of a task. */
  readonly itemMs: number;
  /** A thread that is found with more while it is long at one item is ended. */
  readonly heapMb: number;
  readonly log: Pick<Logger, 'error'>;
  /** After so long without work a thread beyond the least number ends. */
  readonly idleMs?: number;
}

/** Why a thread had to be ended. */
type Ended = 'too slow' | 'too large';

/** What became of a task: its answer, or the item at which its thread had to be ended. */
export type Outcome<R> =
  | { readonly answer: R }
  /** item: undefined when the thread had not come to the first. What is too large may be so by the items before it. */
  | { readonly ended: Ended; readonly item: number | undefined };

export interface ThreadPool<T, R> {
  /** Those in one line wait for each other; lines take turns. `transfer`: memory within the input that goes over to the thread. */
  run(input: T, line: string, transfer?: readonly ArrayBuffer[]): Promise<Outcome<R>>;
  /** What is in this line is slow: for a minute it leaves a thread to the other lines. A line in which a thread had to be ended is slow too. */
  slow(line: string): void;
  use(): ThreadUse;
  /** Ends every thread; what was under way is rejected. */
  close(): Promise<void>;
}

/** A task is looked at this often; what ends in between is never looked at. */
const LOOK_MS = 25;
/**
 * The time that counts is that of the thread's own running. A thread that cannot even tell it is ended by the clock, after so many times as much:
 * on a busy machine a thread may get a small part of a core.
 */
const CLOCK_FACTOR = 40;
/** What the clock says counts up to this between two looks, so that a process that was stopped for a while ends nothing for it. */
const MOST_BETWEEN_LOOKS_MS = 4 * LOOK_MS;
/** A thread that was ended writes into its slot for a moment more, so a slot is used again only after many others. */
const SLOTS = 4096;

/**
 * V8's own limit is so many times the heap that a thread may have. At that limit Node ends the thread only if it comes to a look before it has
 * allocated 16 MB more; else V8 ends the whole process. So it must never be met (node issue 47224).
 */
const V8_LIMIT_FACTOR = 2;

const SLOW_FOR_MS = 60_000;

interface Job<T, R> {
  readonly line: string;
  readonly input: T;
  readonly transfer: readonly ArrayBuffer[];
  resolve(outcome: Outcome<R>): void;
  reject(error: unknown): void;
}

/** A task that a thread has, and for how long it has been at the same item. */
interface Watched {
  readonly line: string;
  readonly slot: number;
  readonly end: EventEmitter;
  item: number;
  waitedMs: number;
  /** What its thread had used when it was first found at the item for the second time. */
  usedBefore: number | undefined;
  ended: Ended | undefined;
}

/**
 * Threads for work that what tenants write has a part in. One that takes too long or too much memory is ended and replaced, and only the
 * item that it was at is lost.
 */
export function createThreadPool<T, R>(options: ThreadPoolOptions): ThreadPool<T, R> {
  const { itemMs, maxThreads, heapMb } = options;
  const shared = new SharedArrayBuffer(SLOTS * SLOT_FIELDS * Int32Array.BYTES_PER_ELEMENT);
  const slots = new Int32Array(shared);
  const piscina = new Piscina({
    filename: options.file.href,
    workerData: { data: options.data, slots: shared } satisfies ThreadStart<unknown>,
    minThreads: options.minThreads,
    maxThreads,
    idleTimeout: options.idleMs ?? Number.POSITIVE_INFINITY,
    resourceLimits: { maxOldGenerationSizeMb: heapMb * V8_LIMIT_FACTOR },
    recordTiming: false,
  });
  // Of a thread that has no task: nobody is told who waits for an answer.
  piscina.on('error', (error) => options.log.error('thread.failed', { error: String(error) }));
  const waiting = createTurns<Job<T, R>>();
  const watched = new Set<Watched>();
  const ended = { tooSlow: 0, tooLarge: 0 };
  let waitingTasks = 0;
  let lastSlot = 0;
  let timer: NodeJS.Timeout | undefined;

  const slowUntil = new Map<string, number>();
  const isSlow = (line: string): boolean => (slowUntil.get(line) ?? 0) > performance.now();
  /** All the slow lines together have all threads but one. */
  const mayHaveTurn = (line: string): boolean => {
    if (maxThreads === 1 || slowUntil.size === 0 || !isSlow(line)) return true;
    return [...watched].filter((watch) => isSlow(watch.line)).length < maxThreads - 1;
  };
  const slow = (line: string): void => {
    const now = performance.now();
    for (const [known, until] of slowUntil) if (until <= now) slowUntil.delete(known);
    slowUntil.set(line, now + SLOW_FOR_MS);
  };

  /** Piscina has no more tasks than threads: the rest waits here, where lines take turns. */
  const dispatch = (): void => {
    while (watched.size < maxThreads) {
      const job = waiting.next(mayHaveTurn);
      if (!job) break;
      waitingTasks--;
      void carryOut(job.member);
    }
    if (watched.size > 0) timer ??= setInterval(look, LOOK_MS).unref();
    else {
      clearInterval(timer);
      timer = undefined;
    }
  };

  const carryOut = async (job: Job<T, R>): Promise<void> => {
    lastSlot = (lastSlot + 1) % SLOTS;
    const { line } = job;
    const watch: Watched = {
      line,
      slot: lastSlot,
      end: new EventEmitter(),
      item: -1,
      waitedMs: 0,
      usedBefore: undefined,
      ended: undefined,
    };
    slots.fill(0, lastSlot * SLOT_FIELDS, (lastSlot + 1) * SLOT_FIELDS);
    watched.add(watch);
    try {
      job.resolve({
        answer: await piscina.run({ input: job.input, slot: watch.slot }, { signal: watch.end, transferList: [...job.transfer] }),
      });
    } catch (error) {
      const at = itemOf(watch);
      const item = at < 0 ? undefined : at;
      const why = watch.ended ?? ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'too large' : undefined);
      if (why) {
        ended[why === 'too slow' ? 'tooSlow' : 'tooLarge']++;
        slow(line);
        job.resolve({ ended: why, item });
      } else job.reject(error);
    }
    watched.delete(watch);
    dispatch();
  };

  const itemOf = ({ slot }: Watched): number => Atomics.load(slots, slot * SLOT_FIELDS + 1) - 1;

  let lastLook = 0;
  const look = (): void => {
    const now = performance.now();
    const passed = Math.min(now - lastLook, MOST_BETWEEN_LOOKS_MS);
    lastLook = now;
    for (const watch of watched) {
      const item = itemOf(watch);
      if (item !== watch.item) Object.assign(watch, { item, waitedMs: 0, usedBefore: undefined });
      else if (item >= 0) {
        watch.waitedMs += passed;
        void judge(watch, item);
      }
    }
  };

  const judge = async (watch: Watched, item: number): Promise<void> => {
    if (watch.waitedMs > itemMs * CLOCK_FACTOR) end(watch, 'too slow');
    const used = await usedBy(Atomics.load(slots, watch.slot * SLOT_FIELDS));
    if (!used || watch.item !== item || itemOf(watch) !== item) return;
    watch.usedBefore ??= used.ms;
    if (used.heapMb > heapMb) end(watch, 'too large');
    else if (used.ms - watch.usedBefore > itemMs) end(watch, 'too slow');
  };

  const end = (watch: Watched, why: Ended): void => {
    if (watch.ended || !watched.has(watch)) return;
    watch.ended = why;
    watch.end.emit('abort');
  };

  /** ms: of running since the thread began. */
  const usedBy = async (threadId: number): Promise<{ readonly ms: number; readonly heapMb: number } | undefined> => {
    const thread = piscina.threads.find((candidate) => candidate.threadId === threadId);
    try {
      const [usage, heap] = await Promise.all([thread?.cpuUsage(), thread?.getHeapStatistics()]);
      return usage && heap && { ms: (usage.user + usage.system) / 1000, heapMb: heap.used_heap_size / 2 ** 20 };
    } catch {
      // It has ended by itself.
      return undefined;
    }
  };

  return {
    run: (input, line, transfer = []) =>
      new Promise((resolve, reject) => {
        waitingTasks++;
        waiting.add(line, { line, input, transfer, resolve, reject });
        dispatch();
      }),
    slow,
    use: () => ({ most: maxThreads, busy: watched.size, waiting: waitingTasks, ...ended }),
    async close() {
      for (let job = waiting.next(); job; job = waiting.next()) job.member.reject(new Error('the threads are closed'));
      clearInterval(timer);
      timer = undefined;
      await piscina.destroy();
    },
  };
}
