import { IANAZone } from 'luxon';

const MINUTE_MS = 60_000;
export const DAY_MS = 24 * 60 * MINUTE_MS;
/** More than any zone has ever been away from UTC. */
const FURTHEST_OFFSET_MS = 16 * 60 * MINUTE_MS;

/** The clock of an IANA zone. Local times are milliseconds as if the clock showed UTC. */
export interface ZoneClock {
  /** Midnight of the day that the zone's calendar shows. */
  dayOf(instant: number): number;
  /**
   * The first instant at which local time has come to `local`: of a time that exists twice the first, for a time that clocks jump over the moment of
   * the jump. Both come from the offsets around the change; a zone is taken to change at most once within 32 hours.
   */
  firstInstantAt(local: number): number;
}

/** Of a zone for which `isTimeZone` says so. */
export function clockOf(zone: string): ZoneClock {
  const clock = IANAZone.create(zone);
  /** Milliseconds east of UTC. */
  const offset = (instant: number): number => clock.offset(instant) * MINUTE_MS;
  return {
    dayOf(instant) {
      const local = instant + offset(instant);
      return local - (((local % DAY_MS) + DAY_MS) % DAY_MS);
    },
    firstInstantAt(local) {
      let before = local - FURTHEST_OFFSET_MS;
      let after = local + FURTHEST_OFFSET_MS;
      const offsetBefore = offset(before);
      const offsetAfter = offset(after);
      if (offsetBefore === offsetAfter) return local - offsetBefore;
      while (after - before > 1) {
        const middle = Math.floor((before + after) / 2);
        if (offset(middle) === offsetBefore) before = middle;
        else after = middle;
      }
      const change = after;
      const early = local - offsetBefore;
      return early < change ? early : Math.max(local - offsetAfter, change);
    },
  };
}
