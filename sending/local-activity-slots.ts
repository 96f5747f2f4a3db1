/** The right to submit one mail; given back with a call. */
export type ReleaseSlot = () => void;

/** Of the sends that a process makes at once (SEND_CONCURRENCY), those that may go within the workflow task that asks for them. */
export interface LocalActivitySlots {
  /** A slot now, or undefined. */
  tryTake(): ReleaseSlot | undefined;
}

/**
 * The rest of SEND_CONCURRENCY is for what waits in the queue of sends: a slow provider must not hold up every workflow task, nor should local
 * activities pass by the queue for ever. Where a rate bounds the sends no mail goes locally, since the queue keeps the rate.
 */
export function shareOfQueue(sendConcurrency: number, sendRatePerSecond: number): number {
  return sendRatePerSecond > 0 ? sendConcurrency : Math.ceil(sendConcurrency / 4);
}

export function createLocalActivitySlots(count: number): LocalActivitySlots {
  let free = count;
  return {
    tryTake() {
      if (free <= 0) return undefined;
      free--;
      let isHeld = true;
      return () => {
        if (isHeld) free++;
        isHeld = false;
      };
    },
  };
}
