import { type SendWindow, windowInstant } from '../send-window.ts';
import { clockOf } from '../zone-clock.ts';

/** What becomes of those whose hour had passed when the campaign was launched, or changed after that. */
export const LATE_RULES = ['send', 'skip'] as const;

/** A time of the day that each recipient's own clock shows: docs/contract/campaigns.md, Local time. */
export interface LocalSchedule {
  /** "YYYY-MM-DD". */
  readonly date: string;
  /** "HH:mm". */
  readonly at: string;
  /** The zone of contacts that have none. */
  readonly fallback: string;
  readonly late: (typeof LATE_RULES)[number];
}

/** When those of one zone get it. */
export interface ZoneTime {
  /** null: of contacts without one, at the time of the fallback. */
  readonly timezone: string | null;
  readonly at: Date;
  readonly isLate: boolean;
}

/** Recipients of one zone, as a campaign found them when it began. */
export interface ZoneRecipients {
  readonly timezone: string | null;
  /** ISO 8601. */
  readonly at: string;
  readonly recipients: number;
}

/** Where a day begins first, and last. */
const [FIRST_ZONE, LAST_ZONE] = ['Pacific/Kiritimati', 'Etc/GMT+12'];

/** The first instant at which the clocks of a zone show the time, or have jumped over it. */
export function instantIn(timezone: string, { date, at }: Pick<LocalSchedule, 'date' | 'at'>): Date {
  return new Date(clockOf(timezone).firstInstantAt(Date.parse(`${date}T${at}:00.000Z`)));
}

/** When it is that time anywhere, and when it is nowhere still to come. */
export function firstAndLast(schedule: Pick<LocalSchedule, 'date' | 'at'>): { readonly first: Date; readonly last: Date } {
  return { first: instantIn(FIRST_ZONE, schedule), last: instantIn(LAST_ZONE, schedule) };
}

/** By which clocks a campaign goes: at least one of schedule and window. `settledAt`: when it was launched, or last changed. */
export interface GoesBy {
  readonly local: LocalSchedule | null;
  readonly window: SendWindow | null;
  readonly settledAt: Date;
  readonly now: Date;
}

/** Of zones, and of contacts without one: the later of its time and the opening of its window. */
export function zoneTimes(timezones: readonly string[], { local, window, settledAt, now }: GoesBy): ZoneTime[] {
  return [null, ...timezones].map((timezone) => {
    const at = local ? instantIn(timezone ?? local.fallback, local) : now;
    const isLate = local !== null && at < settledAt;
    return { timezone, at: window ? windowInstant(window, timezone, at > now ? at : now) : at, isLate };
  });
}

/** Until when those of a zone, '' of who has none, have to wait for the window of their campaign; undefined: it is open. */
export function closedUntil(window: SendWindow, zone: string, now: Date): Date | undefined {
  const opensAt = windowInstant(window, zone === '' ? null : zone, now);
  return opensAt > now ? opensAt : undefined;
}
