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

/** Looks after the tasks that threads have at present. */
export interface TaskGuard {
  /** Where threads note which of them has a task, and at which of its items it is. */
  readonly slots: SharedArrayBuffer;
  readonly tasks: ReadonlySet<GuardedTask>;
  begin(line: string): GuardedTask;
  /** undefined when the thread has not come to the first. */
  itemOf(task: GuardedTask): number | undefined;
  release(task: GuardedTask): void;
  stop(): void;
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
export function createTaskGuard({ threads, itemMs, heapMb }: TaskGuardOptions): TaskGuard {
  const slots = createSlots();
  const tasks = new Set<GuardedTask>();
  let lastLook = 0;
  let timer: NodeJS.Timeout | undefined;

  const stop = (): void => {
    clearInterval(timer);
    timer = undefined;
  };
  const look = (): void => {
    if (tasks.size === 0) stop();
    const now = performance.now();
    const passed = Math.min(now - lastLook, MOST_BETWEEN_LOOKS_MS);
    lastLook = now;
    for (const task of tasks) {
      const item = slots.itemAt(task.slot);
      if (item !== task.item) Object.assign(task, { item, waitedMs: 0, usedBefore: undefined });
      else if (item >= 0) {
        task.waitedMs += passed;
        void judge(task, item);
      }
    }
  };
  const judge = async (task: GuardedTask, item: number): Promise<void> => {
    if (task.waitedMs > itemMs * CLOCK_FACTOR) end(task, 'too slow');
    const threadId = slots.threadAt(task.slot);
    const used = await usedBy(threads().find((thread) => thread.threadId === threadId));
    if (!used || task.item !== item || slots.itemAt(task.slot) !== item) return;
    task.usedBefore ??= used.ms;
    if (used.heapMb > heapMb) end(task, 'too large');
    else if (used.ms - task.usedBefore > itemMs) end(task, 'too slow');
  };
  const end = (task: GuardedTask, why: Ended): void => {
    if (task.ended || !tasks.has(task)) return;
    task.ended = why;
    task.end.emit('abort');
  };

  return {
    slots: slots.shared,
    tasks,
    begin(line) {
      const end = new EventEmitter();
      const task: GuardedTask = { line, slot: slots.next(), end, item: -1, waitedMs: 0, usedBefore: undefined, ended: undefined };
      tasks.add(task);
      timer ??= setInterval(look, LOOK_MS).unref();
      return task;
    },
    itemOf({ slot }) {
      const item = slots.itemAt(slot);
      return item < 0 ? undefined : item;
    },
    release: (task) => tasks.delete(task),
    stop,
  };
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
