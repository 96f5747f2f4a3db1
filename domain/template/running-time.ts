import { AssertionError } from 'liquidjs';

/** From when on the processor time is asked for, which takes a microsecond. */
const UNMEASURED_MS = 20;

/**
 * How long a rendering may run. It is the thread's own time that counts: on a busy machine the clock goes on while somebody else runs.
 * liquidjs calls it where it would look at the clock.
 */
export class RunningTime {
  readonly #limitMs: number;
  readonly #begun = performance.now();
  #before: number | undefined;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** Throws when the time is over. `now`: of the same clock as performance.now(). */
  check(now: number): void {
    if (now - this.#begun < UNMEASURED_MS) return;
    const used = usedMs();
    this.#before ??= used - UNMEASURED_MS;
    if (used - this.#before > this.#limitMs) throw new AssertionError('template render limit exceeded');
  }
}

function usedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
