import { millisecondsOf, resolveZone } from './sequences/local-time.ts';
import { clockOf, DAY_MS } from './zone-clock.ts';

/** Hours, perhaps only on some weekdays, in which mails go: docs/contract/sends.md, Send windows. */
export interface SendWindow {
  /** "HH:mm". */
  readonly from: string;
  /** "HH:mm" or "24:00"; before `from`: on the next day. */
  readonly to: string;
  /** 1 is Monday, 7 is Sunday: the days on which it opens. Every day when omitted. */
  readonly days?: readonly number[] | undefined;
  /** IANA name, or "contact" for each recipient's own zone. */
  readonly timezone: string;
  /** The zone of contacts that have none. */
  readonly fallback: string;
  /** Whether it is for transactional mail, too. */
  readonly transactional: boolean;
}

/** What a sequence or a campaign says of its window; null: the project's is theirs. */
export type WindowChoice = SendWindow | 'none' | null;

/** One opening of a window. It is open from `opensAt` on, and not at `closesAt` any more. */
export interface Opening {
  readonly opensAt: Date;
  readonly closesAt: Date;
}

/** A week from today on, and another one, since clocks may jump over the only opening of the first. */
const DAYS_SEARCHED = 15;

/** The window that counts where a sequence or a campaign has said this. */
export function windowOf(choice: WindowChoice | undefined, ofProject: SendWindow | null): SendWindow | null {
  return choice === 'none' ? null : (choice ?? ofProject);
}

/** By whose clock it opens for a contact of this zone. */
export function zoneOfWindow(window: Pick<SendWindow, 'timezone' | 'fallback'>, contactZone: string | null): string {
  return resolveZone(window, contactZone);
}

/**
 * The opening that the instant is in, else the next one. Of a time that exists twice the first counts, of one that clocks jump over the moment
 * of the jump: a window that lies within the jump does not open on that day.
 */
export function openingAt({ from, to, days }: Pick<SendWindow, 'from' | 'to' | 'days'>, zone: string, instant: Date): Opening {
  const clock = clockOf(zone);
  const [opensIn, closes] = [millisecondsOf(from), millisecondsOf(to)];
  const closesIn = closes > opensIn ? closes : closes + DAY_MS;
  const opening = (day: number): Opening | undefined => {
    if (days && !days.includes(new Date(day).getUTCDay() || 7)) return undefined;
    const [opensAt, closesAt] = [clock.firstInstantAt(day + opensIn), clock.firstInstantAt(day + closesIn)];
    return opensAt < closesAt ? { opensAt: new Date(opensAt), closesAt: new Date(closesAt) } : undefined;
  };
  const today = clock.dayOf(instant.getTime());
  // That of yesterday may go on past midnight.
  for (let day = today - DAY_MS; day < today + DAYS_SEARCHED * DAY_MS; day += DAY_MS) {
    const found = opening(day);
    if (found && instant < found.closesAt) return found;
  }
  // No clock is known to jump over it twice. Were there one: it is asked again then.
  const later = new Date(instant.getTime() + DAYS_SEARCHED * DAY_MS);
  return { opensAt: later, closesAt: later };
}

/** Whether it is open at the instant. */
export function isOpen({ opensAt, closesAt }: Opening, instant: Date): boolean {
  return opensAt <= instant && instant < closesAt;
}

/** When a mail of this instant goes: at once, or when the window opens. */
export function windowInstant(window: SendWindow, contactZone: string | null, instant: Date): Date {
  const { opensAt } = openingAt(window, zoneOfWindow(window, contactZone), instant);
  return opensAt > instant ? opensAt : instant;
}

/** For operators: "waits for 09:00 in Europe/Vienna". */
export function windowWait({ from }: Pick<SendWindow, 'from'>, zone: string): string {
  return `waits for ${from} in ${zone}`;
}
