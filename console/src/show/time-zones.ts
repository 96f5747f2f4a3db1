export const TIME_ZONES = Intl.supportedValuesOf('timeZone');

/** All time zones, also one that is set and that this browser does not know. */
export function timeZonesWith(zone: string | null | undefined): string[] {
  return !zone || TIME_ZONES.includes(zone) ? TIME_ZONES : [zone, ...TIME_ZONES];
}
