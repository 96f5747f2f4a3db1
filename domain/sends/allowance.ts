/** Whose mails of a day are limited. */
export interface AllowanceHolder {
  readonly of: 'provider' | 'domain';
  /** The name of the provider, or the sending domain. */
  readonly name: string;
}

/** Like `the provider main`, `acme.example`. */
export function holderWords({ of, name }: AllowanceHolder): string {
  return of === 'provider' ? `the provider ${name}` : name;
}

/** How many campaign mails a day a sending domain or a provider starts with that receivers do not know yet. */
export interface Ramp {
  /** Of its first day with mail, of its second, and so on; after the last one there is no limit. */
  readonly steps: readonly number[];
  /** `2026-01-31`, UTC: days with mail are counted from then on. Absent: all that were counted. */
  readonly from?: string | undefined;
}

/** `2026-01-31`, UTC. */
export function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}

const DAY_MS = 86_400_000;

/** When the day of this instant ends, UTC. */
export function endOfDay(at: Date): Date {
  return new Date(Date.parse(`${dayOf(at)}T00:00:00Z`) + DAY_MS);
}

/** The midnight, UTC, that two clocks mean which differ by a moment. */
export function nearestMidnight(at: Date): Date {
  return new Date(Math.round(at.getTime() / DAY_MS) * DAY_MS);
}
