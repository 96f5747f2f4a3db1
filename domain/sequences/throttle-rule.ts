import type { ThrottleConfig } from './kinds/throttle-config.ts';

const MINUTE_MS = 60_000;

/**
 * When the next run may pass: now, or when the `count`-th pass before it leaves the window. `latest`: instants of passes, in any order, those still to
 * come included, since whoever came earlier passes earlier. Epoch milliseconds.
 */
export function passesAt({ count, window }: Pick<ThrottleConfig, 'count' | 'window'>, latest: readonly number[], now: number): number {
  const inTheWay = latest.toSorted((left, right) => right - left)[count - 1];
  return inTheWay === undefined ? now : Math.max(now, inTheWay + window * MINUTE_MS);
}

/** How a run leaves that may not pass, and is not to wait for it. */
export function droppedDetail({ count, window }: Pick<ThrottleConfig, 'count' | 'window'>): string {
  return `${count} passed within ${window} ${window === 1 ? 'minute' : 'minutes'}`;
}
