import { clockOf, DAY_MS } from '../zone-clock.ts';

const HOUR_MS = 3_600_000;

/** How far each period reaches back: so many hours or days, the one that is being filled included. */
const PERIODS = {
  '24h': { bucket: 'hour', buckets: 24 },
  '7d': { bucket: 'day', buckets: 7 },
  '30d': { bucket: 'day', buckets: 30 },
} as const;

export type StatPeriod = keyof typeof PERIODS;
export const STAT_PERIODS = Object.keys(PERIODS) as [StatPeriod, ...StatPeriod[]];

/** The hours or days of a period. */
export interface Buckets {
  readonly bucket: 'hour' | 'day';
  /** When each begins, the first first: whole hours of UTC. Each ends where the next begins. */
  readonly begins: readonly Date[];
  /** When the last ends, as far as it has come: the end of this hour. */
  readonly end: Date;
}

/**
 * Hours of UTC, or days of the zone, which clocks that are changed make an hour longer or shorter. What is counted is kept by hours of UTC: one
 * in the middle of which a day begins, where a zone is half an hour off, belongs to the day before.
 */
export function bucketsOf(period: StatPeriod, zone: string, now: Date): Buckets {
  const { bucket, buckets } = PERIODS[period];
  const hour = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS;
  const backwards = Array.from({ length: buckets }, (_, index) => buckets - 1 - index);
  const clock = clockOf(zone);
  const today = clock.dayOf(hour);
  const beginOf = (ago: number): number =>
    bucket === 'hour' ? hour - ago * HOUR_MS : Math.ceil(clock.firstInstantAt(today - ago * DAY_MS) / HOUR_MS) * HOUR_MS;
  return { bucket, begins: backwards.map((ago) => new Date(beginOf(ago))), end: new Date(hour + HOUR_MS) };
}
