import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';

/** What the two threads tell each other without an event loop. */
export const [FROZEN, ANSWERED, NEVER] = [0, 1, 2];

/** What a server in a thread of its own says: to a new connection, to its lines in turn, and to the last thing that it is asked. */
export interface AnsweringThread {
  readonly flags: Int32Array;
  readonly greeting: string;
  readonly replies: readonly string[];
  readonly last: { readonly asked: string; readonly answer: string };
}

export interface FrozenBefore {
  readonly port: number;
  /** Stands still from the last question on, until its answer has come and so many ms have passed. */
  freeze(beyondMs: number): Promise<void>;
  close(): Promise<unknown>;
}

/** A server that answers its last question while the thread of its client stands still, as in a process that got SIGSTOP. */
export async function answeringTheFrozen(said: Omit<AnsweringThread, 'flags'>): Promise<FrozenBefore> {
  const flags = new Int32Array(new SharedArrayBuffer(12));
  const thread = new Worker(new URL('./answering-thread.ts', import.meta.url), { execArgv: [], workerData: { ...said, flags } });
  const [{ port }] = (await once(thread, 'message')) as [AddressInfo];
  return {
    port,
    async freeze(beyondMs) {
      await once(thread, 'message');
      Atomics.store(flags, FROZEN, 1);
      Atomics.notify(flags, FROZEN);
      Atomics.wait(flags, ANSWERED, 0);
      Atomics.wait(flags, NEVER, 0, beyondMs);
    },
    close: () => thread.terminate(),
  };
}
