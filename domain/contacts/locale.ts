const knownZones = new Map<string, boolean>();

/** Whether this is an IANA time zone that this runtime knows. Fixed offsets like +02:00 are not names. */
export function isTimeZone(name: string): boolean {
  let known = knownZones.get(name);
  if (known === undefined) {
    known = /^[A-Za-z]/.test(name) && accepts(() => new Intl.DateTimeFormat('en', { timeZone: name }));
    if (knownZones.size < 2000) knownZones.set(name, known);
  }
  return known;
}

/** Whether this is a well-formed BCP 47 language tag. */
export function isLocale(tag: string): boolean {
  return accepts(() => Intl.getCanonicalLocales(tag));
}

function accepts(attempt: () => unknown): boolean {
  try {
    attempt();
    return true;
  } catch {
    return false;
  }
}
