import { AssertionError } from 'liquidjs';

/** From when on the processor time is asked for, which takes a microsecond; until then the clock counts. */
const UNMEASURED_MS = 20;

/** Milliseconds of running since it was started. */
export type Stopwatch = () => number;

/**
 * It is the thread's own time that counts: on a busy machine the clock goes on while somebody else runs. `before`: milliseconds that the
 * same work has run already.
 */
export function startStopwatch(before = 0): Stopwatch {
  const begun = performance.now();
  let offset: number | undefined = before < UNMEASURED_MS ? undefined : usedMs();
  return () => {
    if (offset === undefined) {
      const passed = performance.now() - begun;
      if (before + passed < UNMEASURED_MS) return passed;
      offset = usedMs() - Math.min(passed, UNMEASURED_MS);
    }
    return usedMs() - offset;
  };
}

/** How long a rendering may run. liquidjs calls it where it would look at the clock. */
export class RunningTime {
  readonly #limitMs: number;
  readonly #stopwatch = startStopwatch();
  isOver = false;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** Throws when the time is over. */
  check(): void {
    if (this.#stopwatch() <= this.#limitMs) return;
    this.isOver = true;
    throw new AssertionError('template render limit exceeded');
  }
}

function usedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
