import { Piscina } from 'piscina';
import type { Logger } from '../../platform/logger.ts';
import type { ThreadUse } from '../../platform/metrics/watch-threads.ts';
import { createSlowLines } from './slow-lines.ts';
import { type Ended, TaskGuard } from './task-guard.ts';
import type { ThreadStart } from './thread-task.ts';
import { createTurns } from './turns.ts';

export interface ThreadPoolOptions {
  /** A module that exports what `inThread` gives. */
  readonly file: URL;
  /** For every thread: `startedWith`. */
  readonly data: unknown;
  /** Threads that are always there, and at most. */
  readonly minThreads: number;
  readonly maxThreads: number;
  /** A line that has a thread gets one that is yet to be started when its next task has waited for so long; at once when omitted. */
  readonly lagMs?: number;
  /** Of running, for each item of a task. */
  readonly itemMs: number;
  /** A thread that is found with more while it is long at one item is ended. */
  readonly heapMb: number;
  readonly log: Pick<Logger, 'error'>;
  /** After so long without work a thread beyond the least number ends. */
  readonly idleMs?: number;
}

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

/**
 * V8's own limit is so many times the heap that a thread may have. At that limit Node ends the thread only if it comes to a look before it has
 * allocated 16 MB more; else V8 ends the whole process. So it must never be met (node issue 47224).
 */
const V8_LIMIT_FACTOR = 2;

interface Job<T, R> {
  readonly line: string;
  readonly askedAt: number;
  readonly input: T;
  readonly transfer: readonly ArrayBuffer[];
  resolve(outcome: Outcome<R>): void;
  reject(error: unknown): void;
}

/**
 * Threads for work that what tenants write has a part in. One that takes too long or too much memory is ended and replaced, and only the
 * item that it was at is lost.
 */
export function createThreadPool<T, R>(options: ThreadPoolOptions): ThreadPool<T, R> {
  const { maxThreads, lagMs = 0, itemMs, heapMb } = options;
  const guard: TaskGuard = new TaskGuard({ threads: () => piscina.threads, itemMs, heapMb });
  const piscina = startThreads(options, guard.slots);
  const waiting = createTurns<Job<T, R>>();
  const slowLines = createSlowLines();
  const ended = { tooSlow: 0, tooLarge: 0 };
  let waitingTasks = 0;

  /** All the slow lines together have all threads but one. */
  const mayHaveTurn = (line: string, { askedAt }: Job<T, R>): boolean => {
    const tasks = [...guard.tasks];
    const isThreadThere = tasks.length < piscina.threads.length;
    if (!isThreadThere && performance.now() - askedAt < lagMs && tasks.some((task) => task.line === line)) return false;
    if (maxThreads === 1 || !slowLines.has(line)) return true;
    return tasks.filter((task) => slowLines.has(task.line)).length < maxThreads - 1;
  };

  /** Piscina has no more tasks than threads: the rest waits here, where lines take turns. */
  const dispatch = (): void => {
    while (guard.tasks.size < maxThreads) {
      const job = waiting.next(mayHaveTurn);
      if (!job) break;
      waitingTasks--;
      void carryOut(job.member);
    }
  };

  const carryOut = async ({ line, input, transfer, resolve, reject }: Job<T, R>): Promise<void> => {
    const task = guard.begin(line);
    try {
      resolve({ answer: await piscina.run({ input, slot: task.slot }, { signal: task.end, transferList: [...transfer] }) });
    } catch (error) {
      const why = task.ended ?? ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'too large' : undefined);
      if (why) {
        ended[why === 'too slow' ? 'tooSlow' : 'tooLarge']++;
        slowLines.add(line);
        resolve({ ended: why, item: guard.itemOf(task) });
      } else reject(error);
    }
    guard.release(task);
    dispatch();
  };

  return {
    run: (input, line, transfer = []) =>
      new Promise((resolve, reject) => {
        waitingTasks++;
        waiting.add(line, { line, askedAt: performance.now(), input, transfer, resolve, reject });
        dispatch();
      }),
    slow: slowLines.add,
    use: () => ({ most: maxThreads, busy: guard.tasks.size, waiting: waitingTasks, ...ended }),
    async close() {
      for (let job = waiting.next(); job; job = waiting.next()) job.member.reject(new Error('the threads are closed'));
      guard.stop();
      await piscina.destroy();
    },
  };
}

function startThreads(options: ThreadPoolOptions, slots: SharedArrayBuffer): Piscina {
  const piscina = new Piscina({
    filename: options.file.href,
    // Piscina requires the file before it imports it, and Node aborts the process when a thread is ended while it requires an ES module.
    execArgv: ['--no-experimental-require-module'],
    workerData: { data: options.data, slots } satisfies ThreadStart<unknown>,
    minThreads: options.minThreads,
    maxThreads: options.maxThreads,
    idleTimeout: options.idleMs ?? Number.POSITIVE_INFINITY,
    resourceLimits: { maxOldGenerationSizeMb: options.heapMb * V8_LIMIT_FACTOR },
    recordTiming: false,
  });
  // Of a thread that has no task: nobody is told who waits for an answer.
  piscina.on('error', (error) => options.log.error('thread.failed', { error: String(error) }));
  return piscina;
}
