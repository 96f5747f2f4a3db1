interface Waiting<I, O> {
  readonly item: I;
  readonly resolve: (result: O) => void;
  readonly reject: (error: unknown) => void;
}

export interface PageLimits {
  /** Items of one page. */
  readonly most: number;
  /** Pages under way at the same time. */
  readonly atOnce: number;
  /** Whether an error of a page may be one item's alone: its items are then tried one by one. */
  readonly mayBeOnesAlone: (error: unknown) => boolean;
}

/**
 * Joins calls as a group commit does: one that comes while nothing is under way goes at once and alone; those that arrive meanwhile go
 * together in the next page. An item that spoils its page fails alone.
 */
export function inPages<I, O>(
  work: (page: readonly I[]) => Promise<readonly O[]>,
  { most, atOnce, mayBeOnesAlone }: PageLimits,
): (item: I) => Promise<O> {
  const waiting: Waiting<I, O>[] = [];
  let underWay = 0;

  const carryOut = async (page: readonly Waiting<I, O>[]): Promise<void> => {
    try {
      const results = await work(page.map(({ item }) => item));
      for (const [index, { resolve }] of page.entries()) resolve(results[index] as O);
    } catch (error) {
      if (page.length > 1 && mayBeOnesAlone(error)) for (const each of page) await carryOut([each]);
      else for (const { reject } of page) reject(error);
    }
  };

  const next = (): void => {
    while (underWay < atOnce && waiting.length > 0) {
      underWay++;
      void carryOut(waiting.splice(0, most)).then(() => {
        underWay--;
        next();
      });
    }
  };

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      next();
    });
}
