const knownZones = new Map<string, boolean>();

/** Whether this is an IANA time zone that this runtime knows. Fixed offsets like +02:00 are not names. */
export function isTimeZone(name: string): boolean {
  let known = knownZones.get(name);
  if (known === undefined) {
    known = /^[A-Za-z]/.test(name) && isKnownZone(name);
    if (knownZones.size < 2000) knownZones.set(name, known);
  }
  return known;
}

function isKnownZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
