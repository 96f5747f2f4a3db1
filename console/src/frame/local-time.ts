const MINUTE_MS = 60_000;

/** Whose clock the reader's is: a browser that does not know where it is shows UTC. */
export const VIEWER_ZONE = zoneOf(Intl.DateTimeFormat().resolvedOptions().timeZone);

function zoneOf(zone: string | undefined): string {
  return zone && zone !== 'Etc/Unknown' ? zone : 'UTC';
}

/** What an input of a date and time says of itself: it has no zone of its own. */
export const IN_OWN_ZONE = `In your own time zone, ${VIEWER_ZONE}`;

/** A moment as an input of a date and time has it, in the reader's own zone: `2026-06-01T09:30`. */
export function localTime(iso: string): string {
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, -':SS.000Z'.length);
}

/** What such an input has, for the API. */
export function momentOf(time: string): string {
  return new Date(time).toISOString();
}

/** Whether such an input has a time that is over; the minute that is now is not. */
export function isPast(time: string): boolean {
  return time !== '' && Date.parse(time) < Date.now() - MINUTE_MS;
}
