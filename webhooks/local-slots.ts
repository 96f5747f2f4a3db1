import { LRUCache } from 'lru-cache';
import { createSlots, type Release } from '../platform/slots.ts';

/** The right to make an attempt within the workflow task that asks for it: for few at once, to endpoints that are quick. */
export interface LocalSlots {
  /** Undefined: it has to queue. */
  tryTake(endpointId: string): Release | undefined;
  /** How long the latest attempt to an endpoint took. */
  noteTime(endpointId: string, milliseconds: number): void;
}

/** As few as keep a hanging endpoint from holding up the tasks of others. */
const LOCAL_ATTEMPTS = 10;
/** Of these, those to endpoints that have not been seen to be quick. */
const LOCAL_ATTEMPTS_UNPROVEN = 3;
const QUICK_MS = 500;
/** Endpoints whose latest answer is remembered. */
const REMEMBERED = 10_000;

export function createLocalSlots(): LocalSlots {
  const latestMs = new LRUCache<string, number>({ max: REMEMBERED });
  const slots = createSlots(LOCAL_ATTEMPTS);
  const unproven = createSlots(LOCAL_ATTEMPTS_UNPROVEN, slots);
  return {
    tryTake(endpointId) {
      const latest = latestMs.get(endpointId);
      if (latest === undefined) return unproven.tryTake();
      return latest < QUICK_MS ? slots.tryTake() : undefined;
    },
    noteTime: (endpointId, milliseconds) => latestMs.set(endpointId, milliseconds),
  };
}
