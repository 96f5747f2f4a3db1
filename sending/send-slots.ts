/** The right to hand one mail over; given back with a call. */
export type ReleaseSlot = () => void;

/** How many sends a process makes at once: SEND_CONCURRENCY. */
export interface SendSlots {
  /** A slot now, or undefined: a quarter of them are never given this way, so that what waits in line is not passed by for ever. */
  tryTake(): ReleaseSlot | undefined;
  /** A slot as soon as one is free, first come first served. */
  take(): Promise<ReleaseSlot>;
}

export function createSendSlots(count: number): SendSlots {
  const waiting: ((release: ReleaseSlot) => void)[] = [];
  let free = count;
  const release = (): ReleaseSlot => {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const next = waiting.shift();
      if (next) next(release());
      else free++;
    };
  };
  const kept = Math.ceil(count / 4);
  return {
    tryTake() {
      if (free <= kept) return undefined;
      free--;
      return release();
    },
    take() {
      if (free > 0) {
        free--;
        return Promise.resolve(release());
      }
      return new Promise((resolve) => waiting.push(resolve));
    },
  };
}
