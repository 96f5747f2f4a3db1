import { threadId, workerData } from 'node:worker_threads';
import { move, transferableSymbol, valueSymbol } from 'piscina';

/** Two numbers for each task: its thread, and the item that it is at, counted from 1. Both are 0 until it has begun. */
export const SLOT_FIELDS = 2;

/** What a thread is started with. */
export interface ThreadStart<D> {
  readonly data: D;
  readonly slots: SharedArrayBuffer;
}

/** What crosses to a thread for one task. */
export interface SentTask<T> {
  readonly input: T;
  readonly slot: number;
}

/** What a task gives back, and the memory that is transferred with it instead of being copied. */
export interface Answer<R> {
  readonly value: R;
  readonly transfer: readonly ArrayBuffer[];
}

/** In a thread: what it was started with. */
export function startedWith<D>(): D {
  return (workerData as ThreadStart<D>).data;
}

/**
 * In a thread: what it does with a task, for its file to export. `at` is called when the task comes to an item, from 0 on: the time that the
 * item may take begins then.
 */
export function inThread<T, R>(
  handle: (input: T, at: (item: number) => void) => Answer<R> | Promise<Answer<R>>,
): (sent: SentTask<T>) => unknown {
  const slots = new Int32Array((workerData as ThreadStart<unknown>).slots);
  const movable = ({ value, transfer }: Answer<R>): unknown =>
    move({ [valueSymbol]: value as object, [transferableSymbol]: transfer as unknown as object } as never);
  return ({ input, slot }) => {
    Atomics.store(slots, slot * SLOT_FIELDS, threadId);
    const answer = handle(input, (item) => void Atomics.store(slots, slot * SLOT_FIELDS + 1, item + 1));
    return answer instanceof Promise ? answer.then(movable) : movable(answer);
  };
}
