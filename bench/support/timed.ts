/** How many seconds it took. */
export async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

/** The numbers below a count, each for one piece of work. */
export function numbersBelow(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
