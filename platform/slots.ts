/** Gives a place back; only the first call counts. */
export type Release = () => void;

export function releaseOnce(giveBack: () => void): Release {
  let isHeld = true;
  return () => {
    if (!isHeld) return;
    isHeld = false;
    giveBack();
  };
}

/** A limited number of places. */
export interface Slots {
  /** A place now, or undefined. */
  tryTake(): Release | undefined;
}

/** `within`: whoever takes one of these takes one of those as well. */
export function createSlots(count: number, within?: Slots): Slots {
  let free = count;
  return {
    tryTake() {
      if (free <= 0) return undefined;
      const outer = within?.tryTake();
      if (within && !outer) return undefined;
      free--;
      return releaseOnce(() => {
        free++;
        outer?.();
      });
    },
  };
}
