/** Milliseconds that this thread was running for it: on a busy machine the clock goes on while somebody else runs. */
export function runningMs(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/**
 * The least of five times, or of up to twenty while none was below: a collection of garbage may fall into one of them, code may not be compiled
 * yet, or another process may have the core.
 */
export function leastRunningMs(work: () => unknown, below: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 5 || (least >= below && tries < 20); tries++) least = Math.min(least, runningMs(work));
  return least;
}
