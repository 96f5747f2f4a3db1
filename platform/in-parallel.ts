/** Works through the items with so many at a time. The first failure rejects; the worker that met it takes no further item. */
export async function inParallel<T>(atOnce: number, items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const worker = async (): Promise<void> => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
}
