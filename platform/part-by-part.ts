/** Work of which more is left than is done at a time. */
export interface Parts<T> {
  /** Does the next part of one; returns whether there may be more to do. */
  readonly doPart: (one: T) => Promise<boolean>;
  /** Told of one that fails: it keeps no other waiting, and is left alone. */
  readonly failed: (one: T, error: unknown) => void;
  readonly stopping: AbortSignal;
}

/** Does a part of each in turn, again and again until there is no more to do. */
export async function partByPart<T>(all: readonly T[], { doPart, failed, stopping }: Parts<T>): Promise<void> {
  for (let left = all; left.length > 0; ) {
    const more: T[] = [];
    for (const one of left) {
      if (stopping.aborted) return;
      try {
        if (await doPart(one)) more.push(one);
      } catch (error) {
        failed(one, error);
      }
    }
    left = more;
  }
}
