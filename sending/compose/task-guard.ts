import { EventEmitter } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { SLOT_FIELDS } from './thread-task.ts';

/** Why a thread had to be ended. */
export type Ended = 'too slow' | 'too large';

/** A task that a thread has, and for how long it has been at the same item. */
export interface GuardedTask {
  readonly line: string;
  readonly slot: number;
  /** Emits `abort` when its thread has to be ended. */
  readonly end: EventEmitter;
  item: number;
  waitedMs: number;
  /** What its thread had used when it was first found at the item for the second time. */
  usedBefore: number | undefined;
  ended: Ended | undefined;
}

export interface TaskGuardOptions {
  /** Those that are there now. */
  readonly threads: () => readonly Worker[];
  /** Of running, for each item of a task. */
  readonly itemMs: number;
  /** A thread that is found with more while it is long at one item is ended. */
  readonly heapMb: number;
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

/** Ends the task whose thread is at one item for too long, or with too much memory. */
export class TaskGuard {
  readonly #options: TaskGuardOptions;
  readonly #slots = createSlots();
  readonly #tasks = new Set<GuardedTask>();
  #lastLook = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: TaskGuardOptions) {
    this.#options = options;
  }

  /** Where threads note which of them has a task, and at which of its items it is. */
  get slots(): SharedArrayBuffer {
    return this.#slots.shared;
  }

  get tasks(): ReadonlySet<GuardedTask> {
    return this.#tasks;
  }

  begin(line: string): GuardedTask {
    const end = new EventEmitter();
    const task: GuardedTask = { line, slot: this.#slots.next(), end, item: -1, waitedMs: 0, usedBefore: undefined, ended: undefined };
    this.#tasks.add(task);
    this.#timer ??= setInterval(() => this.#look(), LOOK_MS).unref();
    return task;
  }

  /** undefined when the thread has not come to the first. */
  itemOf({ slot }: GuardedTask): number | undefined {
    const item = this.#slots.itemAt(slot);
    return item < 0 ? undefined : item;
  }

  release(task: GuardedTask): void {
    this.#tasks.delete(task);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    if (this.#tasks.size === 0) this.stop();
    const now = performance.now();
    const passed = Math.min(now - this.#lastLook, MOST_BETWEEN_LOOKS_MS);
    this.#lastLook = now;
    for (const task of this.#tasks) {
      const item = this.#slots.itemAt(task.slot);
      if (item !== task.item) Object.assign(task, { item, waitedMs: 0, usedBefore: undefined });
      else if (item >= 0) {
        task.waitedMs += passed;
        void this.#judge(task, item);
      }
    }
  }

  async #judge(task: GuardedTask, item: number): Promise<void> {
    const { threads, itemMs, heapMb } = this.#options;
    if (task.waitedMs > itemMs * CLOCK_FACTOR) this.#end(task, 'too slow');
    const threadId = this.#slots.threadAt(task.slot);
    const used = await usedBy(threads().find((thread) => thread.threadId === threadId));
    if (!used || task.item !== item || this.#slots.itemAt(task.slot) !== item) return;
    task.usedBefore ??= used.ms;
    if (used.heapMb > heapMb) this.#end(task, 'too large');
    else if (used.ms - task.usedBefore > itemMs) this.#end(task, 'too slow');
  }

  #end(task: GuardedTask, why: Ended): void {
    if (task.ended || !this.#tasks.has(task)) return;
    task.ended = why;
    task.end.emit('abort');
  }
}

/** Two numbers for each task, in memory that every thread reads and writes: `inThread` has what they mean. */
function createSlots() {
  const shared = new SharedArrayBuffer(SLOTS * SLOT_FIELDS * Int32Array.BYTES_PER_ELEMENT);
  const numbers = new Int32Array(shared);
  let last = 0;
  return {
    shared,
    /** An empty one. */
    next(): number {
      last = (last + 1) % SLOTS;
      numbers.fill(0, last * SLOT_FIELDS, (last + 1) * SLOT_FIELDS);
      return last;
    },
    threadAt: (slot: number): number => Atomics.load(numbers, slot * SLOT_FIELDS),
    /** -1 when its thread has not come to the first. */
    itemAt: (slot: number): number => Atomics.load(numbers, slot * SLOT_FIELDS + 1) - 1,
  };
}

/** ms: of running since the thread began. */
async function usedBy(thread: Worker | undefined): Promise<{ readonly ms: number; readonly heapMb: number } | undefined> {
  try {
    const [usage, heap] = await Promise.all([thread?.cpuUsage(), thread?.getHeapStatistics()]);
    return usage && heap && { ms: (usage.user + usage.system) / 1000, heapMb: heap.used_heap_size / 2 ** 20 };
  } catch {
    // It has ended by itself.
    return undefined;
  }
}
