import { setTimeout as sleep } from 'node:timers/promises';

/** What is done again and again until it is stopped. */
export interface Repeating {
  /** Waits for what is under way. */
  stop(): Promise<void>;
}

/**
 * Does the work at once and then again, each time so long after the last has ended. It hears by the signal that it is to stop; what it throws
 * goes to `failed`, and it is tried again.
 */
export function every(milliseconds: number, work: (stopping: AbortSignal) => Promise<void>, failed: (error: unknown) => void): Repeating {
  const stopping = new AbortController();
  const { signal } = stopping;
  const loop = async (): Promise<void> => {
    while (!signal.aborted) {
      await work(signal).catch(failed);
      await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
    }
  };
  const running = loop();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
