/** Milliseconds that this thread was running for it: on a busy machine the clock goes on while somebody else runs. */
export function runningMs(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
